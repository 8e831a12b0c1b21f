# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""identification: an arm that is not what its description says plays a motion and is identified."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench import DIRECT, NAMES
from called import Called
from ros_helpers import Ros, arm, clock, joint_state, until
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header, String
from std_srvs.srv import Trigger
from trajectory_controller import Controller
from trajectory_msgs.msg import JointTrajectory

from dyn_core import Model
from dyn_ros.inputs.robot_position import MAX_STATE_AGE_S
from dyn_ros.messages.stamp import time_message
from dyn_ros.node.description import description_qos
from dyn_ros.nodes import identification
from dyn_ros.nodes.computed_torque import ComputedTorqueNode
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.identification import (
    IdentificationNode,
    Stage,
    planned,
)
from dyn_ros.nodes.robot_sim import RobotSim
from dyn_ros.outputs.effort_commands import EffortCommands
from dyn_ros.tracking import motion

MASS = 1.3  # kg, of the upper link; its description says 1


def relay(ros: Ros, kind: Any, source: str, destination: str) -> None:
    """Hand messages on, as a remapping does."""
    publisher = ros.tester.create_publisher(kind, destination, 10)
    ros.tester.create_subscription(kind, source, publisher.publish, 10)


def felt(model: Model) -> float:
    """A base parameter: the upper link's first moment, and the mass 1 m from the hinge."""
    return float(model.inertias[1].first_moment.x + model.inertias[2].mass)


@pytest.mark.usefixtures("enough_states")  # nothing holds the arm before
def test_parameters_of_a_simulated_arm_are_found(
    ros: Ros, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identification, "PERIOD_S", 3.0)
    monkeypatch.setattr(motion, "APPROACH_SPEED", 2.0)
    settings = {"output": str(tmp_path), "duration": 6.0, "limits.motion_scale": 0.9}
    slowly = {"autostart": True, "use_sim_time": True}  # late commands would be a model error
    patient = {**slowly, "joint_state_timeout": 5.0}
    sim = ros.create(
        RobotSim,
        robot_description=arm(mass=MASS),
        brake_release_time=-1.0,
        command_timeout=5.0,
        **slowly,
    )
    control = {
        **DIRECT,
        "command_subscriber": "tester",
        "natural_frequency": 10.0,
        "max_tracking_error": 0.0,
    }
    torque = ros.create(ComputedTorqueNode, robot_description=arm(), **control, **patient)
    node = ros.create(IdentificationNode, robot_description=arm(), **slowly, **settings)
    relay(ros, Float64MultiArray, "computed_torque/commands", "robot_sim/commands")
    topic = "joint_trajectory"
    relay(ros, JointTrajectory, f"identification/{topic}", f"computed_torque/{topic}")
    result = ros.collect(String, "/identification/result")
    ros.start()
    until(lambda: sim.active and torque.active and node.active, 60.0)
    until(lambda: node._position._unread and torque.part(EffortCommands).follows)
    until(lambda: ros.call(Trigger, "/identification/start").success)  # the arm has come to rest
    again = ros.call(Trigger, "/identification/start")
    assert not again.success
    assert "still" in again.message
    answer = json.loads(until(lambda: result, 60.0)[0].data)
    assert answer["samples"] > 10  # fewer than 50, as the clock of a busy machine has gaps
    found = Model.from_urdf(answer["files"]["urdf"])
    assert felt(found) == pytest.approx(felt(Model.from_urdf(arm(mass=MASS))), rel=0.03)
    assert felt(found) != pytest.approx(felt(Model.from_urdf(arm())), rel=0.06)
    assert Path(answer["files"]["recording"]).exists()


@pytest.mark.wiring
def test_starting_without_what_is_needed_is_refused_in_words(ros: Ros, tmp_path: Path) -> None:
    node = ros.create(IdentificationNode, robot_description=arm(), autostart=True)
    ros.start()
    until(lambda: node.active, 60.0)
    answer = ros.call(Trigger, "/identification/start")
    assert not answer.success
    assert "parameter output" in answer.message


PLAN: dict[str, Any] = {"duration": 3.0, "limits.motion_scale": 0.5}


