# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a node says that is to use simulated time and gets none."""

from __future__ import annotations

from typing import Any

import pytest
from called import Called
from diagnostic_msgs.msg import DiagnosticArray
from ros_helpers import Ros, arm, until
from rosgraph_msgs.msg import Clock

from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.inverse_dynamics import InverseDynamicsNode
from dyn_ros.nodes.robot_sim import RobotSim

MISSING = "nothing has come on /clock"


def messages(reports: list[DiagnosticArray]) -> str:
    return "\n".join(status.message for report in reports for status in report.status)


@pytest.mark.wiring("GravityCompensation")
@pytest.mark.parametrize("kind", [GravityCompensation, InverseDynamicsNode, RobotSim])
def test_simulated_time_that_does_not_come_is_told(ros: Ros, kind: Any) -> None:
    """robot_sim makes the time itself, unless it is told that somebody else does."""
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


@pytest.mark.wiring
def test_robot_sim_makes_its_own_time(ros: Ros) -> None:
    node = ros.create(RobotSim, use_sim_time=True, autostart=True, robot_description=arm())
    ros.start()
    until(lambda: node.active and node.get_clock().now().nanoseconds > 0)
    reports = ros.collect(DiagnosticArray, "/diagnostics")
    node.diagnose()
    until(lambda: reports)
    assert MISSING not in messages(reports)


def test_the_time_of_the_wall_is_always_there(called: Called) -> None:
    reports = called.collect(DiagnosticArray, "/diagnostics")
    node = called.create(GravityCompensation, autostart=True, robot_description=arm())
    called.start()
    until(lambda: node.active and reports)
    assert MISSING not in messages(reports)
