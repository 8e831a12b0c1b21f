# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Commands move without jumps and within their limits, whatever is wanted of them."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

from dyn_ros.commanding.stream import CommandShaper

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


def test_ramps_that_begin_again_and_again_keep_nothing_from_being_followed() -> None:
    """As with a payload that changes a hundred times a second, while the arm moves."""
    shape = shaper()
    before = shape.update(np.zeros(2), STEP).copy()
    for wanted in np.random.default_rng(3).normal(size=(100, 2)).cumsum(axis=0):
        shape.ramp(0.5)
        shape.update(before, STEP)  # what is wanted does not leap, so that nothing has to fade in
        assert np.allclose(shape.update(wanted, STEP), wanted)
        before = wanted


def test_a_motion_is_followed_without_a_lag_while_ramps_begin_again_and_again() -> None:
    """A lag of gravity behind the arm drives it: it fell while its payload changed often.

    What changes between two samples would come late by the time of a ramp where one begins; with
    one in every fiftieth sample the command is nearer than a hundredth of that.
    """
    shape = shaper()
    speed, duration, often = np.array([3.0, -2.0]), 0.5, 50
    lag = 0.0
    for k in range(1000):
        if k and not k % often:
            shape.ramp(duration)
        wanted = speed * STEP * k
        lag = max(lag, np.abs(shape.update(wanted, STEP) - wanted).max())
    assert lag < 0.01 * np.abs(speed).max() * STEP


def test_an_arm_does_not_fall_because_ramps_begin_again_and_again() -> None:
    """A point mass on a rod, above its joint, where a command that lags drives it away.

    Gravity is compensated, so it goes on at the speed that it was pushed with.
    """
    shape, step = CommandShaper(["shoulder"]), 0.001
    gravity = lambda q: np.array([-9.81 * np.sin(q)])  # noqa: E731
    angle, speed = 0.3, 1e-4
    shape.jump(gravity(angle))
    for k in range(10_000):
        if not k % 20:
            shape.ramp(0.5)
        speed += step * float((shape.update(gravity(angle), step) - gravity(angle))[0])
        angle += step * speed
    assert abs(angle - 0.3 - 1e-4 * 10.0) < 2e-4


def test_a_leap_beyond_the_motion_before_it_is_ramped() -> None:
    shape = shaper()
    for k in range(10):
        shape.update(np.array([0.01, -0.01]) * k, STEP)
    before = shape.command.copy()
    shape.ramp(1.0)
    assert np.abs(shape.update(np.array([5.0, -5.0]), STEP) - before).max() < 0.01 + 5.0 * STEP


def test_a_ramp_begins_with_the_first_command_that_can_be_given() -> None:
    shape = shaper(limit=2.0)
    shape.update(np.array([1.0, 1.0]), 0.0)
    shape.ramp(0.1)
    shape.update(np.array([3.0, nan]), STEP, clamp=False)
    assert shape.update(np.array([1.5, 1.0]), STEP)[0] == pytest.approx(1.1)
    assert shape.update(np.array([1.5, 1.0]), STEP)[0] == pytest.approx(1.15)


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


def test_a_joint_without_effort_is_told_what_to_do() -> None:
    shape = shaper(limit=0.0)
    shape.update(np.array([-3.0, 0.0]), 0.0)
    told = shape.describe_excess()
    assert "joint 'a' needs -3.000" in told
    assert "set the limit in the description" in told
    assert "name the joint in passive_joints" in told


def test_without_clamping_the_last_command_stays() -> None:
    shape = shaper(limit=2.0)
    shape.update(np.array([1.0, 1.0]), 0.0)
    assert list(shape.update(np.array([3.0, 0.0]), STEP, clamp=False)) == [1.0, 1.0]
    assert shape.exceeded
    assert list(shape.update(np.array([2.0, 0.0]), STEP, clamp=False)) == [2.0, 0.0]


@pytest.mark.parametrize("clamp", [True, False])
@pytest.mark.parametrize("bad", [nan, inf, -inf])
def test_no_effort_that_is_not_finite_is_commanded(bad: float, clamp: bool) -> None:
    for shape in (shaper(), shaper(limit=2.0)):
        shape.update(np.array([1.0, 1.0]), 0.0)
        assert list(shape.update(np.array([bad, 0.5]), STEP, clamp=clamp)) == [1.0, 1.0]
        assert f"joint 'a' needs {bad}" in shape.describe_excess()
        assert list(shape.update(np.array([0.5, 0.5]), STEP, clamp=clamp)) == [0.5, 0.5]


def test_commands_are_wanted_as_far_as_limits_and_rates_allow() -> None:
    """Thousands of efforts, all the same share of their way; joints have a rate's limit or none."""
    random = np.random.default_rng(1)
    shape = shaper(limit=2.0)
    for rate in (np.array([inf, 25.0]), 25.0, inf):
        shape.most_rate = rate
        for _ in range(1000):
            before, wanted = shape.command.copy(), random.normal(size=2)
            within = np.clip(wanted, -shape.limit, shape.limit)
            share = min(1.0, *(shape.most_rate * STEP / np.abs(within - before)))
            command = shape.update(wanted, STEP)
            expected = within if share == 1.0 else before + share * (within - before)
            assert np.array_equal(command, expected)
            assert shape.exceeded == (abs(wanted[0]) > 2.0)


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
