# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where joints and bodies are and how they move: what every algorithm needs first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, TypeVar

from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Force, Inertia, Motion
from dyn_core.spatial.scalars import Scalar

T = TypeVar("T")
Sum = TypeVar("Sum", bound=Any)
"""Something that adds: forces, inertias."""


@dataclass(frozen=True)
class JointKinematics:
    """One joint at a state; all in the child frame but ``liMi``."""

    liMi: SE3
    """Placement of the joint frame in its parent's."""
    S: tuple[Motion, ...]
    """Columns of the motion subspace."""
    vJ: Motion
    """Velocity relative to the parent, ``S v``."""
    c: Motion
    """Bias ``dS/dt v``."""


def joint_kinematics(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar] | None = None
) -> list[JointKinematics]:
    """Kinematics of all joints, entry 0 being the universe; without ``v`` all are at rest."""
    universe = JointKinematics(SE3.identity(), (), Motion.zero(), Motion.zero())
    result = [universe]
    rest = [0.0] * model.nv
    for i in model.moving_joints:
        joint = model.joints[i]
        qi, vi = model.q_of(i, q), model.v_of(i, v if v is not None else rest)
        liMi = model.joint_placements[i] * joint.transform(qi)
        result.append(
            JointKinematics(liMi, joint.subspace(qi), joint.velocity(qi, vi), joint.bias(qi, vi))
        )
    return result


def outward_pass(model: Model, universe: T, step: Callable[[int, T], T]) -> list[T]:
    """A value of each joint's body, computed from that of its parent; the universe's first.

    Args:
        model: the robot.
        universe: what the universe has.
        step: of a joint and what its parent has, what the joint has.
    """
    found = [universe]
    for i in model.moving_joints:
        found.append(step(i, found[model.parents[i]]))
    return found


def inward_sum(
    model: Model, own: Callable[[int], Sum], handed: Callable[[int, Sum], Sum]
) -> list[Sum]:
    """The sum over each joint's subtree; the universe's, over the whole robot, first.

    Args:
        model: the robot.
        own: of a joint (0 is the universe), what its body adds.
        handed: of a joint and its sum, what it adds to its parent's.
    """
    arrived: list[list[Sum]] = [[] for _ in range(model.njoints)]
    total: list[Sum] = []
    for i in reversed(range(model.njoints)):
        total.append(reduce(add, arrived[i], own(i)))
        if i:
            arrived[model.parents[i]].append(handed(i, total[-1]))
    return total[::-1]


def placements(model: Model, joints: Sequence[JointKinematics], seen_from: int = 0) -> list[SE3]:
    """``oMi`` of every joint, the universe included: its placement in the world.

    Or in the frame of the joint ``seen_from``.
    """
    back = {seen_from: SE3.identity()}
    for i in model.inwards(seen_from):
        back[model.parents[i]] = back[i] * joints[i].liMi.inverse()
    return outward_pass(
        model, back[0], lambda i, parent: back[i] if i in back else parent * joints[i].liMi
    )


def velocities(model: Model, joints: Sequence[JointKinematics]) -> list[Motion]:
    """``v_i = iXl v_l + vJ``: spatial velocities of the bodies, each in its joint's frame.

    l is the parent of joint i (Featherstone 2008, equation 5.14).
    """
    return outward_pass(
        model, Motion.zero(), lambda i, v: joints[i].liMi.act_inv_motion(v) + joints[i].vJ
    )


def accelerations(
    model: Model,
    joints: Sequence[JointKinematics],
    v: Sequence[Motion],
    a: Sequence[Scalar],
    universe: Motion,
) -> list[Motion]:
    """``a_i = iXl a_l + S ddq + cJ + v_i x vJ``: spatial accelerations of the bodies.

    Each is in its joint's frame (Featherstone 2008, equation 5.15).

    Args:
        model: the robot.
        joints: its joints, and
        v: the velocities of its bodies.
        a: accelerations of the coordinates (nv).
        universe: that of the universe; :func:`against_gravity` makes bodies feel their weight.
    """

    def step(i: int, parent: Motion) -> Motion:
        joint = joints[i]
        own = joint.c + v[i].cross(joint.vJ)
        return along(joint.S, model.v_of(i, a), joint.liMi.act_inv_motion(parent) + own)

    return outward_pass(model, universe, step)


