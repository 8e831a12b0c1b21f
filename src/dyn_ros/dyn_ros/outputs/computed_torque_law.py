# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The computed-torque law: efforts from the measured and the desired motion."""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

import dyn_core
from dyn_core.control import ComputedTorque
from dyn_ros.arrays import Vector
from dyn_ros.inputs.command_settings import CommandSettings, scaled
from dyn_ros.inputs.friction import FRICTION
from dyn_ros.inputs.tracking_settings import TrackingSettings
from dyn_ros.inputs.trajectory_input import TrajectoryInput
from dyn_ros.kernels.robot import Quantities
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Values, parameter
from dyn_ros.outputs.feedback import Feedback
from dyn_ros.safety.plausible_limits import given
from dyn_ros.tracking.gains import carried, excess

MOST_RATE_PERIODS = 15.0  # times 1 / natural_frequency; at 25 a push made arms swing


@dataclass(frozen=True)
class FrictionAhead(Group):
    """Whether friction is compensated.

    Feedback is scaled by inertia: of 1 N m that a light wrist lacks it takes next to nothing out.
    """

    include_friction: bool = parameter(
        False,
        "add the friction of the description, at the desired velocity; use identified friction "
        "only: more friction than the joint has drives it",
    )


class Tracking(Feedback):
    """Feedback linearization: the acceleration to command, and the efforts that give it.

    The node evaluates its kernel in between. Friction is compensated at the desired velocity, which
    no noise turns back.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "largest_tracking_error": "largest difference of desired and measured position",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (
        TrackingSettings,
        FrictionAhead,
    )

    _frequency = inf  # rad/s, the last one that was tracked with

    @classmethod
    def quantities(cls, values: Values) -> Quantities:
        """Return the efforts of tracking and of gravity."""
        friction = (FRICTION,) if values[FrictionAhead].include_friction else ()
        return dyn_core.tracking_efforts.request(efforts=friction), "gravity"

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError if the rate of joint states or of efforts cannot carry the gains.

        Nor may higher gains bring joints too fast to where they shall be: friction may have kept
        them far from there.
        """
        super().check(model, values)
        gains, rate = values[TrackingSettings], values[CommandSettings].effort_rate
        most = scaled(np.asarray(model.effort_limit), values)
        slowest = most[np.isfinite(most)].max(initial=0.0) / rate if rate else 0.0
        if gains.natural_frequency * slowest > MOST_RATE_PERIODS:
            raise ValueError(
                f"natural_frequency {gains.natural_frequency:g} rad/s needs efforts that reach "
                f"their limits within {MOST_RATE_PERIODS / gains.natural_frequency:.3g} s, and "
                f"limits.effort_rate takes {slowest:.3g} s: lower the one or raise the other"
            )
        frequency = carried(*self._gains(values), self._rate.held)
        if frequency <= self._frequency:
            return
        speed = frequency * np.exp(-min(gains.damping_ratio, 1.0))
        fastest, most = speed * np.abs(self._law.error), given(np.asarray(model.velocity_limit))
        if (fastest > most).any():
            i = int(np.argmax(fastest / most))
            raise ValueError(
                f"natural_frequency {frequency:g} rad/s would bring joint "
                f"'{model.dof_names[i]}', which is {abs(self._law.error[i]):.3g} rad or m from "
                f"where it shall be, there at {fastest[i]:.3g} rad/s or m/s, its limit is "
                f"{most[i]:.3g}: send a set-point to where the robot is first"
            )

    def install(self, model: dyn_core.Model) -> None:
        """Track with another robot."""
        super().install(model)
        self._law = ComputedTorque(model)
        self.desired: tuple[Vector, Vector, Vector] = (self.effort, self.effort, self.effort)

    def start(self) -> None:
        """Track with any gains at first."""
        super().start()
        self._frequency = inf

    def inputs(self) -> tuple[Vector, Vector]:
        """Return acceleration and desired velocity [nv], for the kernel.

        Raises InputRefusedError if errors are too large, or as `measure` does.
        """
        self.measure()
        state = self.node.state
        trajectory, gains = self.node.part(TrajectoryInput), self.values[TrackingSettings]
        self.desired = trajectory.desired()
        position, velocity, ahead = self.desired
        if not gains.feed_forward:
            ahead = np.zeros_like(ahead)
        ratio = gains.damping_ratio
        self._frequency = frequency = carried(gains.natural_frequency, ratio, self._rate.held)
        wanted = position, velocity, ahead
        acceleration = self._law.update(state.position, state.velocity, wanted, frequency, ratio)
        trajectory.refuse_distance(self._law.error, "tracking error")
        return acceleration, velocity

    def _excess_of(self, values: Values, rate: float | None = None) -> str:
        return excess(*self._gains(values), self._rate.hertz if rate is None else rate)

    def _gains(self, values: Values) -> tuple[float, float]:
        gains = values[TrackingSettings]
        return gains.natural_frequency, gains.damping_ratio

    @property
    def error(self) -> Vector:
        """How far each joint is from where it shall be, [nv] rad or m."""
        return self._law.error

    def model_velocity(self) -> Vector:
        """Return the velocity [nv] at which inverse dynamics is evaluated."""
        self._law.coriolis = self.values[TrackingSettings].include_coriolis
        return self._law.model_velocity(self.node.state.velocity)

    def wait_for(self, why: str) -> None:
        """Let the robot stay where it is as long as no commands are sent."""
        self.node.part(TrajectoryInput).wait_for(why)

    def report(self, report: Report) -> None:
        """Report how well the robot follows."""
        super().report(report)
        report.values["largest_tracking_error"] = f"{np.abs(self._law.error).max():.6f}"
