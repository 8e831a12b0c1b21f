# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Simulated time: a paused simulator, whose arm is held when it resumes; no clock at all."""

from __future__ import annotations

from functools import partial
from math import nan
from typing import Any

import numpy as np
import pytest
from bench import DIRECT, HORIZONTAL, NAMES, StateBench
from called import Called
from diagnostic_msgs.msg import DiagnosticArray
from ros_helpers import Ros, arm, clock, until
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool

from dyn_ros.messages.stamp import time_message
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.inverse_dynamics import InverseDynamicsNode
from dyn_ros.nodes.robot_sim import RobotSim

SHORT = {"hold.duration": 0.1, "damp.duration": 0.3}  # s after which nothing would hold the arm
PAUSE = 1.2  # s


def test_the_arm_of_a_simulator_that_was_paused_stays_where_it_is(called: Called) -> None:
    """robot_sim repeats its state meanwhile, with the stamp of the time that stands still."""
    common = {"robot_description": arm(), "autostart": True, "use_sim_time": True}
    called.create(RobotSim, **common, command_timeout=0.0)
    remap = ["--ros-args", "-r", "~/commands:=/robot_sim/commands"]
    node = called.create(
        partial(GravityCompensation, cli_args=remap), **common, **SHORT, **{"ramp.duration": 0.2}
    )
    states = called.collect(JointState, "joint_states", 100)
    until(lambda: len(states) > 600)
    begin = np.array(states[-1].position)
    for paused in (True, False):
        assert called.call(SetBool, "robot_sim/pause", data=paused).success
        clock().sleep(PAUSE)
    assert node.active
    assert np.abs(np.array(states[-1].position) - begin).max() < 0.01


FAULTS = {
    "the driver ends": {"joints": 0},
    "the driver of a joint ends": {"joints": 1},
    "an encoder says nan": {"first": nan},
    "/clock ends": {"tick": False},
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_states_that_stop_with_the_time_are_not_late(called: Called, fault: dict[str, Any]) -> None:
    """As of a simulator that publishes nothing while it is paused.

    While time advances by /clock, or by the stamps of states, the end of good ones is noticed.
    """
    bench = StateBench(
        called,
        GravityCompensation,
        {"commands": Float64MultiArray},
        robot_description=arm(),
        use_sim_time=True,
        **{**DIRECT, **SHORT, "joint_state_timeout": 0.1, "stamps": "required"},
    )
    ticks, now = called.tester.create_publisher(Clock, "/clock", 10), 5_000_000_000

    def advance(steps: int, *, joints: int = 2, first: float = 0.0, tick: bool = True) -> None:
        nonlocal now
        for _ in range(steps):
            now += 10_000_000
            if tick:
                ticks.publish(Clock(clock=time_message(now)))
            if joints:
                message = JointState(name=NAMES[:joints], position=[first, 0.0][:joints])
                message.header.stamp = time_message(now)
                bench._states.publish(message)
            clock().sleep(0.01)

    until(lambda: advance(1) or bench.received["commands"])
    advance(100)
    until(lambda: list(bench.received["commands"][-1].data) == HORIZONTAL)
    clock().sleep(PAUSE)
    advance(1)
    assert not any("no usable joint state" in line for line in bench.logged())
    assert list(bench.received["commands"][-1].data) == HORIZONTAL
    advance(60, **fault)
    until(lambda: any("no usable joint state" in line for line in bench.logged()))
    until(lambda: not any(bench.received["commands"][-1].data))


MISSING = "nothing has come on /clock"


def messages(reports: list[DiagnosticArray]) -> str:
    return "\n".join(status.message for report in reports for status in report.status)


@pytest.mark.wiring("GravityCompensation")
@pytest.mark.parametrize("kind", [GravityCompensation, InverseDynamicsNode, RobotSim])
def test_missing_simulated_time_is_reported(ros: Ros, kind: Any) -> None:
    """robot_sim publishes /clock, unless another node does."""
    own = {"real_time_factor": 0.0} if kind is RobotSim else {}
    reports = ros.collect(DiagnosticArray, "/diagnostics")
    node = ros.create(kind, use_sim_time=True, autostart=True, robot_description=arm(), **own)
    ros.start()
    until(lambda: node.active and MISSING in messages(reports), 30.0)
    clock = ros.tester.create_publisher(Clock, "/clock", 10)
    tick = Clock()
    tick.clock.sec = 5

    def heard() -> bool:
        clock.publish(tick)
        return node.get_clock().now().nanoseconds > 0

    until(heard)
    reports.clear()
    node.diagnose()
    until(lambda: reports)
    assert MISSING not in messages(reports)


def test_the_time_of_the_wall_is_always_there(called: Called) -> None:
    reports = called.collect(DiagnosticArray, "/diagnostics")
    node = called.create(GravityCompensation, autostart=True, robot_description=arm())
    until(lambda: node.active and reports)
    assert MISSING not in messages(reports)
