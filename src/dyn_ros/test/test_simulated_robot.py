# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The mechanics of the simulated robot: free fall, energy, friction, stops at the limits."""

from __future__ import annotations

import numpy as np
import pytest
from ros_helpers import UR5, arm

import dyn_core
from dyn_ros.kernels.robot import load_model
from dyn_ros.simulator.simulated_robot import (
    SimulatedRobot,
)
from dyn_ros.simulator.start import start_position

STEP = 0.001
FREE = 'lower="-3" upper="3"'
SLACK = 'lower="-99" upper="99"'
WEIGHTLESS = (0.0, 0.0, 0.0)


def robot(
    description: str, start: str = "", **changes: tuple[float, float, float]
) -> SimulatedRobot:
    model = load_model(description, massless=True)
    if "gravity" in changes:
        model = model.with_gravity(changes["gravity"])
    return SimulatedRobot(model, STEP, start_position(model, start))


def run(robot: SimulatedRobot, seconds: float, effort: object = None) -> None:
    """Let time pass."""
    effort = np.zeros(robot.model.nv) if effort is None else np.asarray(effort, dtype=float)
    for _ in range(round(seconds / STEP)):
        robot.step(effort)


def with_losses(losses: str, description: str = "") -> str:
    return (description or arm()).replace("<limit", f"<dynamics {losses}/><limit")


def kinetic_energy(robot: SimulatedRobot) -> float:
    mass = dyn_core.crba(robot.model, robot.model.create_data(), robot.q)
    return float(0.5 * robot.velocity @ mass @ robot.velocity)


def test_acceleration_vs_forward_dynamics() -> None:
    """A step adds dt aba(q, v, tau) to v, with q in its middle and the mean of both v.

    There are no friction and no limits.
    """
    ur5 = robot(UR5.read_text(), "elbow_joint=1.2")
    ur5.velocity[:] = np.linspace(-1.0, 1.0, 6)
    before, tau = ur5.velocity.copy(), np.linspace(5.0, -5.0, 6)
    middle = dyn_core.integrate(ur5.model, ur5.q, 0.5 * STEP * before)
    ur5.step(tau)
    mean = 0.5 * (before + ur5.velocity)
    expected = dyn_core.aba(ur5.model, ur5.model.create_data(), middle, mean, tau)
    assert (ur5.velocity - before) / STEP == pytest.approx(expected, rel=1e-4)


# Friction ----------------------------------------------------------------------------------------


def spinning(losses: str) -> tuple[SimulatedRobot, float]:
    """Return an arm of one joint that turns at 1 rad/s without gravity, and its inertia."""
    one_joint = arm(type="fixed").replace(FREE, SLACK)
    result = robot(with_losses(losses, one_joint), gravity=WEIGHTLESS)
    result.velocity[:] = 1.0
    return result, 2.0 * kinetic_energy(result)


def test_steps_obey_the_equation_of_motion_with_the_friction_of_the_new_speed() -> None:
    """I (v' - v) / dt + d v' + f sign(v') = tau; where the joint turns around, it may rest."""
    turning, inertia = spinning('damping="1" friction="2"')
    turning.velocity[:] = 0.1
    rested = 0
    for _ in range(200):
        before = turning.velocity[0]
        turning.step(np.array([-3.0]))
        after = turning.velocity[0]
        left = -3.0 - inertia * (after - before) / STEP - after
        if after == 0.0:
            rested += 1
            assert abs(left) <= 2.0
        else:
            assert left == pytest.approx(2.0 * np.sign(after), abs=1e-9)
    assert turning.velocity[0] < -0.05
    assert rested <= 1


@pytest.mark.parametrize("losses", ['damping="1e6"', 'friction="1e4"', 'damping="700"'])
def test_friction_takes_energy_out_however_stiff_it_is(losses: str) -> None:
    """Also against motors that help to hold the arm."""
    stiff = robot(with_losses(losses))
    for _ in range(1000):
        stiff.step(np.array([-15.0, -3.0]))
        assert abs(stiff.velocity).max() < 0.05


# Stops -------------------------------------------------------------------------------------------


def test_a_mimic_joint_does_not_limit_the_joint_that_it_follows() -> None:
    """The range of a follower is one of its own position, not of its primary's."""
    first, second = arm().split('<joint name="second"')
    follower = second.replace("<limit", '<mimic joint="first"/><limit').replace('"3"', '"0.01"')
    description = f'{first}<joint name="second"{follower}'
    falling = robot(description)
    assert falling.model.dof_names == ("first",)
    run(falling, 2.0)
    assert abs(falling.position[0]) > 0.5


# What cannot be simulated ------------------------------------------------------------------------

MASSLESS = arm().replace('<mass value="1"/>', '<mass value="0"/>').replace("0.1", "0")
POINT_MASSES = arm().replace('"0.1"', '"0"').replace('<origin xyz="0.5 0 0"/>', "")


def test_a_joint_that_moves_no_mass_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"joint 'first', 'second' .* massless_armature"):
        robot(MASSLESS)
    with pytest.raises(ValueError, match="joint 'second' can move without moving any mass"):
        robot(POINT_MASSES)
