# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The law of Cartesian impedance: a spring and a damper at a tool, and a posture beside it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import dyn_core
from dyn_core.control import pose_error, turning_joints, wrap_differences
from dyn_ros.arrays import Vector
from dyn_ros.inputs.tool_target import MAX_STEP_S, ToolTarget, ToolTargetSettings
from dyn_ros.kernels.robot import Quantities
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Kind, Values, parameter
from dyn_ros.outputs.effort_commands import EffortCommands
from dyn_ros.outputs.feedback import Feedback
from dyn_ros.tracking.gains import carried, needed_rate
from dyn_ros.tracking.motion import approach_speed
from dyn_ros.tracking.tool_motion import posture_of

ANY_FREQUENCY = 1e6  # rad/s, while the rate of joint states is unknown
POSTURE_SHARE = 0.25  # of velocity limits with which the posture goes to where it shall be
AXES = 3, 3  # how often a number for all lengths stands, and one for all angles


@dataclass(frozen=True)
class ImpedanceSettings(Group):
    """Spring, damper and posture."""

    stiffness: list[float] = parameter(
        [400.0, 400.0, 400.0, 10.0, 10.0, 10.0],
        "N/m along and N m/rad about the x, y and z axes of the root link; 0: free and without "
        "damping; lowered where the robot stands so that joint states are too slow for it",
        kind=Kind.DOUBLE_ARRAY,
        live=True,
    )
    damping_ratio: float = parameter(
        1.0,
        "of all motions of tool and posture; <1 underdamped, 1 critically damped, >1 overdamped",
        limits=(0.1, 10.0),
        live=True,
    )
    error: list[float] = parameter(
        [0.1, 0.3],
        "m and rad of error along and about each axis beyond which the spring pulls no harder",
        kind=Kind.DOUBLE_ARRAY,
        live=True,
        name="limits.error",
    )
    wrench: list[float] = parameter(
        [60.0, 6.0],
        "largest force and torque of the spring along and about each axis, N and N m",
        kind=Kind.DOUBLE_ARRAY,
        live=True,
        name="limits.wrench",
    )
    posture: str = parameter(
        "",
        "'joint=position, joint=position' in rad or m, which redundant joints approach slowly; "
        "other joints keep their first position",
    )
    natural_frequency: float = parameter(
        5.0,
        "rad/s of the decay of posture errors, without motion of the tool; 0: the joints are free",
        limits=(0.0, 1000.0),
        live=True,
    )

    @property
    def largest_error(self) -> Vector:
        """Along and about each axis, m and rad, with which the spring reaches no limit."""
        K = np.maximum(np.array(self.stiffness), 1e-9)
        return np.minimum(np.repeat(self.error, AXES), np.repeat(self.wrench, AXES) / K)


