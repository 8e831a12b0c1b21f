# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Feedback where some joints' states come more slowly than others, late, or are repeated."""

from __future__ import annotations

import numpy as np
import pytest
from called import Called
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from test_computed_torque_law import Bench
from test_plant import plant

from dyn_ros.outputs.feedback import VelocityCheck


def test_the_rate_is_that_of_the_slowest_joint() -> None:
    """A torso at 12.5 Hz beside an arm at 250 Hz fell at 60 rad/s: its states were not counted."""
    bench = Bench(natural_frequency=20.0)
    bench.slower = 20
    assert "needs joint states at 77 Hz, they come at 1" in bench.states(250.0, 2.0)
    assert not bench.commands


def test_joints_that_move_and_are_read_slowly_lower_the_gains() -> None:
    """Messages at 250 Hz that repeated half of an arm for 50 ms let it fall at 55 rad/s."""
    bench = Bench(natural_frequency=20.0)
    assert bench.states(250.0, 1.0) == ""
    state = bench.node.state
    state.velocity = bench.reader.velocity = np.array([0.0, 2.0])
    for k in range(50):
        state.position = np.array([0.0, 2.0 * (0.004 * k - 0.004 * (k % 12))])
        assert bench.states(250.0, 0.004) == ""
        state.velocity = bench.reader.velocity
    bench.desired[0][:] = state.position + 0.01
    bench.desired[1][:] = state.velocity
    assert np.sqrt(bench.part.inputs()[0][0] / 0.01) < 12.0  # of 20 rad/s


def test_the_delay_of_the_latest_joint_lowers_the_gains() -> None:
    """A publisher of half an arm was 60 ms late, and the other one on time: 97 rad/s."""
    bench = Bench(natural_frequency=20.0)
    for k in range(600):  # what comes last, and is in time, completes the state
        bench.time += 0.002
        bench.reader.age = 0.06 if k % 2 else 0.0
        bench.reader.came[k % 2] = bench.time
        bench.reader.stamps[k % 2] = 1e9 * (7.0 + bench.time - bench.reader.age)
        bench.part.inputs()
    bench.desired[0][:] = 0.01
    assert np.sqrt(bench.part.inputs()[0][0] / 0.01) < 7.0


@pytest.mark.parametrize("repeated", ["", "positions", "all"])
def test_joints_whose_states_come_more_slowly_keep_their_velocities(repeated: str) -> None:
    """Half of an arm at 62 Hz, beside 500 Hz, was driven at 83 rad/s: it seemed to stand still."""
    check = VelocityCheck(np.array([3.0, 3.0]), [])
    for k in range(500):
        now = 0.002 * np.array([k, k - k % 8])
        velocity, position = np.sin(5.0 * now), -0.2 * np.cos(5.0 * now)
        times = 0.002 * np.array([k, k if repeated else k - k % 8])
        if repeated == "positions":
            velocity[1] = velocity[0]
        shown = check.checked_velocity(velocity, position, times)
        assert list(shown) == list(velocity)
        assert check.wrong is None


@pytest.mark.parametrize("rate", [20.0, 50.0, 100.0])
def test_an_encoder_between_two_counts_contradicts_no_velocity(rate: float) -> None:
    """Each change of 1.5 mrad seemed to be a motion without a velocity: no commands at rest."""
    check = VelocityCheck(np.array([0.4, 0.4]), [])
    for k in range(1000):
        time = 0.002 * k
        count = float(np.sin(2.0 * np.pi * rate * (time + 1e-3)) > 0.0)
        shown = check.checked_velocity(
            np.zeros(2), np.array([0.1, 1.5e-3 * count]), np.full(2, time)
        )
        assert check.wrong is None
        assert not shown.any()


def test_a_timeout_shorter_than_the_age_of_joint_states_is_refused(called: Called) -> None:
    """All of them would be too old: arms at rest fell after a second."""
    arm = plant(called, "ur5")
    held: list[JointState] = []

    def late(state: JointState) -> JointState | None:
        held.append(state)
        return held.pop(0) if len(held) > 5 else None  # 20 ms

    arm.fault = late
    arm.run(0.5)
    shorter = Parameter("joint_state_timeout", value=0.015)
    assert "is 0.024 s old" in arm.node.set_parameters([shorter])[0].reason
    assert arm.run(1.0).max() < 0.01
