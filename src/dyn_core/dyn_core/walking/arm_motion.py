# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motion of arms and of all other joints outside the legs, by tasks, during a walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.control.prioritized_least_squares import solved_in_order
from dyn_core.control.tasks import JointLimits, MomentumTask, PostureTask, RelativeFrameTask, Task
from dyn_core.control.tasks.task_stack import Stack, wanted_rows
from dyn_core.dynamics.centroidal import centroidal_map
from dyn_core.dynamics.integrate import integrate
from dyn_core.errors import ModelError
from dyn_core.model.model import FloatArray, Model
from dyn_core.walking.planar_motion import Sampled

DAMPING = 1e-6
"""Weight of squared accelerations beside costs of 1: it decides motions that no task determines."""
VELOCITY_DECAY_RATE = 20.0
"""Decay of the velocity of joints that no task moves, 1/s."""
RETURN_RATE = 3.0
"""Rate at which swinging arms return to the posture, 1/s: slower than the swing."""
POSTURE_COST = 0.3
"""Cost of the posture of an arm's joint; the cost of momentum is 1."""
CARRY_COST = 100.0
"""Cost of the pose of carried objects, 1/m and 1/rad."""


@dataclass(frozen=True)
class ArmMotion(Sampled):
    """The motion of the joints outside the legs; columns are the coordinates of :class:`Arms`."""

    q: FloatArray
    """(n, k)"""
    v: FloatArray
    """(n, m)"""
    a: FloatArray
    """(n, m)"""


class Arms:
    """The joints outside the legs: arms, head, and a trunk above the hips.

    Attributes:
        model: of a biped.
        in_q: their coordinates, of nq.
        in_v: their degrees of freedom, of nv.
    """

    def __init__(self, model: Model, feet: Sequence[str]) -> None:
        feet_joints = {i for foot in feet for i in model.inwards(model.frame(foot).joint)}
        all_v = range(model.nv)
        legs = {k for i in feet_joints for k in model.v_of(i, all_v)}
        joints = [i for i in model.own_coordinates if legs.isdisjoint(model.v_of(i, all_v))]
        self.model = model
        self.in_q = [k for i in joints for k in model.q_of(i, range(model.nq))]
        self.in_v = [k for i in joints for k in model.v_of(i, all_v)]

    def resting(self, posture: FloatArray, count: int) -> ArmMotion:
        """Samples at rest in a posture (nq)."""
        still = np.zeros((count, len(self.in_v)))
        return ArmMotion(np.tile(posture[self.in_q], (count, 1)), still, still)

    def moved(
        self,
        tasks: Sequence[Task],
        motion: tuple[FloatArray, FloatArray, FloatArray],
        dt: float,
        begun: ArmMotion | None = None,
    ) -> ArmMotion:
        """Their motion for given motions of base and legs, by accelerations that fit the tasks.

        Positions and speeds stay within the joints' limits; a joint that begins beyond a limit goes
        no further.

        Args:
            tasks: tasks in the world or relative to the base; motions of base and legs count.
            motion: of the robot: configurations (n, nq), velocities and accelerations (n, nv).
            dt: from sample to sample, s.
            begun: their motion at the first sample; at rest in the first configuration if None.

        Raises:
            MissingExtraError: daqp is not installed.
            ValueError: a task has no target.
        """
        q, v, a = (x.copy() for x in motion)
        stack = Stack(self.model, tasks)
        step = compile(self.model, [integrate])
        arms, others = self.in_v, np.setdiff1d(np.arange(self.model.nv), self.in_v)
        now = ArmMotion(q[0, self.in_q], v[0, arms], a[0, arms]) if begun is None else begun[-1]
        place, speed = now.q, now.v
        q[0, self.in_q] = place
        limits = JointLimits(self.model).including(q[0])
        for k in range(len(q)):
            q[k, self.in_q], v[k, arms] = place, speed
            stack.state.update(q[k], v[k])
            levels, errors = stack.weighed(wanted_rows)
            low, high = limits.accelerations(q[k], v[k])
            a[k, arms] = solved_in_order(
                [(A[:, arms], b - A[:, others] @ a[k, others]) for A, b in levels],
                np.full(len(arms), DAMPING + errors),
                -VELOCITY_DECAY_RATE * speed,
                box=(low[arms], high[arms]),
                why="arms of a walk",
            )
            ahead = dt * v[k] + 0.5 * dt**2 * a[k]
            place = step(q[k], ahead)[self.in_q]
            speed = speed + dt * a[k, arms]
        return ArmMotion(q[:, self.in_q], v[:, arms], a[:, arms])


def arm_tasks(
    arms: Arms, posture: FloatArray, swing: bool, carry: Sequence[str]
) -> tuple[Task, ...]:
    """Tasks of arms that swing to balance the legs' angular momentum, or carry an object level.

    Swinging arms cancel the angular momentum about the vertical through the centre of mass, so that
    the soles transmit less moment. A carrying frame keeps its placement relative to the base. Other
    joints keep the posture.

    Raises:
        KeyError: the robot has no such frame.
        ModelError: the robot has no arms, or a frame is not on one of them.
    """
    model = arms.model
    if not arms.in_v:
        raise ModelError(f"'{model.name}' has no arms: each of its joints moves a foot")
    costs = np.zeros(model.nv)
    costs[arms.in_v] = POSTURE_COST
    tasks: list[Task] = [PostureTask(costs, RETURN_RATE)]
    if swing:
        turning = np.array(centroidal_map(model, posture))[5, arms.in_v]
        tasks.append(MomentumTask((0.0,) * 5 + (1.0 / float(np.linalg.norm(turning)),)))
    for name in carry:
        moves = model.inwards(model.frame(name).joint)
        if not any(k in arms.in_v for i in moves for k in model.v_of(i, range(model.nv))):
            raise ModelError(f"'{name}' is on no arm of '{model.name}': it cannot be carried")
        tasks.append(RelativeFrameTask(name, model.names[1], CARRY_COST, CARRY_COST))
    for task in tasks:
        if not isinstance(task, MomentumTask):
            task.set_target_from_configuration(model, posture)
    return tuple(tasks)
