# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Loops as part of a model: what edits and files make of them, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from robots import load
from serialized import FORMS, content

import dyn_core
from dyn_core import Loop, Model, ModelError
from dyn_core.readers.json.model_document import from_document, to_document
from dyn_core.spatial import SE3


def closed() -> Model:
    """An arm whose hand is held to the world."""
    return load("ur5").model.with_loop("tool0", "base", kp=100.0, kd=20.0)


def test_a_loop_is_data_of_the_model_and_changes_nothing_else() -> None:
    model, q = closed(), np.linspace(0.1, 0.6, 6)
    assert model.loops == (Loop("tool0", "base", 6, 100.0, 20.0),)
    assert model.with_loop("wrist_1_link", "base", 3).loops[1] == Loop("wrist_1_link", "base", 3)
    assert np.array_equal(dyn_core.crba(model, q), dyn_core.crba(load("ur5").model, q))
    assert hash(model) == hash(load("ur5").model)
    assert model != load("ur5").model


@pytest.mark.parametrize("form", FORMS)
def test_loops_are_stored(form: str) -> None:
    write, read = FORMS[form]
    model = closed().with_loop("wrist_1_link", "base", 3)
    assert content(read(write(model))) == content(model)
    assert read(write(model)) == model


def test_stored_loops_are_checked() -> None:
    document = to_document(closed())
    document["loops"][0]["frame2"] = "tool1"
    with pytest.raises(ModelError, match=r"Loop\('tool0', 'tool1', 6.*no frame 'tool1'"):
        from_document(document)
    document["loops"][0] = {"frame1": "tool0", "frame2": "base", "kind": 4, "kp": 0, "kd": 0}
    with pytest.raises(ModelError, match=r"loop from 'tool0' to 'base': kind 4 is unknown; use 3"):
        from_document(document)


def test_loops_go_with_edits() -> None:
    """All editing keeps them, but for those within a body that locked joints make one."""
    model = closed()
    arm = load("ur5").model
    for edited in (
        model.with_gravity((0.0, 0.0, -1.0)),
        model.with_payload("tool0", 1.0),
        model.with_rotor(model.names[1], 1.0),
        model.with_frame("tip", "tool0", SE3.identity()),
        model.reduced(model.names[1:3], np.zeros(6)),
    ):
        assert edited.loops == model.loops
    assert model.reduced(model.names[1:], np.zeros(6)).loops == ()
    other = load("panda").model.with_loop("panda_hand", "panda_link0", 3)
    assert arm.append(other, "tool0").loops == other.loops
    assert model.append(other, "tool0").loops == model.loops + other.loops


def test_loops_that_cannot_be_are_refused_in_words() -> None:
    model = load("ur5").model
    with pytest.raises(ModelError, match=r"Loop\('tool1', 'base', 6\): no frame 'tool1'"):
        model.with_loop("tool1", "base")
    with pytest.raises(ModelError, match="both frames are fixed to the same body"):
        model.with_loop("tool0", "ee_link")
    with pytest.raises(ModelError, match="a frame cannot be held to itself"):
        model.with_loop("tool0", "tool0")
    with pytest.raises(ModelError, match=r"kind 5 is unknown; use 3 .* or 6"):
        model.with_loop("tool0", "base", 5)
    for gain in (-1.0, float("nan"), float("inf"), "1", True):
        with pytest.raises(ModelError, match=r"kp (must be a finite|must be a real|is True)"):
            model.with_loop("tool0", "base", kp=gain)
