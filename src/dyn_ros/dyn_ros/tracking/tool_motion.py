# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How tools get to where they shall be: differential inverse kinematics, straight and paced."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np

import dyn_core
from dyn_core.configuration import position_limits, with_positions
from dyn_core.control import (
    CollisionBarrier,
    FrameTask,
    InfeasibleError,
    InverseKinematics,
    JointLimits,
    PostureTask,
    pose_error,
)
from dyn_core.errors import MissingExtraError
from dyn_core.spatial import SE3, Matrix3, Vector3, exp3
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.kernels.robot import KernelRequest
from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.refusal import InputRefusedError

WITHOUT_LIMIT = 1.0  # rad/s or m/s, of joints to which the description gives no velocity limit
POSITION_MARGIN = 0.02  # rad or m that joints stay away from their ends
POSTURE_COST = 1e-3
"""m/rad of a joint's way to the posture, which settles what targets leave open."""
DAMPING = 1e-6
"""Of squared joint velocities, beside a cost of 1; more is calmer near singularities."""
GAIN = 5.0  # 1/s, rate at which the remaining distance decays near the target
TOOL_ACCELERATION = 1.0
"""m/s^2, by which the speed grows and falls; turning does so in proportion."""


class ToolMotion:
    """Joint velocities that take tools of a robot, whose joints have one freedom each, to targets.

    A tool goes straight and turns about one axis, at most at `speed`; one without a target stays.
    What is free goes to the posture.
    """

    speed: Sequence[float] = (0.25, 1.0)
    """m/s and rad/s"""

    def __init__(
        self,
        model: dyn_core.Model,
        tools: Sequence[str],
        *,
        velocity_scale: float,
        acceleration: float,
        orientation_cost: float,
        posture: str = "",
        barrier: CollisionBarrier | None = None,
    ) -> None:
        """Compile, and compute once so that the first state finds everything warm.

        Raises ValueError, worded, if a tool is no frame of the robot, the posture none that it can
        have, or the solver is missing.

        Args:
            model: the robot.
            tools: frames that have targets.
            velocity_scale: share of the velocity limits of joints that they may use.
            acceleration: largest of joints, rad/s^2 or m/s^2.
            orientation_cost: of a radian, where a metre costs 1.
            posture: where some joints go, as in `posture_of`; others stay.
            barrier: keeps shapes apart.
        """
        names = {frame.name for frame in model.frames}
        for tool in tools:
            if tool not in names:
                raise ValueError(
                    f"tool names '{tool}', which '{model.name}' does not have: name some of "
                    f"{quoted(sorted(names))}"
                )
        self.model, self.tools, self._named = model, tuple(tools), posture_of(model, posture)
        self.target_distances = 0.0, 0.0  # m and rad to the targets, the largest
        self._bounds = acceleration, velocity_scale, POSITION_MARGIN
        self._counted = np.repeat([1.0, float(orientation_cost > 0.0)], 3)
        self._tasks = [FrameTask(tool, 1.0, orientation_cost) for tool in tools]
        self._posture = PostureTask(POSTURE_COST)
        for task in (*self._tasks, self._posture):
            task.gain = GAIN
        self._ik = InverseKinematics(
            model,
            [*self._tasks, self._posture],
            barriers=[] if barrier is None else [barrier],
            damping=DAMPING,
        )
        self.allow(model.dof_names)
        data = model.create_data()
        self._integrate = dyn_core.compile(model, ["integrate"]).bind(data)
        self._neutral = dyn_core.neutral(model)
        self._compute_places = places_of(tools).compile(model).bind(model.create_data())
        still = np.zeros(model.nv)
        self.stay(still)
        with suppress(InputRefusedError):  # there the robot may be beyond its limits
            self.velocity(still, still, 0.01, {})

    def allow(self, joints: Sequence[str]) -> None:
        """Move these joints and no others."""
        limits = JointLimits(self.model, *self._bounds)
        cap = self._bounds[1] * WITHOUT_LIMIT
        limits.velocity = np.where(np.isfinite(limits.velocity), limits.velocity, cap)
        self._fixed = np.array([name not in joints for name in self.model.dof_names])
        limits.velocity[self._fixed] = 0.0
        self._limits = limits
        self.most: Vector = limits.velocity

    def stay(self, position: Vector) -> None:
        """Let tools without a target be where they are at a position [nv], in rad or m."""
        self._moving = 0.0  # s
        self._home = self._places(self._configuration(position))
        posture = np.where(np.isnan(self._named), position, self._named)
        self._posture.set_target(self._configuration(posture))

    def velocity(
        self, position: Vector, before: Vector, seconds: float, targets: Mapping[str, Matrix]
    ) -> Vector:
        """Return the velocities [nv] for a step, after one with velocities `before`.

        `targets` are placements (4, 4) in the axes of the root link. Raises InputRefusedError if
        nothing satisfies limits and distances.
        """
        q = self._configuration(position)
        way = turn = 0.0
        before = np.where(self._fixed, 0.0, before)
        self._moving += seconds
        try:
            for task, home, place in zip(self._tasks, self._home, self._places(q), strict=True):
                error = pose_error(place, targets.get(task.frame, home)) * self._counted
                length, angle = (float(np.linalg.norm(x)) for x in np.split(error, 2))
                way, turn = max(way, length), max(turn, angle)
                task.set_target(self._nearer(place, error, length, angle))
            # a joint beyond its end goes no further, and is not thrown back
            self._ik.limits = self._limits.including(q)
            v = self._ik.velocity(q, before, seconds)
        except MissingExtraError:
            raise
        except (InfeasibleError, ValueError) as error:
            raise InputRefusedError("no solution", f"inverse kinematics: {error}") from error
        self.target_distances = way, turn
        return v

    def _configuration(self, position: Vector) -> Vector:
        return np.array(self._integrate(self._neutral, position))

    def _places(self, q: Vector) -> list[Matrix]:
        found = self._compute_places(q)
        return [np.array(x) for x in (found if len(self.tools) > 1 else (found,))]

    def _nearer(self, place: Matrix, error: Vector, length: float, angle: float) -> Matrix:
        """Return a placement on the way, so near that the gain gives no more than the speed."""
        share, per_speed = 1.0, TOOL_ACCELERATION / self.speed[0]
        for left, most in zip((length, angle), self.speed, strict=True):
            if not left:
                continue
            braking = math.sqrt(2.0 * per_speed * most * left)
            pace = min(most, braking, per_speed * most * self._moving)
            share = min(share, pace / (GAIN * left))
        return moved(place, share * error)


