# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The states of a floating base and of planar and spherical joints."""

from typing import Any, ClassVar

from nav_msgs.msg import Odometry
from sensor_msgs.msg import MultiDOFJointState

import dyn_core
from dyn_core.joints import FreeFlyer
from dyn_core.readers.urdf import ROOT_JOINT_NAME
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.robot_state import RobotState, StateHost
from dyn_ros.inputs.topic_input import TopicInput
from dyn_ros.messages.free_joint import FreeJoint, Reading, read_multi_dof, read_odometry
from dyn_ros.messages.geometry import WORLD
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.report import Report

ODOMETRY, MULTI_DOF = "odom", "multi_dof_joint_states"


class FreeJointInput(TopicInput):
    """nav_msgs/Odometry for the base, sensor_msgs/MultiDOFJointState for any such joint, by name.

    When a joint state comes, the newest pose is moved on by its twist to the joint state's stamp.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "odom": "pose of a floating base in the world, and its twist in its own axes",
        "multi_dof_joint_states": "poses and twists of floating, planar, spherical joints",
    }
    node: StateHost

    def __init__(self, node: StateHost) -> None:
        """Belong to a node that calls `complete`."""
        super().__init__(node)
        self._joints: list[FreeJoint] = []
        self.base: FreeJoint | None = None
        self._model: dyn_core.Model
        self.world_frame = WORLD  # in which the base moves, by its newest odometry
        self._taken: dict[str, float] = {}  # s, when a joint's last valid reading came

    def install(self, model: dyn_core.Model) -> None:
        """Look for the free joints of a model."""
        self._model = model
        self._joints = self.node.state.free
        names = [joint.name for joint in self._joints]
        is_free = ROOT_JOINT_NAME in names and type(model.joints[1]) is FreeFlyer
        self.base = self._joints[names.index(ROOT_JOINT_NAME)] if is_free else None
        self._taken.clear()
        if self.node.configured:  # with another description
            self.close()
            self.open()

    def open(self) -> None:
        """Subscribe to what brings the free joints' states."""
        if self.base is not None:
            self.listen(Odometry, ODOMETRY, self._take_odometry)
        if self._joints:
            self.listen(MultiDOFJointState, MULTI_DOF, self._take_multi_dof)

    def start(self) -> None:
        """Know of no pose."""
        super().start()
        self._taken.clear()

    def complete(self, state: RobotState) -> None:
        """Add the free joints to a state. Raises InputRefusedError if one is not known."""
        for joint in self._joints:
            seconds = self._seconds_since(joint, state.nanoseconds)
            state.reference[joint.in_q] = joint.q
            state.velocity[joint.in_v] = joint.v
            state.position[joint.in_v] = seconds * joint.v

    def report(self, report: Report) -> None:
        """Report joints without a reading."""
        super().report(report)
        unknown = [joint.name for joint in self._joints if joint.name not in self._taken]
        if unknown and self.node.active:
            report.warn(f"no pose of joint '{unknown[0]}' has come on {self._topics()}")

    def _seconds_since(self, joint: FreeJoint, now: int) -> float:
        """Return the time from a joint's stamp to `now`, ns; 0 if one of them has none."""
        timeout = self.values[JointStateSettings].joint_state_timeout
        age = self.clock.now() - self._taken.get(joint.name, -float("inf"))
        seconds = (now - joint.stamp) / NANOSECONDS if now and joint.stamp else 0.0
        if age > timeout:
            since = f"for {timeout:g} s" if joint.name in self._taken else "yet"
            raise InputRefusedError(
                "free joint stale",
                f"no pose of joint '{joint.name}' on {self._topics()} {since}: is its estimator "
                "running?",
            )
        if abs(seconds) > timeout:
            raise InputRefusedError(
                "free joint stale",
                f"the stamps of joint '{joint.name}' and of joint_states are {seconds:.3f} s apart "
                f"(joint_state_timeout {timeout:g} s): compare the clocks of their publishers",
            )
        return seconds

    def _topics(self) -> str:
        topics = [ODOMETRY] * (self.base is not None) + [MULTI_DOF]
        return " or ".join(map(self.node.resolve_topic_name, topics))

    def _take_odometry(self, message: Any) -> None:
        assert self.base is not None
        self._take([read_odometry(message, self._model, self.base)])
        self.world_frame = message.header.frame_id or WORLD

    def _take_multi_dof(self, message: Any) -> None:
        self._take(read_multi_dof(message, self._joints, self.node.needs_velocity))

    def _take(self, readings: list[Reading]) -> None:
        repeated = self.values[JointStateSettings].stamps == "ignored"
        for joint, placement, motion, stamp in readings:
            joint.take(placement, motion, stamp, repeated)
            self._taken[joint.name] = self.clock.now()
