# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification of a real robot: a KUKA LBR Med 7 that moved for 16 s (data/med7/README.md)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dyn_core import Model
from dyn_core.identification import Parameters, Recording, identify, plain, read_recording

pytestmark = pytest.mark.thorough

MED7 = Path(__file__).parents[1] / "data" / "med7"
CUTOFF = 5.0
FITTED = 0.7
"""Share of the recording."""
FREE = 1e-2
"""A weight of the prior that hardly counts."""


@pytest.fixture(scope="module")
def med7() -> Model:
    return Model.from_urdf(MED7 / "med7.urdf")


@pytest.fixture(scope="module")
def parts(med7) -> tuple[Recording, Recording]:
    """What is fitted, and what is held out."""
    whole = read_recording(med7, MED7 / "recording.csv")
    cut = int(FITTED * len(whole))
    first, rest = slice(cut), slice(cut, None)
    fitted, held = (Recording(whole.times[x], whole.q[x], whole.tau[x]) for x in (first, rest))
    return fitted, held


def moving(found) -> np.ndarray:
    return found.values[: found.base.parameters.inertial : 10]


def test_implausible_masses_are_reported(med7, parts) -> None:
    """Eleven seconds of small motions fit as well with arms of tons."""
    with pytest.warns(UserWarning, match="of the prior") as reported:
        found = identify(Parameters(med7), parts[0], CUTOFF, weight=FREE)
    described = sum(float(med7.inertias[i].mass) for i in med7.moving_joints)
    assert moving(found).sum() > 3.0 * described
    words = [str(one.message) for one in reported]
    assert any(f"times the {described:.4g} kg of the prior" in one for one in words)
    assert plain(found)["doubts"] == found.doubts == words


def test_cross_validation_finds_masses_that_predict_what_was_held_out(med7, parts) -> None:
    fitted, held = parts
    found = identify(Parameters(med7), fitted, CUTOFF)
    described = sum(float(med7.inertias[i].mass) for i in med7.moving_joints)
    assert moving(found).sum() == pytest.approx(described, rel=0.3)
    assert found.doubts == []
    left, before = (found.residual(held, cutoff=CUTOFF, model=x) for x in (None, med7))
    assert left < 0.08  # 7.1 %
    assert before > 0.2
