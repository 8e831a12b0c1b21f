# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Damaged descriptions and stored models: a sound one or a worded error, never anything else."""

from __future__ import annotations

import copy
import json
import random
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mjcf_files import CASES
from random_trees import random_model
from robots import ROBOT_FILES, example_robots
from serialized import FORMS, model

import dyn_core
from dyn_core import Data, Model, ModelError, serialize
from dyn_core.readers.json.model_document import from_document, to_document

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
    for read in models:
        check(read)


@pytest.mark.quick("ur5")
@pytest.mark.parametrize("name", NAMES)
def test_damaged_urdf_gives_a_sound_model_or_a_worded_error(name: str) -> None:
    text = (example_robots() / ROBOT_FILES[name]).read_text()
    outcomes = [outcome(Model.from_urdf, f"{name} {seed}", text) for seed in range(COUNT)]
    check_outcomes(outcomes)
    for read in (found for found in outcomes if isinstance(found, Model)):
        q, v = dyn_core.neutral(read).tolist(), [0.5] * read.nv
        assert np.isfinite(dyn_core.rnea.define(read, q, v, v)).all()


@pytest.mark.thorough
def test_damaged_mjcf_gives_a_sound_model_or_a_worded_error() -> None:
    cases = [case.text for case in CASES.values()]
    check_outcomes(
        [outcome(Model.from_mjcf, str(seed), cases[seed % len(cases)]) for seed in range(500)]
    )


Random = np.random.Generator
VALUES = [
    None, True, 0, -1, 1, 2**31, 2**53, 0.5, -0.0, 1e308, -1e-320, "inf", "-inf", "nan", "", "0",
    "Revolute", [], [0.0] * 3, [0.0] * 12, ["x"], [[0.0]], ["Mimic", {}], {}, {"x": 1}, "\ud800",
]  # fmt: skip


def models() -> list[Model]:
    return [model(), *(random_model(seed, joints=4) for seed in range(6))]


def mutated_text(text: Any, random: Random) -> Any:
    """A piece is removed, repeated elsewhere, overwritten or inserted, or the end cut off."""
    at, other = random.integers(0, len(text) + 1, 2)
    piece = text[at : at + random.integers(1, 10)]
    junk = random.bytes(random.integers(1, 4))
    if isinstance(text, str):
        junk = str(random.integers(10)) if random.random() < 0.5 else junk.decode("latin-1")
    return [
        text[:at] + text[at + len(piece) :],
        text[:other] + piece + text[other:],
        text[:at] + junk + text[at + len(junk) :],
        text[:at] + junk + text[at:],
        text[:at],
    ][random.integers(5)]


def containers(value: Any) -> list[Any]:
    if not isinstance(value, (dict, list)):
        return []
    inner = value.values() if isinstance(value, dict) else value
    return [*([value] if value else []), *(x for item in inner for x in containers(item))]


def mutated_document(document: Any, random: Random) -> Any:
    """A field or entry is removed, swapped with another, replaced, scaled, renamed or repeated."""
    document = copy.deepcopy(document)
    places = containers(document)
    place = places[random.integers(len(places))]
    keys = list(place) if isinstance(place, dict) else range(len(place))
    key, other = (keys[k] for k in random.integers(0, len(keys), 2))
    choice = random.integers(5)
    if choice == 0:
        del place[key]
    elif choice == 1:
        place[key], place[other] = place[other], place[key]
    elif choice == 2:
        place[key] = copy.deepcopy(VALUES[random.integers(len(VALUES))])
    elif choice == 3 and isinstance(place[key], (int, float)):
        place[key] *= random.choice([-1, 1.0 + 1e-12, 2, 0])
    elif isinstance(place, dict):
        place[f"{key}{random.choice(['', 's', '_'])}"] = place.pop(key)
    else:
        place.insert(0, copy.deepcopy(place[key]))
    return document


def is_accepted(read: Callable[[], Model | Data]) -> bool:
    """Reads; what comes back must be whole enough to be written again."""
    try:
        to_document(read())
    except ModelError:
        return False
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("form", FORMS)
def test_mutated_texts(form: str) -> None:
    write, read = FORMS[form]
    random = np.random.default_rng(1)
    texts = [write(model) for model in models()]
    count = 0
    for k in range(500):
        damaged = mutated_text(texts[k % len(texts)], random)
        count += is_accepted(lambda damaged=damaged: read(damaged))
    assert count < 250


@pytest.mark.thorough
def test_mutated_documents() -> None:
    random = np.random.default_rng(3)
    documents = [to_document(model) for model in models()]
    count = 0
    for k in range(1000):
        damaged = mutated_document(documents[k % len(documents)], random)
        count += is_accepted(lambda damaged=damaged: from_document(damaged))
        is_accepted(lambda damaged=damaged: serialize.from_json(json.dumps(damaged)))
    assert 50 < count < 500


@pytest.mark.thorough
def test_mutated_data() -> None:
    random, mine = np.random.default_rng(4), model()
    data = mine.create_data()
    frame = dyn_core.frame_jacobian.request(mine.frames[0].name)
    for asked in (dyn_core.crba.request(), dyn_core.rnea.request(), frame):
        data.arrays(asked)
    document = to_document(data)
    for _ in range(500):
        damaged = mutated_document(document, random)
        is_accepted(lambda damaged=damaged: from_document(damaged, mine))
        text = mutated_text(json.dumps(document), random)
        is_accepted(lambda text=text: serialize.from_json(text, mine))
