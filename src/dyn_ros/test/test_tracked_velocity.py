# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The computed-torque law believes measured velocities as far as positions show them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from test_gains import MODEL, Bench

from dyn_ros.outputs.computed_torque_law import MOST_TOLERANCE, VelocityCheck

MEASURED = lambda time, velocity: velocity  # noqa: E731


def motion(
    bench: Bench,
    told: Callable[[float, float], float],
    wanted: Callable[[float], tuple[float, float, float]],
    rate: float = 250.0,
) -> np.ndarray:
    """Return position, velocity and what is believed of it, [k, 3], of the first joint.

    It accelerates as the law says, one period later; `told` is its velocity by its sensor.
    """
    period, before = 1.0 / rate, 0.0
    state, way = bench.node.state, []
    state.position, velocity = np.array([wanted(0.0)[0], 0.0]), np.array([wanted(0.0)[1], 0.0])
    for k in range(round(1.5 * rate)):
        time = k * period
        state.nanoseconds = round(1e9 * (7.0 + time))
        state.reader.velocity = np.array([told(time, velocity[0]), 0.0])
        bench.desired = tuple(np.array([x, 0.0]) for x in wanted(time))
        acceleration = bench.part.inputs()[0][0]
        way.append((state.position[0], velocity[0], state.velocity[0]))
        state.position = state.position + period * velocity
        velocity = velocity + np.array([period * before, 0.0])
        before = acceleration
    return np.array(way)


@pytest.mark.parametrize("rate", [100.0, 250.0, 1000.0])
@pytest.mark.parametrize("false", [3.2, 8.0, -20.0])
@pytest.mark.parametrize(("lasts", "most"), [(0.004, 0.01), (0.1, 0.07), (1.0, 0.13)])
def test_a_false_velocity_of_an_arm_at_rest_moves_it_hardly(
    rate: float, false: float, lasts: float, most: float
) -> None:
    """An arm went 2 rad because its sensor said 8 rad/s for 0.1 s.

    If that lasts, the error is where stiffness balances 2 damping_ratio natural_frequency times
    the tolerance: 2 * 0.5 / 10 rad.
    """
    told = lambda t, v: false if 0.2 <= t < 0.2 + lasts else v  # noqa: E731
    way = motion(Bench(), told, lambda t: (0.3, 0.0, 0.0), rate)
    assert np.abs(way[:, 0] - 0.3).max() < most
    assert np.abs(way[:, 1]).max() < 0.7


@pytest.mark.parametrize("rate", [100.0, 250.0, 1000.0])
@pytest.mark.parametrize("frequency", [10.0, 25.0])
def test_true_velocities_of_fast_motion_are_believed(rate: float, frequency: float) -> None:
    """From rest with 10 rad/s^2 at once, and up to 1 rad/s."""
    sine = lambda t: (-0.1 * np.cos(10.0 * t), np.sin(10.0 * t), 10.0 * np.cos(10.0 * t))  # noqa: E731
    way = motion(Bench(natural_frequency=frequency), MEASURED, sine, rate)
    assert np.abs(way[:, 1]).max() > 0.9
    assert np.array_equal(way[:, 1], way[:, 2])


def test_no_velocity_is_believed_to_be_larger_than_measured_or_to_have_another_sign() -> None:
    """Positions that step do not add a velocity either."""
    random = np.random.default_rng(5)
    check = VelocityCheck(np.array([3.0, 0.0, np.inf, 1e-9]), [1])
    for k in range(1000):
        velocity, position = random.normal(size=(2, 4))
        shown = check.shown(velocity, position, 0.004 * k)
        assert (np.abs(shown) <= np.abs(velocity)).all()
        assert (shown * velocity >= 0.0).all()


def test_joints_without_a_limit_or_an_end_and_states_without_a_stamp_are_checked() -> None:
    check = VelocityCheck(np.array([0.0, 0.0]), [1])
    for k in range(200):  # the second joint turns, and its angle is wrapped
        time = 0.004 * k
        angle = (3.0 * time + np.pi) % (2.0 * np.pi) - np.pi
        shown = check.shown(np.array([9.0, 3.0]), np.array([0.1, angle]), time)
        assert k == 0 or k == 1 or list(shown) == [MOST_TOLERANCE, 3.0]
    bench = Bench()
    bench.node.state.reader.velocity = np.array([9.0, 0.0])
    assert bench.part.inputs()[0][0] == pytest.approx(-180.0)  # no position before
    assert MODEL.velocity_limit[0] > 0.0
