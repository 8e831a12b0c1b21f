# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whatever happens to a stored Model or Data: a valid one or a worded refusal, nothing else."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_trees import random_model
from serialized import FORMS, model

import dyn_core
from dyn_core import Data, Model, ModelError, serialize
from dyn_core.readers.json.model_document import from_document, to_document

pytestmark = pytest.mark.thorough

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


def test_mutated_documents() -> None:
    random = np.random.default_rng(3)
    documents = [to_document(model) for model in models()]
    count = 0
    for k in range(1000):
        damaged = mutated_document(documents[k % len(documents)], random)
        count += is_accepted(lambda damaged=damaged: from_document(damaged))
        is_accepted(lambda damaged=damaged: serialize.from_json(json.dumps(damaged)))
    assert 50 < count < 500


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
