# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Commands move without jumps and within their limits, whatever is wanted of them."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from dyn_ros.adapters.command_shape import CommandShaper

STEP = 0.01  # s


def shaper(limit: float = inf) -> CommandShaper:
    result = CommandShaper(["a", "b"])
    result.limit = np.array([limit, inf])
    return result


def run(shaper: CommandShaper, wanted: list[float], seconds: float) -> list[list[float]]:
    steps = round(seconds / STEP)
    return [list(shaper.update(np.array(wanted), STEP)) for _ in range(steps)]


def test_without_ramp_the_command_is_what_is_wanted() -> None:
    assert list(shaper().update(np.array([3.0, -4.0]), 0.0)) == [3.0, -4.0]


def test_a_ramp_is_a_straight_line_from_the_last_command() -> None:
    shape = shaper()
    shape.update(np.array([1.0, 1.0]), 0.0)
    shape.ramp(0.1)
    commands = run(shape, [2.0, -1.0], 0.2)
    expected = np.minimum(np.arange(1, 21) / 10, 1.0)
    assert np.allclose(commands, np.outer(expected, [1.0, -2.0]) + 1.0)
    assert not shape.ramping


def test_a_gap_in_the_samples_does_not_end_a_ramp() -> None:
    shape = shaper()
    shape.ramp(1.0)
    assert shape.update(np.array([10.0, 0.0]), 100.0)[0] == pytest.approx(1.0)


def test_the_rate_is_limited() -> None:
    shape = shaper()
    shape.most_rate = 5.0
    commands = np.array(run(shape, [1.0, -0.1], 0.5))
    steps = np.diff(commands, axis=0, prepend=0.0)
    assert np.abs(steps).max() == pytest.approx(5.0 * STEP)
    assert list(commands[-1]) == pytest.approx([1.0, -0.1])


def test_limits_clamp_and_say_so() -> None:
    shape = shaper(limit=2.0)
    assert list(shape.update(np.array([-3.0, 1e9]), 0.0)) == [-2.0, 1e9]
    assert shape.exceeded
    assert shape.describe_excess() == "joint 'a' needs -3.000 but its effort limit is 2.000"
    shape.update(np.array([2.0, 0.0]), STEP)
    assert not shape.exceeded


def test_without_clamping_the_last_command_stays() -> None:
    shape = shaper(limit=2.0)
    shape.update(np.array([1.0, 1.0]), 0.0)
    assert list(shape.update(np.array([3.0, 0.0]), STEP, clamp=False)) == [1.0, 1.0]
    assert shape.exceeded
    assert list(shape.update(np.array([2.0, 0.0]), STEP, clamp=False)) == [2.0, 0.0]


def test_zero_and_jump_take_no_time() -> None:
    shape = shaper(limit=2.0)
    shape.most_rate = 0.1
    shape.ramp(10.0)
    assert list(shape.jump(np.array([5.0, 3.0]))) == [2.0, 3.0]
    assert list(shape.zero()) == [0.0, 0.0]


def test_an_excess_of_many_joints_is_told_for_ten() -> None:
    shape = CommandShaper([f"j{i}" for i in range(30)])
    shape.limit = np.ones(30)
    shape.update(np.full(30, 2.0), 0.0)
    assert shape.describe_excess().count("needs") == 10
    assert shape.describe_excess().endswith("and 20 more")