def objection_to_speed(speeds: Sequence[float]) -> str:
    """Return why no tool arrives with `tool_speed`, in words; empty: it does."""
    if len(speeds) == 2 and all(1e-6 <= speed <= 100.0 for speed in speeds):
        return ""
    return f"tool_speed is {list(speeds)}: give two numbers from 1e-6 to 100, m/s and rad/s"


def moved(place: Matrix, step: Vector) -> Matrix:
    """Return a placement after a step (6) of its position, and about the axes of the root link."""
    turn = exp3(Vector3(*step[3:].tolist()))
    matrix = SE3(turn @ Matrix3.of(place[:3, :3].tolist()), Vector3(*(place[:3, 3] + step[:3])))
    return np.array(matrix.homogeneous(), dtype=np.float64)


def places_of(tools: Sequence[str]) -> KernelRequest:
    """Return the kernel of where tools are."""
    return KernelRequest(tuple(dyn_core.frame_placement.request(frame=tool) for tool in tools))


def task_kernel(tools: Sequence[str]) -> KernelRequest:
    """Return the kernel of all tasks of tools."""
    tasks = *(("frame", tool) for tool in tools), ("posture",)
    return KernelRequest((dyn_core.velocity_program.request(tasks=tasks),))


def posture_of(model: dyn_core.Model, text: str) -> Vector:
    """Return the positions [nv] that a text gives joints, NaN of those that it does not name.

    Raises ValueError, worded, if it names a joint that the model does not have, or that cannot be
    there.
    """
    try:
        posture: Vector = with_positions(model, text, np.full(model.nv, np.nan))
    except ValueError as error:
        raise ValueError(f"posture: {error}") from error
    lower, upper = position_limits(model)
    for i in np.flatnonzero((posture < lower) | (posture > upper)):
        raise ValueError(
            f"posture: joint '{model.dof_names[i]}' at {posture[i]:g} is beyond its limits "
            f"[{lower[i]:.4g}, {upper[i]:.4g}]: give a position that it can have, in rad or m"
        )
    return posture
