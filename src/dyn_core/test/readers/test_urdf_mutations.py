# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Damaged URDF files: a Model or a worded error, never anything else."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from collections.abc import Callable

import numpy as np
import pytest
from robots import ROBOT_FILES, example_robots

import dyn_core
from dyn_core import Model, ModelError

COUNT = 1000
NAMES = ("ur5", "panda", "hyq", "kinova", "simple_humanoid")
WORDS = (
    "",
    "nan",
    "-1",
    "1e999",
    "0 0",
    "1 2 3 4",
    "x",
    "\N{SNOWMAN}",
    "0x10",
    "1,5",
    "true",
    "-0.0",
)

Mutation = Callable[[random.Random, ET.Element], None]


def some(chance: random.Random, root: ET.Element) -> tuple[ET.Element, ET.Element]:
    """A random element that matters to dynamics, and its parent."""
    kept = {"robot", "link", "joint", "inertial"}
    pairs = [(p, e) for p in root.iter() if p.tag in kept for e in p if e.tag != "visual"]
    return chance.choice(pairs)


def delete_element(chance: random.Random, root: ET.Element) -> None:
    parent, element = some(chance, root)
    parent.remove(element)


def duplicate_element(chance: random.Random, root: ET.Element) -> None:
    parent, element = some(chance, root)
    parent.append(element)


def rename_element(chance: random.Random, root: ET.Element) -> None:
    some(chance, root)[1].tag = chance.choice(["link", "joint", "inertia", "axis", "mimic", "blob"])


def move_element(chance: random.Random, root: ET.Element) -> None:
    parent, element = some(chance, root)
    parent.remove(element)
    some(chance, root)[1].append(element)


def delete_attribute(chance: random.Random, root: ET.Element) -> None:
    element = some(chance, root)[1]
    if element.attrib:
        del element.attrib[chance.choice(sorted(element.attrib))]


def garble_attribute(chance: random.Random, root: ET.Element) -> None:
    element = some(chance, root)[1]
    if element.attrib:
        element.set(chance.choice(sorted(element.attrib)), chance.choice(WORDS))


def swap_names(chance: random.Random, root: ET.Element) -> None:
    one, other = (chance.choice(root.findall("joint")) for _ in range(2))
    for end in ("parent", "child"):
        if chance.random() < 0.5:
            a, b = one.find(end), other.find(end)
            if a is not None and b is not None:
                a.attrib, b.attrib = b.attrib, a.attrib


def change_type(chance: random.Random, root: ET.Element) -> None:
    kinds = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "rotary", ""]
    chance.choice(root.findall("joint")).set("type", chance.choice(kinds))


def add_mimic(chance: random.Random, root: ET.Element) -> None:
    names = [joint.get("name") or "" for joint in root.findall("joint")]
    ET.SubElement(chance.choice(root.findall("joint")), "mimic", joint=chance.choice(names))


MUTATIONS: tuple[Mutation, ...] = (
    delete_element, duplicate_element, rename_element, move_element, delete_attribute,
    garble_attribute, swap_names, change_type, add_mimic,
)  # fmt: skip


def cut_text(chance: random.Random, text: str) -> str:
    """Truncate the text, or lose or change a character."""
    at = chance.randrange(len(text))
    return chance.choice([text[:at], text[:at] + text[at + 1 :], text[:at] + "<" + text[at + 1 :]])


def mutant(chance: random.Random, text: str) -> str:
    if chance.random() < 0.1:
        return cut_text(chance, text)
    root = ET.fromstring(text)
    for _ in range(chance.randint(1, 3)):
        chance.choice(MUTATIONS)(chance, root)
    return ET.tostring(root, encoding="unicode")


@pytest.mark.quick("ur5")
@pytest.mark.parametrize("name", NAMES)
def test_mutations_give_a_sound_model_or_a_worded_error(name: str) -> None:
    text = (example_robots() / ROBOT_FILES[name]).read_text()
    outcomes = [outcome(f"{name} {seed}", text) for seed in range(COUNT // len(NAMES))]
    models = [found for found in outcomes if isinstance(found, Model)]
    errors = [found for found in outcomes if isinstance(found, str)]
    assert min(len(models), len(errors)) > 20
    assert min(map(len, errors)) > 20
    for model in models:
        check(model)


def outcome(seed: str, text: str) -> Model | str:
    """What a mutant is read as: a model, or the words of the refusal."""
    chance = random.Random(seed)
    try:
        return Model.from_urdf(mutant(chance, text), mimic=chance.random() < 0.5)
    except ModelError as error:
        return str(error)


def check(model: Model) -> None:
    """Whatever was read is finite, in order and computes finite efforts."""
    numbers = [x for inertia in model.inertias for x in inertia.parameters]
    numbers += [x for M in model.joint_placements for row in M.homogeneous() for x in row]
    assert np.isfinite(numbers).all()
    assert all(parent < i for i, parent in enumerate(model.parents) if i)
    assert len(set(model.names)) == model.njoints
    q, v = dyn_core.neutral(model).tolist(), [0.5] * model.nv
    rnea = dyn_core.rnea.define
    assert np.isfinite(rnea(model, q, v, v)).all()
