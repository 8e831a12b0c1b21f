# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification: rows that no motion explains change nothing; what remains has to suffice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import unknown_arm
from unknown_arm import CUTOFF, recorded, truth

from dyn_core.errors import ModelError
from dyn_core.identification import Identification, Recording, identify, prepared


@pytest.fixture(scope="module")
def recording() -> Recording:
    base = unknown_arm.base()
    return recorded(base, unknown_arm.motion(), truth(base), noise=0.5)


@pytest.fixture(scope="module")
def identified(recording: Recording) -> Identification:
    return identify(unknown_arm.base().parameters, recording, CUTOFF, weight=1.0)


@pytest.mark.parametrize("rows", [1, 2, 8])
@pytest.mark.parametrize("fault", ["zero", "far", "old", "all zero", "again", "positions again"])
def test_rows_that_no_motion_explains_change_nothing(
    recording: Recording, identified: Identification, fault: str, rows: int
) -> None:
    """A driver says zeros, garbage or an old state for a moment, as that of a real UR10e did."""
    q, tau = recording.q.copy(), recording.tau.copy()
    for k in np.random.default_rng(4).integers(100, len(q) - 100, 10):
        part = slice(k, k + rows)
        if fault == "again":
            q[part], tau[part] = q[k - 1], tau[k - 1]
        elif fault == "positions again":
            q[part] = q[k - 1]
        elif fault == "old":
            q[part] = q[k - 90]
        elif fault == "all zero":
            q[part], tau[part] = 0.0, 0.0
        else:
            q[part, 1] = 3.0 if fault == "zero" else 1e305
    changed = Recording(recording.times, q, tau)
    found = identify(unknown_arm.base().parameters, changed, CUTOFF, weight=1.0).estimate
    off = (found.values - identified.estimate.values) / found.deviations
    assert np.mean(off**2) < 2.0


def test_positions_of_a_coarse_encoder_are_no_fault(recording: Recording) -> None:
    """One of 4096 steps a turn, read four times as often as it changes."""
    step = 2.0 * np.pi / 4096
    q = step * np.round(recording.q[np.arange(len(recording)) // 4 * 4] / step)
    _, dropped = prepared(unknown_arm.model(), replace(recording, q=q), CUTOFF)
    assert not dropped["jumps of positions"]


@pytest.mark.parametrize("joints", [[5], [0], [0, 1, 2, 3, 4, 5]])
def test_joints_that_are_read_less_often_are_no_fault(
    recording: Recording, joints: list[int]
) -> None:
    """A rail at a lower rate, or servos that are asked one after the other."""
    q, rows = recording.q.copy(), np.arange(len(recording))
    for k in joints:
        q[:, k] = q[np.maximum(rows - (rows + k) % 16, 0), k]
    _, dropped = prepared(unknown_arm.model(), replace(recording, q=q), CUTOFF)
    assert not dropped["jumps of positions"]


def test_most_rows_beyond_an_effort_limit_are_named(recording: Recording) -> None:
    """As of a shoulder's efforts in the column of a wrist."""
    limit = unknown_arm.model().effort_limit[5]
    tau = recording.tau.copy()
    tau[: int(0.6 * len(tau)), 5] = 1.1 * limit
    with pytest.raises(ModelError, match=r"samples are left of 10000: .*saturated.*another joint"):
        prepared(unknown_arm.model(), replace(recording, tau=tau), CUTOFF)


def test_one_time_far_ahead_is_reported(recording: Recording) -> None:
    times = recording.times.copy()
    times[2000] += 1e6
    with pytest.raises(ModelError, match="2001 samples are left of 10000: 7999 time not increas"):
        prepared(unknown_arm.model(), replace(recording, times=times), CUTOFF)


def test_a_recording_too_short_to_show_mistakes_has_a_warning() -> None:
    base = unknown_arm.base()
    short = recorded(base, unknown_arm.motion(), truth(base), duration=4.0)
    with pytest.warns(UserWarning, match="samples are too few to look for mistakes"):
        identify(base.parameters, short, CUTOFF)
