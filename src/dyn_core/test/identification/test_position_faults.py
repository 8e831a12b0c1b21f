# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification: rows that no motion explains change nothing; what remains has to suffice."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

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


FAULTS = ("zero", "far", "old", "all zero", "again", "positions again")


@pytest.mark.parametrize(
    ("fault", "rows"),
    [*product(FAULTS, [1, 2, 8]), ("zero", 60), ("again", 150), ("positions again", 150)],
)
def test_rows_that_no_motion_explains_change_nothing(
    recording: Recording, identified: Identification, fault: str, rows: int
) -> None:
    """A driver says zeros, garbage or an old state for a moment, as that of a real UR10e did."""
    q, tau = recording.q.copy(), recording.tau.copy()
    for k in np.random.default_rng(4).integers(100, len(q) - 400, 10 if rows < 100 else 3):
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


@pytest.mark.parametrize("part", [slice(0, 1), slice(0, 40), slice(-1, None), slice(-200, None)])
def test_zeros_at_an_end_change_nothing(
    recording: Recording, identified: Identification, part: slice
) -> None:
    q, tau = recording.q.copy(), recording.tau.copy()
    q[part], tau[part] = 0.0, 0.0
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


def test_rests_and_quick_moves_are_no_fault(recording: Recording) -> None:
    """Of 0.4 s, at 25 Hz: the first and the last step of a move are its smallest."""
    times = np.arange(0.0, 60.0, 0.04)
    share = np.clip((times % 2.0) / 0.4, 0.0, 1.0)
    turn = np.where(times % 4.0 < 2.0, share, 1.0 - share)
    q = np.outer(0.5 - 0.5 * np.cos(np.pi * turn), [0.4, -0.6, 0.5, 0.3, 0.6, 0.5])
    moves = Recording(
        times, q, np.interp(times, recording.times, recording.tau[:, 0])[:, None] + 0.0 * q
    )
    _, dropped = prepared(unknown_arm.model(), moves, 2.0)
    assert not dropped["jumps of positions"]
    assert not dropped["repeated"]


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
    with pytest.warns(UserWarning, match="samples are too few to find all mistakes"):
        identify(base.parameters, short, CUTOFF)
