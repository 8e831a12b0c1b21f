# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The simulator as a node: rate, time, pushes, pause and reset, what it says when it is late."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from called import Called
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import Log
from ros_helpers import Ros, arm, clock, reported, until, values_of
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage

from dyn_ros.clock import ManualClock
from dyn_ros.messages.stamp import nanoseconds
from dyn_ros.nodes.robot_sim import RobotSim
from dyn_ros.simulator import Simulation

STEP = 1_000_000  # ns
INERTIA = (
    '<inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    "</inertial>"
)


class Simulator:
    """robot_sim with `arm`, and what it publishes."""

    def __init__(self, ros: Ros | Called, description: str = "", **parameters: Any) -> None:
        self.ros = ros
        parameters = {"robot_description": description or arm(), "autostart": True, **parameters}
        self.states = ros.collect(JointState, "joint_states", 5000)
        self.reports = ros.collect(DiagnosticArray, "/diagnostics")
        self.node = ros.create(RobotSim, **parameters)
        ros.start()

    def status(self, words: str) -> DiagnosticStatus:
        """Wait until diagnostics say something."""
        return reported(self.reports, words)

    def next_state(self) -> JointState:
        """Return one that comes after now."""
        count = len(self.states)
        until(lambda: len(self.states) > count + 1)
        return self.states[-1]


def stamp(message: JointState) -> int:
    return nanoseconds(message.header.stamp)


def test_one_state_per_step_with_the_time_of_the_step(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stamps are whole steps apart, late ones too; a missing one is reported as lost."""
    late_by = itertools.cycle([0.0, 0.0002, 0.003, 0.0, 0.05])  # s, of a computer that is busy
    advance = Simulation.advance

    def slow(simulation: Simulation) -> Any:
        ManualClock.sleep(called.clock, next(late_by))
        return advance(simulation)

    monkeypatch.setattr(Simulation, "advance", slow)
    simulator = Simulator(called)
    until(lambda: len(simulator.states) > 1000)
    apart = np.diff([stamp(message) for message in list(simulator.states)]) / STEP
    whole = np.round(apart)
    assert whole.min() >= 1.0
    assert np.abs(apart - whole).max() < 0.05
    assert np.sum(whole - 1.0) <= simulator.node._pace.lost


def test_lost_steps_raise_the_level(ros: Ros, monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer that needs longer than a step for it says so, with the share of real time."""
    advance = Simulation.advance

    def slow(simulation: Simulation) -> Any:
        clock().sleep(0.005)
        return advance(simulation)

    monkeypatch.setattr(Simulation, "advance", slow)
    status = Simulator(ros).status("steps skipped")
    assert status.level == DiagnosticStatus.ERROR
    assert float(values_of(status)["real_time_factor"]) < 0.5
    assert int(values_of(status)["steps_lost"]) > 100


@pytest.mark.wiring
def test_pause_and_reset(ros: Ros) -> None:
    simulator = Simulator(ros, brake_release_time=-1.0)
    until(lambda: simulator.next_state().position[0] > 0.05)
    assert ros.call(SetBool, "robot_sim/pause", data=True).success
    until(lambda: simulator.next_state().position == simulator.next_state().position)
    frozen = list(simulator.next_state().position)
    for _ in range(10):
        later = simulator.next_state()
        assert list(later.position) == frozen
    assert stamp(later) > 0
    simulator.status("paused: time and the robot stand still")
    assert ros.call(Trigger, "robot_sim/reset").success
    until(lambda: list(simulator.next_state().position) == [0.0, 0.0])
    assert ros.call(SetBool, "robot_sim/pause", data=False).success
    until(lambda: simulator.next_state().position[0] > 0.05)


def test_clock(called: Called) -> None:
    """With use_sim_time it makes the time: states have it, and /clock has it."""
    ticks = called.collect(Clock, "/clock")
    simulator = Simulator(called, use_sim_time=True, real_time_factor=2.0)
    until(lambda: len(ticks) > 20)
    times = [nanoseconds(tick.clock) for tick in list(ticks)]
    gaps = np.diff(times[1:20])  # of those that are caught up with, the oldest are lost
    assert min(gaps) == 10 * STEP
    assert not any(gaps % (10 * STEP))
    first, last = simulator.states[0], simulator.states[-1]
    assert stamp(last) - stamp(first) == STEP * (len(simulator.states) - 1)
    assert stamp(first) < 5_000_000_000  # simulated time begins with the simulation


def test_compilation_is_announced(called: Called) -> None:
    log = called.collect(Log, "/rosout")
    Simulator(called)
    until(lambda: any("compiling functions" in entry.msg for entry in log))


def test_motors_without_commands_are_reported(called: Called) -> None:
    falling = Simulator(called, command_timeout=0.5, brake_release_time=-1.0)
    falling.status("no command for 0.5 s: motor efforts are zero")


def test_real_time_factor_without_simulated_time_is_refused(called: Called) -> None:
    status = Simulator(called, real_time_factor=0.5).status("real_time_factor is 0.5")
    assert status.level == DiagnosticStatus.ERROR
    assert "set use_sim_time to true" in status.message


def test_a_floating_base_is_published_with_each_state(called: Called) -> None:
    """On the ground, in the frame odom, at the time of the joint state; TF has it too."""
    box = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
    odometry = called.collect(Odometry, "odom", 5000)
    transforms = called.collect(TFMessage, "/tf")
    based = arm().replace('<link name="base"/>', f'<link name="base">{INERTIA}{box}</link>')
    simulator = Simulator(called, based, floating_base=True)
    until(lambda: len(odometry) > 100 and len(simulator.states) > 100, 60.0)  # it compiles
    stamps = {stamp(message) for message in list(simulator.states)}
    assert stamps & {stamp(message) for message in list(odometry)}
    ((base,),) = (x.transforms for x in transforms[:1])
    same = next(x for x in odometry if x.header.stamp == base.header.stamp)
    assert (base.header.frame_id, base.child_frame_id) == ("odom", "base")
    assert base.transform.translation.z == same.pose.pose.position.z
    assert base.transform.rotation == same.pose.pose.orientation
    last = odometry[-1]
    assert (last.header.frame_id, last.child_frame_id) == ("odom", "base")
    assert last.pose.pose.position.z == pytest.approx(0.1, abs=1e-3)
    assert last.pose.pose.orientation.w == 1.0
    assert list(simulator.states[-1].name) == ["first", "second"]