class Impedance(Feedback):
    """Holds a tool at its target by a spring and a damper; the node evaluates the law."""

    ABOUT: ClassVar[dict[str, str]] = {
        "tool": "frame that follows ~/target_pose",
        "target_distance_m": "from the tool to its target",
        "target_angle_rad": "from the tool to its target",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (ImpedanceSettings,)
    _settings: ImpedanceSettings  # in use
    _begins = True  # the posture, where the joints are

    @classmethod
    def quantities(cls, values: Values) -> Quantities:
        """Return efforts of the law and of gravity, and how the tool yields and is moved."""
        tool = values[ToolTargetSettings].tool
        if not tool:  # the node names one once it knows the model
            return ()
        mobility = dyn_core.inverse_operational_space_inertia
        yielding = mobility.request(tool, dyn_core.LOCAL_WORLD_ALIGNED)
        moving = dyn_core.frame_jacobian.request(tool, dyn_core.LOCAL_WORLD_ALIGNED)
        law = dyn_core.impedance_efforts.request(frame=tool)
        return law, "gravity", yielding, moving, "mass_matrix"

    @staticmethod
    def impossible(values: Values) -> str:
        """Refuse gains and limits that are no such numbers."""
        s = values[ImpedanceSettings]
        for name, numbers, size in (
            ("stiffness", s.stiffness, 6),
            ("limits.error", s.error, 2),
            ("limits.wrench", s.wrench, 2),
        ):
            if len(numbers) != size or not all(0.0 <= x <= 1e6 for x in numbers):
                return f"{name} is {list(numbers)}: give {size} numbers from 0 to 1e6"
        return ""

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError if the posture names no joints, or the rate cannot carry the gains."""
        posture_of(model, values[ImpedanceSettings].posture)
        super().check(model, values)

    def install(self, model: dyn_core.Model) -> None:
        """Hold the tool of another robot."""
        super().install(model)
        self._neutral = dyn_core.neutral(model)
        self._integrate = dyn_core.compile(model, ["integrate"])
        self._turning = turning_joints(model)
        self._speed = approach_speed(model, POSTURE_SHARE)  # of the posture
        self._posture, self._settings = self._neutral, self.values[ImpedanceSettings]
        self._named = posture_of(model, self._settings.posture)

    def changed(self) -> None:
        """Stretch no spring at once that has changed: the arm may have been led elsewhere."""
        super().changed()
        if self._settings != self.values[ImpedanceSettings]:
            self._settings = self.values[ImpedanceSettings]
            self._begins = True
            self.node.part(ToolTarget).begin_here()

    def inputs(self) -> tuple[Vector, ...]:
        """Return what the law takes beside the state. Raises InputRefusedError as `measure`."""
        self.measure()
        target, settings = self.node.part(ToolTarget), self.values[ImpedanceSettings]
        follows = self.node.part(EffortCommands).follows
        if self._begins or not follows or target.pose is None:
            self._begins = False
            self._place = self.node.state.position.copy()
            self._goal = np.where(np.isnan(self._named), self._place, self._named)
            self._posture = self._integrate(self._neutral, self._place)
            self._moved_at = self.clock.now()
        elif self._goal is not self._place:
            self._approach()
        ratio = settings.damping_ratio
        most = carried(ANY_FREQUENCY, ratio, self._rate.held)
        stiffness, frequency = np.array(settings.stiffness), min(settings.natural_frequency, most)
        gains = stiffness, settings.largest_error, np.array([ratio])
        posture = self._posture, np.array([frequency]), np.array([most])
        *_, jacobian, mass = self.node.results.values()
        pose = target.at(jacobian, mass, np.sqrt(stiffness), follows=follows)
        return pose, *target.vectors(), *gains, *posture

    def _approach(self) -> None:
        """Let the posture go on to its goal: a spring stretched at once makes joints fast."""
        seconds, self._moved_at = self.clock.now() - self._moved_at, self.clock.now()
        way, most = self._goal - self._place, min(seconds, MAX_STEP_S) * self._speed
        wrap_differences(way, self._turning)
        step = np.clip(way, -most, most)
        self._place = self._goal if (step == way).all() else self._place + step
        self._posture = self._integrate(self._neutral, self._place)

    def report(self, report: Report) -> None:
        """Report how far the tool is from its target."""
        super().report(report)
        target = self.node.part(ToolTarget)
        report.values["tool"] = target.tool
        placement = self.node.surroundings.placement(target.tool)
        if target.pose is not None and placement is not None:
            way = pose_error(placement, target.pose)
            report.values["target_distance_m"] = f"{np.linalg.norm(way[:3]):.6f}"
            report.values["target_angle_rad"] = f"{np.linalg.norm(way[3:]):.6f}"

    def _excess_of(self, values: Values, rate: float | None = None) -> str:
        rate = self._rate.hertz if rate is None else rate
        if not rate:
            return ""
        fastest, ratio = self._gains(values)
        needed = needed_rate(fastest, ratio)
        if needed <= rate:
            return ""
        return (
            f"stiffness or natural_frequency gives {fastest:.3g} rad/s where the robot is, which "
            f"with damping_ratio {ratio:g} needs joint states at {needed:.0f} Hz; they come at "
            f"{rate:.0f} Hz, which is enough for {carried(fastest, ratio, rate):.3g} rad/s: lower "
            "them, or publish joint states faster"
        )

    def _gains(self, values: Values) -> tuple[float, float]:
        """Return the fastest motion of the tool where it is, as the law bounds it, and damping."""
        settings, (*_, mobility, _, _) = values[ImpedanceSettings], self.node.results.values()
        R = np.sqrt(settings.stiffness)
        fastest = np.sqrt((np.outer(R, R) * np.abs(mobility)).sum(axis=0).max())
        return max(float(fastest), settings.natural_frequency), settings.damping_ratio
