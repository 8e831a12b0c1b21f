# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Damaged descriptions: a sound Model or a worded error, never anything else."""

from __future__ import annotations

import copy
import random
import xml.etree.ElementTree as ET
from collections.abc import Callable

import numpy as np
import pytest
from mjcf_files import CASES
from robots import ROBOT_FILES, example_robots

import dyn_core
from dyn_core import Model, ModelError

COUNT = 200
NAMES = ("ur5", "panda", "hyq", "kinova", "simple_humanoid")
LOOKS = {"visual", "collision", "geometry", "material", "gazebo", "transmission"}
WORDS = ("", "nan", "inf", "-1", "0", "1e999", "1e-300", "x", "\N{SNOWMAN}", "0x10", "1,5", "1_0",
         "0 0", "1 2 3 4", "true", "-0.0", "fixed", "planar", "floating")  # fmt: skip


def pairs(root: ET.Element) -> list[tuple[ET.Element, ET.Element]]:
    """All elements that matter to dynamics, each with the one around it."""
    kept = (element for element in root.iter() if element.tag not in LOOKS)
    return [(parent, child) for parent in kept for child in parent if child.tag not in LOOKS]


def damage(root: ET.Element, chance: random.Random) -> None:
    """Delete, copy, move or rename an element, or delete, rename, exchange or garble attributes."""
    found = pairs(root)
    if not found:
        return
    (parent, element), (_, other) = (chance.choice(found) for _ in range(2))
    name = chance.choice([*element.attrib, "blob"])
    kind = chance.randrange(8)
    if kind in (0, 1):
        parent.remove(element)
    if kind == 1:
        chance.choice(list(root.iter())).append(element)
    elif kind == 2:
        parent.append(copy.deepcopy(element))
    elif kind == 3:
        element.tag = other.tag
    elif kind == 4:
        element.attrib.pop(name, None)
    elif kind == 5:
        element.set(chance.choice([*other.attrib, "blob"]), element.attrib.pop(name, ""))
    elif kind == 6:
        element.attrib, other.attrib = other.attrib, element.attrib
    else:
        element.set(name, chance.choice(WORDS))


def mutant(chance: random.Random, text: str) -> str:
    if chance.random() < 0.1:
        at = chance.randrange(len(text))
        return chance.choice([text[:at], text[:at] + chance.choice('<"9\0') + text[at + 1 :]])
    root = ET.fromstring(text)
    for _ in range(chance.randint(1, 3)):
        damage(root, chance)
    return ET.tostring(root, encoding="unicode")


def outcome(read: Callable[..., Model], seed: str, text: str) -> Model | str:
    """What a mutant is read as: a model, or the words of the refusal."""
    chance = random.Random(seed)
    try:
        return read(mutant(chance, text), mimic=chance.random() < 0.5)
    except ModelError as error:
        return str(error)


def check(model: Model) -> None:
    """Whatever was read is finite and in order."""
    numbers = [x for inertia in model.inertias for x in inertia.parameters]
    numbers += [x for M in model.joint_placements for row in M.homogeneous() for x in row]
    assert np.isfinite(numbers).all()
    assert all(parent < i for i, parent in enumerate(model.parents) if i)
    assert len(set(model.names)) == model.njoints


def check_outcomes(outcomes: list[Model | str]) -> None:
    models = [found for found in outcomes if isinstance(found, Model)]
    errors = [found for found in outcomes if isinstance(found, str)]
    assert min(len(models), len(errors)) >= len(outcomes) / 20
    assert min(map(len, errors)) > 20
    for model in models:
        check(model)


@pytest.mark.quick("ur5")
@pytest.mark.parametrize("name", NAMES)
def test_damaged_urdf_gives_a_sound_model_or_a_worded_error(name: str) -> None:
    text = (example_robots() / ROBOT_FILES[name]).read_text()
    outcomes = [outcome(Model.from_urdf, f"{name} {seed}", text) for seed in range(COUNT)]
    check_outcomes(outcomes)
    for model in (found for found in outcomes if isinstance(found, Model)):
        q, v = dyn_core.neutral(model).tolist(), [0.5] * model.nv
        assert np.isfinite(dyn_core.rnea.define(model, q, v, v)).all()


@pytest.mark.thorough
def test_damaged_mjcf_gives_a_sound_model_or_a_worded_error() -> None:
    cases = [case.text for case in CASES.values()]
    check_outcomes(
        [outcome(Model.from_mjcf, str(seed), cases[seed % len(cases)]) for seed in range(500)]
    )