class Still:
    """The node, before a robot whose driver says again and again where it stands."""

    def __init__(self, called: Called, output: Path, description: str = arm()) -> None:
        self.called, self.fields = called, {"name": NAMES, "position": [0.0, 0.0]}
        self.spoil: Callable[[dict[str, Any]], Any] = lambda fields: None
        self.node = called.create(IdentificationNode, autostart=True, output=str(output), **PLAN)
        self.trajectories = called.collect(JointTrajectory, "/identification/joint_trajectory")
        create = called.tester.create_publisher
        self.descriptions = create(String, "robot_description", description_qos())
        states = create(JointState, "joint_states", 10)
        self.driver = called.tester.create_timer(
            0.05, lambda: states.publish(JointState(**self.fields))
        )
        self.descriptions.publish(String(data=description))
        until(lambda: self.node.active and self.known("second"))

    def known(self, joint: str) -> Any:
        """When a joint's last state came that the node could use; None: never."""
        self.node._position.read()
        came = self.node._position.reader.came[self.fields["name"].index(joint)]
        return came if came > -inf else None

    def follow(self, speed: float = 1.0) -> Controller:
        """Let a controller move it, whose time has a speed; `spoil` is its driver's mistake."""
        controller, begun = Controller(NAMES, np.zeros(2)), clock().now()

        def move() -> None:
            now = begun + speed * (clock().now() - begun)
            while self.trajectories:
                controller.receive(self.trajectories.pop(0), now)
            stamp = time_message(clock().nanoseconds())
            position = controller.state(now)[0].tolist()
            self.fields |= {"position": position, "header": Header(stamp=stamp)}
            self.spoil(self.fields)

        self.called.tester.create_timer(0.01, move)
        return controller

    def ask(self, service: str = "start") -> Any:
        return self.called.call(Trigger, f"/identification/{service}")


def test_a_motion_begins_only_where_the_robot_is_known_to_be(
    called: Called, tmp_path: Path
) -> None:
    still = Still(called, tmp_path)
    still.driver.cancel()
    last = still.known("first")
    until(lambda: clock().now() > last + MAX_STATE_AGE_S)
    assert "is the robot driver running" in still.ask().message
    still.fields["position"] = [0.0, nan]
    still.driver.reset()
    until(lambda: "position of joint 'second' is nan" in still.ask().message)


def test_noise_of_positions_is_no_motion(called: Called, tmp_path: Path) -> None:
    """1 mrad of it: no motion began at all."""
    still, random = Still(called, tmp_path), np.random.default_rng(2)

    def shake() -> None:
        still.fields["position"] = [0.001 * x for x in random.standard_normal(2)]

    called.tester.create_timer(0.005, shake)
    clock().sleep(1.0)
    assert still.ask().success


@pytest.mark.parametrize("begins", [-0.5, 0.1])
def test_a_motion_begins_only_at_rest(
    called: Called, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begins: float
) -> None:
    """Another client moves the arm, from so many s after ~/start on, while a motion is planned.

    The approach is planned from rest: a joint_trajectory_controller swung beyond a limit.
    """
    slow = lambda *given: (clock().sleep(1.0), planned(*given))[1]  # noqa: E731
    monkeypatch.setattr(identification, "planned", slow)
    still = Still(called, tmp_path)
    begun = clock().now() + max(begins, 0.0)

    def move() -> None:
        still.fields["position"] = [0.0, 0.05 * max(clock().now() - begun, 0.0)]

    mover = called.tester.create_timer(0.01, move)
    clock().sleep(max(-begins, 0.0))
    answer = still.ask()
    until(lambda: still.node._stage is not Stage.PLANNING)
    assert answer.success == (begins > 0.0)
    why = still.node._detail or answer.message
    assert re.search(r"robot moves \(joint 'second' by 0.01.*: end other motions first", why)
    assert not still.trajectories
    mover.cancel()
    clock().sleep(0.3)
    assert still.ask().success
    until(lambda: still.trajectories)


