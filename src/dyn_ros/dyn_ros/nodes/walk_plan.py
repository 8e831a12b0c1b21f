# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Walks that are computed as a whole, checked, and written as trajectories."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory

from dyn_core.walking import (
    LEFT,
    RIGHT,
    Biped,
    Footstep,
    FootstepPlan,
    Timing,
    Walked,
    efforts,
    filtered,
    pattern,
    revised,
)
from dyn_ros.arrays import Matrix
from dyn_ros.inputs.robot_position import MAX_LAG_S
from dyn_ros.messages.joint_trajectory import points_of
from dyn_ros.messages.walk import base_trajectory
from dyn_ros.safety.motion_policy import MotionLimits
from dyn_ros.simulator.simulated_robot import base_size

WORLD_FRAME = "world"  # of all positions
REST_S = 1.7  # of standing before the first and after the last step
PERIOD_S = 0.005  # from sample to sample
POINT_PERIOD_S = (
    0.02  # from point to point: larger messages are lost where best effort is asked for
)
CLEARANCE_M = 0.07  # by which a foot is lifted
COP_MARGIN_M = 0.03
"""By which the centre of pressure may be off where footsteps want it, or they are refused."""
ITERATIONS = 1  # of the dynamic filter
FIRST_POINT_S = 0.3
"""From the beginning of a walk to its first point: the robot still stands (it moves by 0.6 mrad),
and a controller goes there from where the robot is; at a point without delay it jumps."""
Stance = tuple[Footstep, Footstep]


class Plan(NamedTuple):
    """A walk that was computed, and where the feet stand after it."""

    walks: list[Walked]  # before and after each step of the filter
    begins: int  # ns, its first sample; 0 or past: as soon as it is computed
    continues: bool  # with a walk that is under way, or starts from rest
    joints: JointTrajectory
    base: MultiDOFJointTrajectory
    stance: Stance

    @property
    def walk(self) -> Walked:
        """The walk under way."""
        return self.walks[-1]

    def sample(self, now: int) -> int:
        """Return the sample that is due at this time, ns."""
        dt = self.walk.pattern.steps.timing.dt
        return math.floor(1e-9 * (now - self.begins) / dt + 1e-6)

    def states(self, now: int) -> tuple[Matrix, Matrix]:
        """Return positions and velocities [k, n] of the joints in the MAX_LAG_S up to a time, ns.

        They are in the order of their samples, the last is due; before the first it is this one.
        """
        end = max(self.sample(now), 0) + 1
        lag = round(MAX_LAG_S / self.walk.pattern.steps.timing.dt)
        last, joints = slice(max(end - lag, 0), end), slice(-len(self.joints.joint_names), None)
        return self.walk.q[last, joints], self.walk.v[last, joints]

    def time(self, sample: int) -> int:
        """When a sample is due, ns."""
        return self.begins + round(1e9 * sample * self.walk.pattern.steps.timing.dt)


def plan(
    biped: Biped,
    stance: Stance,
    footsteps: list[Footstep],
    step_times: Sequence[float],
    begins: int,
) -> Plan:
    """Compute a walk and its messages, which lack a stamp.

    Raises ModelError or ValueError if there is none.
    """
    single_support, double_support = step_times
    timing = Timing(single_support, double_support, REST_S, PERIOD_S)
    steps = FootstepPlan(stance, footsteps, timing, CLEARANCE_M).sampled()
    walks = filtered(biped, pattern(biped, steps), ITERATIONS)
    return _messages(biped, walks, begins, False)


def change(biped: Biped, walking: Plan, sample: int, footsteps: list[Footstep]) -> Plan:
    """Compute how a walk goes on from a sample with other footsteps, and its messages.

    Raises ModelError or ValueError if it cannot.
    """
    walks = revised(biped, walking.walks, sample, footsteps, COP_MARGIN_M)
    return _messages(biped, walks, walking.time(sample), True)


def refuse_beyond_limits(biped: Biped, walk: Walked) -> None:
    """Raise InputRefusedError if a joint would exceed its limits of motion or effort."""
    model, limits = biped.model, MotionLimits(biped.model, ())
    base = base_size(model)
    position = np.hstack([np.zeros((len(walk.q), base)), walk.q[:, model.nq - model.nv + base :]])
    advice = "take smaller or slower steps, or bend the knees of the posture more"
    limits.refuse_states((position, walk.v, walk.a), position[0], advice)
    limits.refuse_efforts(efforts(biped, walk), advice=advice)


def _messages(biped: Biped, walks: list[Walked], begins: int, continues: bool) -> Plan:
    walk = walks[-1]
    if not np.isfinite(walk.q).all():
        raise ValueError("the walk has numbers that are not finite: take smaller steps")
    left, right = (course.values[-1, 0].tolist() for course in walk.pattern.steps.feet)
    model, base, times = biped.model, base_size(biped.model), walk.pattern.times
    refuse_beyond_limits(biped, walk)
    if not (off := walk.distances.max()) <= COP_MARGIN_M:
        raise ValueError(
            f"the CoP would be {1e3 * off:.4g} mm off, where {1e3 * COP_MARGIN_M:.0f} are allowed: "
            "take smaller or slower steps"
        )
    dt = walk.pattern.steps.timing.dt
    first = 0 if continues else round(FIRST_POINT_S / dt)
    count = round(POINT_PERIOD_S / dt)
    kept = np.append(np.arange(first, len(times) - 1, count), len(times) - 1)
    q, v, a = (x[kept] for x in (walk.q, walk.v, walk.a))
    v[-1] = a[-1] = 0.0  # controllers reject what does not end at rest: preview leaves 2e-3 rad/s
    joints = q[:, model.nq - model.nv + base :], v[:, base:], a[:, base:]
    return Plan(
        walks,
        begins,
        continues,
        JointTrajectory(
            joint_names=list(model.dof_names[base:]), points=points_of(times[kept], *joints)
        ),
        base_trajectory(times[kept], (q, v, a), WORLD_FRAME, model),
        (Footstep(LEFT, (*left[:3],), left[3]), Footstep(RIGHT, (*right[:3],), right[3])),
    )
