# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The state of a floating base."""

from math import acos
from typing import ClassVar

import numpy as np
from nav_msgs.msg import Odometry

import dyn_core
from dyn_ros.inputs.gravity_input import MAX_TURN
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.robot_state import RobotState, StateHost
from dyn_ros.inputs.topic_input import TopicInput
from dyn_ros.messages.free_joint import FreeJoint, read_odometry
from dyn_ros.messages.geometry import WORLD
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.report import Report

ODOMETRY = "odom"


class FreeJointInput(TopicInput):
    """nav_msgs/Odometry for the base.

    When a joint state comes, the newest pose is moved on by its twist to the joint state's stamp.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        ODOMETRY: "pose of a floating base in the world, and its twist in its own axes",
    }
    node: StateHost

    def __init__(self, node: StateHost) -> None:
        """Belong to a node that calls `complete`."""
        super().__init__(node)
        self.base: FreeJoint | None = None
        self._model: dyn_core.Model
        self.world_frame = WORLD  # in which the base moves, by its newest odometry

    def install(self, model: dyn_core.Model) -> None:
        """Look for the floating base of a model; the same base is still where it was."""
        self._model, before, state = model, self.base, self.node.state
        self.base = base = next(iter(state.free), None)
        if before is None or base is None or before.name != base.name:
            self._came.clear()
        elif ODOMETRY in self._came:
            state.free[0] = self.base = before
            state.reference[before.in_q] = before.q
        if self.node.configured:  # with another description
            self.close()
            self.open()

    def open(self) -> None:
        """Subscribe to what brings the state of a floating base."""
        if self.base is not None:
            self.listen(Odometry, ODOMETRY, self._take)

    def complete(self, state: RobotState) -> None:
        """Add the base to a state that has one. Raises InputRefusedError if it is not known."""
        base = state.free[0]
        seconds = self._seconds_since(base, state.nanoseconds)
        state.reference[base.in_q] = base.q
        state.velocity[base.in_v] = base.v
        state.position[base.in_v] = seconds * base.v

    def report(self, report: Report) -> None:
        """Report a base without a reading."""
        super().report(report)
        if self.base is not None and ODOMETRY not in self._came and self.node.active:
            report.warn(f"no pose of joint '{self.base.name}' has come on {self._topic}")

    def _seconds_since(self, base: FreeJoint, now: int) -> float:
        """Return the time from the base's stamp to `now`, ns; 0 if one of them has none."""
        timeout = self.values[JointStateSettings].joint_state_timeout
        seconds = (now - base.stamp) / NANOSECONDS if now and base.stamp else 0.0
        if self.age(ODOMETRY) > timeout:
            since = f"for {timeout:g} s" if ODOMETRY in self._came else "yet"
            raise InputRefusedError(
                "free joint stale",
                f"no pose of joint '{base.name}' on {self._topic} {since}: is its estimator "
                "running?",
            )
        if abs(seconds) > timeout:
            raise InputRefusedError(
                "free joint stale",
                f"the stamps of joint '{base.name}' and of joint_states are {seconds:.3f} s apart "
                f"(joint_state_timeout {timeout:g} s): compare the clocks of their publishers",
            )
        return seconds

    @property
    def _topic(self) -> str:
        return self.node.resolve_topic_name(ODOMETRY)

    def _take(self, message: Odometry) -> None:
        assert self.base is not None
        repeated = self.values[JointStateSettings].stamps == "ignored"
        placement, motion, stamp = read_odometry(message, self._model, self.base)
        before, (now, _) = self.base.q, self.base.coordinates(placement, motion)
        angle = 2.0 * acos(min(abs(float(np.dot(now[3:], before[3:]))), 1.0))
        commands = self.node.part(JointStateInput).reader.commanded and ODOMETRY in self._came
        if commands and angle > MAX_TURN:
            raise InputRefusedError(
                "implausible turn",
                f"joint '{self.base.name}' turned by {angle:.2g} rad at once, more than "
                f"{MAX_TURN:g}: check its estimator; if the robot was turned, activate the node "
                "again",
            )
        self.base.take(placement, motion, stamp, repeated)
        self.world_frame = message.header.frame_id or WORLD