def test_a_folder_that_cannot_be_written_is_reported_before_the_motion(
    called: Called, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    assert "nothing can be written" in Still(called, tmp_path / "file").ask().message


def test_a_motion_beyond_a_limit_is_not_played(called: Called, tmp_path: Path) -> None:
    """It is checked from where the robot is, between its points too."""
    still = Still(called, tmp_path)
    still.node.surroundings.inertial_parameters[2] *= 1e6
    assert still.ask().success
    until(lambda: still.node._stage is Stage.FAILED)
    assert "effort of joint" in still.node._detail
    assert "set limits.motion_scale lower" in still.node._detail
    assert not still.trajectories


@pytest.mark.parametrize("how", ["stop", "description", "silence", "slow"])
def test_the_end_of_the_motion_stops_its_controller(
    called: Called, tmp_path: Path, how: str
) -> None:
    """computed_torque brakes without points, also where it refuses the stop.

    joint_trajectory_controller rejects a trajectory without points. Slowed down, it continued after
    the node's end.
    """
    still = Still(called, tmp_path)
    controller = still.follow(0.7 if how == "slow" else 1.0)
    assert still.ask().success
    until(lambda: np.abs(controller.state(clock().now())[1]).max() > 0.1)
    if how == "stop":
        assert still.ask("stop").success
    elif how == "slow":
        until(lambda: "speed slider" in still.node._detail)
    elif how == "silence":  # the motion stops where the robot should be
        still.driver.cancel()
    else:
        still.descriptions.publish(String(data=arm(mass=2.0)))
    until(lambda: controller.accepted == 2)
    until(lambda: not controller.state(clock().now())[1].any())
    assert controller.rejected == 1
    assert still.node._stage is (Stage.FAILED if how in ("silence", "slow") else Stage.IDLE)


def test_a_robot_that_is_a_whole_period_late_is_stopped_too(
    called: Called, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the motion should have ended, it passes where it ends, and moves on."""
    monkeypatch.setattr(identification, "PERIOD_S", 0.5 * PLAN["duration"])
    still = Still(called, tmp_path)
    assert still.ask().success
    until(lambda: still.node._stage is Stage.PLAYING)
    begun = still.node._started
    late = still.node._begins + 0.5 * PLAN["duration"] - begun
    controller = still.follow(late / (still.node._ends - begun))
    until(lambda: "speed slider" in still.node._detail)
    until(lambda: controller.accepted == 2 and not controller.state(clock().now())[1].any())


@pytest.mark.parametrize("fault", ["stopped", "wrapped", "frozen stamp"])
def test_a_stop_needs_no_measured_velocity(called: Called, tmp_path: Path, fault: str) -> None:
    """It went back to an old position, or 1 rad on, at five times the motion's acceleration."""
    still = Still(called, tmp_path, arm(type="continuous"))
    controller = still.follow()
    assert still.ask().success
    until(lambda: np.abs(controller.state(clock().now())[1]).max() > 0.3)
    stamp = time_message(clock().nanoseconds())
    still.spoil = {
        "stopped": lambda _: still.driver.cancel(),
        "wrapped": lambda x: x["position"].__setitem__(1, x["position"][1] + 2.0 * np.pi),
        "frozen stamp": lambda x: x.update(header=Header(stamp=stamp)),
    }[fault]
    clock().sleep(0.4)
    before = controller.state(clock().now())
    assert still.ask("stop").success
    until(lambda: controller.accepted == 2)
    motion = np.array([controller.state(clock().now() + 0.01 * k) for k in range(170)])
    assert np.abs(motion[:, 2]).max() < 2.0 * still.node._deceleration.max()
    assert np.abs(motion[-1, 0] - before[0]).max() < 0.5 * np.abs(before[1]).max()


@pytest.mark.parametrize(
    ("others", "there"),
    [(["grip"], [0.0]), (["second"], [nan]), (["second"], [57.0]), (["second"] * 2, [0.0, 9.0])],
)
def test_a_motion_stops_where_one_joint_is_lost_while_others_come(
    called: Called, tmp_path: Path, others: list[str], there: list[float]
) -> None:
    """Lost, NaN, in degrees, or named twice; a stop does not move a robot that does not follow."""
    still = Still(called, tmp_path)
    assert still.ask().success
    until(lambda: still.node._stage is Stage.PLAYING and still.known("second"))
    clock().sleep(3.0)
    begun = clock().now()
    still.fields = {"name": ["first", *others], "position": [0.0, *there]}
    until(lambda: still.node._stage is Stage.FAILED)
    assert clock().now() - begun < MAX_STATE_AGE_S + 0.5
    assert "joint 'second'" in still.node._detail
    *_, stop = still.trajectories
    assert list(stop.points[-1].positions) == pytest.approx([0.0, 0.0], abs=1e-6)


@pytest.mark.wiring
def test_in_a_process_others_receive_for_it(ros: Ros, tmp_path: Path) -> None:
    """Nothing is read in the thread that answers services before it matters."""
    parameters = {"robot_description": arm(), "autostart": True}
    ros.share_topics()
    gravity = ros.create(GravityCompensation, **parameters)
    node = ros.create(IdentificationNode, output=str(tmp_path), **PLAN, **parameters)
    states = ros.tester.create_publisher(JointState, "joint_states", 10)
    ros.start()
    until(lambda: gravity.active and node.active, 60.0)

    def send() -> None:
        states.publish(joint_state(["first", "second"], position=[0.1, 0.2]))

    until(lambda: send() or len(node._position._unread) > 10)
    assert (node._position.reader.came == -inf).all()
    assert ros.tester.count_subscribers("joint_states") == 1
    begun = ros.call(Trigger, "/identification/start")
    assert begun.success, begun.message
    assert list(node._position.reader.position) == [0.1, 0.2]
