# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The computed-torque law: efforts from the measured and the desired motion."""

from typing import Any, ClassVar

import numpy as np

import dyn_core
from dyn_core.control import ComputedTorque
from dyn_ros.arrays import Vector
from dyn_ros.base.part import KernelPart, Part
from dyn_ros.base.report import Report
from dyn_ros.base.settings import Setting
from dyn_ros.base.state_host import StateHost
from dyn_ros.parts.effort_commands import EffortCommands
from dyn_ros.parts.friction import FRICTION_SMOOTHING, INCLUDE_FRICTION, losses
from dyn_ros.parts.trajectory_input import TrajectoryInput
from dyn_ros.robot import Quantities


class Tracking(Part, KernelPart):
    """Feedback linearization: the acceleration to command, and the efforts that give it.

    The node evaluates its kernel in between. Friction is compensated at the desired velocity, which
    no noise turns back.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "largest tracking error [rad, m]": "of a joint, how far it is from where it shall be",
    }
    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "natural_frequency",
            10.0,
            "rad/s, how fast errors of the position decay, the same for all joints",
            limits=(0.0, 1000.0),
            live=True,
        ),
        Setting(
            "damping_ratio",
            1.0,
            "1: errors decay as fast as they can without overshoot; less: with, more: slower",
            limits=(0.0, 100.0),
            live=True,
        ),
        Setting(
            "feed_forward",
            True,
            "the accelerations of the trajectory enter the efforts at once; without, an error of "
            "the position has to build up first",
            live=True,
        ),
        Setting(
            "include_coriolis",
            True,
            "Coriolis and centrifugal efforts are a part of the law; without them it is enough for "
            "slow robots, and noise of the measured velocities acts through the damping alone",
            live=True,
        ),
        INCLUDE_FRICTION,
        FRICTION_SMOOTHING,
    )
    node: StateHost

    @classmethod
    def quantities(cls, values: dict[str, Any]) -> Quantities:
        """Return the efforts of tracking and of gravity."""
        return dyn_core.tracking_efforts.request(efforts=losses(values)), "gravity"

    def install(self, model: dyn_core.Model) -> None:
        """Track with another robot."""
        self._law = ComputedTorque(model)
        self.effort: Vector = np.zeros(model.nv)
        self.desired: tuple[Vector, Vector, Vector] = (self.effort, self.effort, self.effort)

    def inputs(self) -> tuple[Vector, Vector]:
        """Return acceleration and desired velocity [nv], for the kernel.

        Raises InputRefusedError if errors are too large.
        """
        return self._acceleration(), self.desired[1]

    def _acceleration(self) -> Vector:
        trajectory, state = self.node.part(TrajectoryInput), self.node.state
        self.desired = trajectory.desired(state)
        position, velocity, ahead = self.desired
        wanted = position, velocity, ahead if self.values["feed_forward"] else np.zeros_like(ahead)
        gains = self.values["natural_frequency"], self.values["damping_ratio"]
        acceleration = self._law.update(state.position, state.velocity, wanted, *gains)
        trajectory.refuse_distance(self._law.error, "tracking error")
        return acceleration

    @property
    def error(self) -> Vector:
        """How far each joint is from where it shall be, [nv] rad or m."""
        return self._law.error

    def model_velocity(self) -> Vector:
        """Return the velocity [nv] at which inverse dynamics is evaluated."""
        self._law.coriolis = self.values["include_coriolis"]
        return self._law.model_velocity(self.node.state.velocity)

    def command(self) -> None:
        """Command the efforts of the kernel."""
        effort, gravity = self.node.results.values()
        commands = self.node.part(EffortCommands)
        self.effort = effort - gravity if commands.hardware_compensates else effort
        commands.publish(effort, gravity=gravity)
        self.node.part(TrajectoryInput).wait_for(commands.waits_for)

    def report(self, report: Report) -> None:
        """Tell how well the robot follows."""
        report.values["largest tracking error [rad, m]"] = f"{np.abs(self._law.error).max():.6f}"
