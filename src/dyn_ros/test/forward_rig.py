# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A forward_command_controller of a UR5, and a node that commands it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from called import Called
from controller_manager_msgs.msg import ControllerManagerActivity, NamedLifecycleState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from forward_controller_stand_in import ForwardControllerStandIn
from lifecycle_msgs.msg import State
from ros_helpers import UR5, Ros, reported, until

from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.outputs.competing_publishers import LATCHED

JOINTS = ["wrist_3", "elbow", "shoulder_lift", "wrist_1", "shoulder_pan", "wrist_2"]
CONTROLLED = [f"{name}_joint" for name in JOINTS]  # the controller's order is no one else's
POSITION = [0.4, 1.2, -1.0, -0.6, 0.3, 0.2]  # rad


def gravity_by_pinocchio(names: Sequence[str] = CONTROLLED) -> list[float]:
    model = pin.buildModelFromXML(UR5.read_text())
    q = np.zeros(model.nq)
    q[[model.joints[model.getJointId(name)].idx_q for name in CONTROLLED]] = POSITION
    efforts = pin.computeGeneralizedGravity(model, model.createData(), q)
    return [float(efforts[model.joints[model.getJointId(name)].idx_v]) for name in names]


def close_to(efforts: list[float]) -> Any:
    return pytest.approx(efforts, rel=1e-9, abs=1e-9)


ON_THE_WAY = 10  # commands, at most, that reach a newcomer before DDS reports it
OTHER = "other_controller"
RULES = [f"__node:={OTHER}", "~/commands:=/effort_controller/commands"]
OTHERWISE = ["--ros-args", *(word for rule in RULES for word in ("-r", rule))]  # cli_args of that
HELD = {"hardware_compensates_gravity": False, "start_effort": "zero"}  # a new arm, on its brakes


class Rig:
    """The controller, and gravity_compensation that commands it."""

    def __init__(
        self,
        ros: Ros | Called,
        controller: dict[str, Any] | None = None,
        *,
        apart: bool = False,
        **parameters: Any,
    ) -> None:
        self.ros = ros
        self.start_controller(controller or {}, apart=apart)
        rule = "~/commands:=effort_controller/commands"
        self.node = ros.create(
            partial(GravityCompensation, cli_args=["--ros-args", "-r", rule]),
            robot_description=UR5.read_text(),
            autostart=True,
            **{"ramp.duration": 0.2},
            joint_state_timeout=1.0,
            **{"measured_effort": "total", **parameters},
        )
        self.diagnostics = ros.collect(DiagnosticArray, "/diagnostics")
        topic = "controller_manager/activity"
        self.manager = ros.tester.create_publisher(ControllerManagerActivity, topic, LATCHED)
        ros.start()

    def start_controller(self, options: dict[str, Any], *, apart: bool = False) -> None:
        """Start the controller, in a participant of its own if `apart`."""
        options = {"joints": CONTROLLED, "position": POSITION, **options}
        create = partial(ForwardControllerStandIn, **options)
        if apart:
            self.elsewhere = self.ros.elsewhere()
        self.controller = (self.elsewhere if apart else self.ros).create(create)

    def hold(self) -> None:
        """Wait until the hardware gives what gravity asks for, because it was commanded to."""
        controller = self.controller
        until(lambda: controller.given and controller.hardware == close_to(gravity_by_pinocchio()))

    def wait_for_status(self, words: str) -> DiagnosticStatus:
        """Wait until diagnostics say something."""
        return reported(self.diagnostics, words)

    def say_state(self, state: str) -> None:
        """Publish the controller's state, as its controller manager does."""
        named = NamedLifecycleState(name="effort_controller", state=State(label=state))
        self.manager.publish(ControllerManagerActivity(controllers=[named]))