def along(S: Sequence[Motion], rates: Sequence[Scalar], start: Motion) -> Motion:
    """``start + S rates``."""
    for column, rate in zip(S, rates, strict=True):
        start = start + column * rate
    return start


def against_gravity(model: Model) -> Motion:
    """``-g``: the acceleration of a universe in which resting bodies have their weight."""
    return Motion(-model.gravity_vector, Motion.zero().angular)


def force_sums(
    model: Model, joints: Sequence[JointKinematics], forces: Sequence[Force]
) -> list[Force]:
    """``f_i + sum iXj* f_j``: sums of forces (or momenta) over subtrees, each in its joint's frame.

    j are the joints that joint i carries (Featherstone 2008, equation 5.20).
    """
    return inward_sum(model, forces.__getitem__, lambda i, total: joints[i].liMi.act_force(total))


def joint_efforts(
    model: Model, joints: Sequence[JointKinematics], forces: Sequence[Force]
) -> list[Scalar]:
    """``tau_i = S' f_i`` with the sums of forces on bodies over the subtrees, as an array (nv)."""
    axes = [joint.S for joint in joints]
    return projected(model, [0.0] * model.nv, axes, force_sums(model, joints, forces))


def projected(
    model: Model,
    start: Sequence[Scalar],
    columns: Sequence[Sequence[Motion]],
    forces: Sequence[Force],
) -> list[Scalar]:
    """``start`` (nv) and ``S' f`` of each joint, with these columns of S and this force."""
    result = list(start)
    for i in model.moving_joints:
        for row, column in enumerate(columns[i], model.idx_v[i]):
            result[row] = result[row] + column.dot(forces[i])  # a mimic joint adds to its primary
    return result


def with_rotors(model: Model, numbers: Sequence[Scalar], rates: Sequence[Scalar]) -> list[Scalar]:
    """``numbers`` (nv) and what rotors add, each its armature times its rate."""
    rotors = model.armature.tolist()
    return [x + rotor * rate for x, rotor, rate in zip(numbers, rotors, rates, strict=True)]


def composite_inertias(model: Model, joints: Sequence[JointKinematics]) -> list[Inertia]:
    """``IC_i = I_i + sum iXj* IC_j jXi``: each joint's subtree as one rigid body, in its frame.

    The first is that of all moving bodies in the world (Featherstone 2008, equation 6.11).
    """
    own = [Inertia.zero(), *model.inertias[1:]]
    return inward_sum(model, own.__getitem__, lambda i, total: joints[i].liMi.act_inertia(total))


def supporting(
    model: Model, joints: Sequence[JointKinematics], frame: Frame
) -> tuple[SE3, list[tuple[int, SE3]]]:
    """Where a frame is in the world, and in each of the joints that move it, the nearest first."""
    ahead, chain = frame.placement, []
    for i in model.inwards(frame.joint):
        chain.append((i, ahead))
        ahead = joints[i].liMi * ahead
    return ahead, chain


def subspace_rates(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar]
) -> list[tuple[Motion, ...]]:
    """``dS/dt`` of each joint's motion subspace, column by column, in the joint's moving frame."""
    own = ((joint, model.q_of(i, q), model.v_of(i, v)) for i, joint in enumerate(model.joints))
    return [joint.subspace_rate(qi, vi) for joint, qi, vi in own]


def column_rates(
    model: Model,
    joints: Sequence[JointKinematics],
    motions: Sequence[Motion],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
) -> list[tuple[Motion, ...]]:
    """``v_i x S + dS/dt``: rates of each joint's motion subspace as seen by who stands still.

    Column by column, in the joint's frame; ``motions`` are the velocities of the bodies.
    """
    return [
        tuple(motions[i].cross(s) + ds for s, ds in zip(joints[i].S, own, strict=True)) if i else ()
        for i, own in enumerate(subspace_rates(model, q, v))
    ]


class Columns:
    """A matrix with a column for each of nv coordinates, zero at first.

    What several joints add to the column of a coordinate that they share is summed, as is right for
    whatever is linear in velocities.
    """

    def __init__(self, model: Model, height: int = 6) -> None:
        self.rows: list[list[Scalar]] = [[0.0] * model.nv for _ in range(height)]

    def add(self, k: int, column: Iterable[Scalar]) -> None:
        """Add to column k."""
        for row, x in zip(self.rows, column, strict=True):
            row[k] = row[k] + x
