# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whatever happens to a stored Model or Data: a valid one or a worded refusal, nothing else."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_trees import random_model
from serialized import FORMS, model

import dyn_core
from dyn_core import Data, Model, ModelError, serialize
from dyn_core.readers.json import wrapped_text
from dyn_core.readers.json.model_document import from_document, to_document

pytestmark = pytest.mark.thorough

Random = np.random.Generator
VALUES = [
    None, True, 0, -1, 1, 2**31, 2**53, 0.5, -0.0, 1e308, -1e-320, "inf", "-inf", "nan", "", "0",
    "Revolute", [], [0.0] * 3, [0.0] * 12, ["x"], [[0.0]], ["Mimic", {}], {}, {"x": 1}, "\ud800",
]  # fmt: skip
LONGEST = 10
"""Longest piece of text that is repeated, removed or moved."""


def models() -> list[Model]:
    return [model(), *(random_model(seed, joints=4) for seed in range(6))]


def mutated_text(text: Any, random: Random) -> Any:
    """One to three changes: a piece is removed, repeated, moved or overwritten, the end cut."""
    for _ in range(random.integers(1, 4)):
        text = mutated_once(text, random)
    return text


def mutated_once(text: Any, random: Random) -> Any:
    at, other = random.integers(0, len(text) + 1, 2)
    piece = text[at : at + random.integers(1, LONGEST)]
    junk = random.bytes(random.integers(1, 4))
    if isinstance(text, str):
        junk = junk.decode("latin-1")
    if random.random() < 0.04:
        return text[:at]
    return [
        text[:at] + text[at + len(piece) :],
        text[:other] + piece + text[other:],
        text[:at] + junk + text[at + len(junk) :],
        text[:at] + junk + text[at:],
    ][random.integers(4)]


def mutated_digits(text: str, random: Random) -> str:
    """Another digit in the place of one: what a reader that only checks syntax lets through."""
    places = [k for k, letter in enumerate(text) if letter.isdigit()]
    at = places[random.integers(len(places))]
    return text[:at] + str(random.integers(10)) + text[at + 1 :]


def containers(value: Any) -> list[Any]:
    if not isinstance(value, (dict, list)):
        return []
    inner = value.values() if isinstance(value, dict) else value
    return [*([value] if value else []), *(x for item in inner for x in containers(item))]


def mutated_document(document: Any, random: Random) -> Any:
    """A field or entry is removed, repeated, renamed, swapped with another or gets a new value."""
    document = copy.deepcopy(document)
    for _ in range(random.integers(1, 3)):
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


def check(read: Callable[[], Model | Data]) -> str:
    """Reads; what comes back must be whole enough to be written again."""
    began = time.monotonic()
    verdict = "accepted"
    try:
        to_document(read())
    except ModelError:
        verdict = "refused"
    assert time.monotonic() - began < 5.0
    return verdict


@pytest.mark.parametrize("form", FORMS)
def test_mutated_texts(form: str) -> None:
    write, read = FORMS[form]
    random = np.random.default_rng(1)
    texts = [write(model) for model in models()]
    verdicts = []
    for k in range(1000):
        text = texts[k % len(texts)]
        plain = form in ("json", "xml") and k % 4 == 0
        damaged = (mutated_digits if plain else mutated_text)(text, random)
        verdicts.append(check(lambda damaged=damaged: read(damaged)))
        if form in ("binary", "base64") and verdicts[-1] == "accepted":
            assert write(read(damaged)) == text  # only white space, or what does not count
    assert verdicts.count("refused") > 500
    assert form in ("binary", "base64") or verdicts.count("accepted") > 50


def test_mutated_documents() -> None:
    random = np.random.default_rng(3)
    documents = [to_document(model) for model in models()]
    verdicts = []
    for k in range(2000):
        damaged = mutated_document(documents[k % len(documents)], random)
        verdicts.append(check(lambda damaged=damaged: from_document(damaged)))
        text = json.dumps(damaged)
        assert check(lambda text=text: serialize.from_json(text)) == verdicts[-1] or "1e308" in text
    assert 100 < verdicts.count("accepted") < 1000


def test_mutated_data() -> None:
    random = np.random.default_rng(4)
    mine = model()
    data = mine.create_data()
    for asked in (
        dyn_core.crba.request(),
        dyn_core.rnea.request(),
        dyn_core.frame_jacobian.request(mine.frames[0].name),
    ):
        data.arrays(asked)
    document = to_document(data)
    for k in range(1000):
        if k % 2:
            damaged = mutated_document(document, random)
            check(lambda damaged=damaged: from_document(damaged, mine))
        else:
            text = mutated_text(json.dumps(document), random)
            check(lambda text=text: serialize.from_json(text, mine))


def test_bytes_at_random() -> None:
    random = np.random.default_rng(5)
    for _ in range(1000):
        noise = random.bytes(random.integers(0, 200))
        check(lambda noise=noise: serialize.from_binary(wrapped_text.GZIP + noise))
        for read in (serialize.from_json, serialize.from_xml, serialize.from_base64):
            check(lambda read=read, noise=noise: read(noise.decode("latin-1")))
