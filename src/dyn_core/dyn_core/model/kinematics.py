"""Where joints and bodies are and how they move: what every algorithm needs first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TypeVar

from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar
from dyn_core.spatial import SE3, Force, Inertia, Motion

Sum = TypeVar("Sum")
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


def placements(model: Model, joints: Sequence[JointKinematics], seen_from: int = 0) -> list[SE3]:
    """``oMi`` of every joint, the universe included: its placement in the world.

    Or in the frame of the joint ``seen_from``.
    """
    known = {seen_from: SE3.identity()}
    i = seen_from
    while i:  # back to the universe
        known[model.parents[i]] = known[i] * joints[i].liMi.inverse()
        i = model.parents[i]
    for i in model.moving_joints:
        if i not in known:
            known[i] = known[model.parents[i]] * joints[i].liMi
    return [known[i] for i in range(model.njoints)]


def velocities(model: Model, joints: Sequence[JointKinematics]) -> Iterator[tuple[int, Motion]]:
    """The outward pass: each joint but the universe with its body's velocity, in its own frame."""
    velocity = [Motion.zero()]
    for i in model.moving_joints:
        joint = joints[i]
        velocity.append(joint.liMi.act_inv_motion(velocity[model.parents[i]]) + joint.vJ)
        yield i, velocity[i]


def accelerations(
    model: Model, joints: Sequence[JointKinematics], a: Sequence[Scalar], universe: Motion
) -> Iterator[tuple[int, Motion, Motion]]:
    """The outward pass: each joint but the universe with its body's velocity and acceleration.

    Both are spatial vectors in the joint's own frame. A ``universe`` that accelerates against
    gravity (:func:`against_gravity`) makes bodies feel their weight.
    """
    acceleration = [universe]
    for i, v in velocities(model, joints):
        joint = joints[i]
        a_i = joint.liMi.act_inv_motion(acceleration[model.parents[i]])
        a_i = a_i + joint.c + v.cross(joint.vJ)
        for column, rate in zip(joint.S, model.v_of(i, a), strict=True):
            a_i = a_i + column * rate
        acceleration.append(a_i)
        yield i, v, a_i


def against_gravity(model: Model) -> Motion:
    """The acceleration of a universe in which resting bodies have their weight: ``-g``."""
    return Motion(-model.gravity_vector, Motion.zero().angular)


def collected(
    model: Model, joints: Sequence[JointKinematics], forces: Sequence[Force]
) -> Iterator[tuple[int, Force]]:
    """The inward pass: each joint with the sum of the forces (or momenta) on its subtree's bodies.

    Each is in the joint's own frame; the universe comes last, with the sum over the whole robot.
    """
    return summed(model, forces, lambda i, total: joints[i].liMi.act_force(total))


def summed(
    model: Model, own: Sequence[Sum], handed: Callable[[int, Sum], Sum]
) -> Iterator[tuple[int, Sum]]:
    """The inward pass: each joint with its own and what its children hand it; the universe last.

    A joint sums up when it is its turn: until then branches wait for nothing of each other.

    Args:
        model: the robot.
        own: of each joint, the universe included.
        handed: what a joint hands to its parent, given its sum.
    """
    arrived: list[list[Sum]] = [[] for _ in own]
    for i in reversed(model.moving_joints):
        total = reduce(add, arrived[i], own[i])
        yield i, total
        arrived[model.parents[i]].append(handed(i, total))
    yield 0, reduce(add, arrived[0], own[0])


def totals(model: Model, own: Sequence[Sum], handed: Callable[[int, Sum], Sum]) -> list[Sum]:
    """The sums of :func:`summed`, joint by joint."""
    found = dict(summed(model, own, handed))
    return [found[i] for i in range(model.njoints)]


def composite_inertias(model: Model, joints: Sequence[JointKinematics]) -> list[Inertia]:
    """The inertia of each joint's subtree as one rigid body, in the joint's frame.

    The first is that of all moving bodies in the world.
    """
    own = [Inertia.zero(), *model.inertias[1:]]
    return totals(model, own, lambda i, total: joints[i].liMi.act_inertia(total))


def joint_space_inertia(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The mass matrix by the composite-rigid-body algorithm, rotors included.

    Entries of joints on different branches are exactly zero.
    """
    joints = joint_kinematics(model, q)
    M: list[list[Scalar]] = [[0.0] * model.nv for _ in range(model.nv)]
    composite = composite_inertias(model, joints)
    for i in reversed(model.moving_joints):
        force = [composite[i].apply(column) for column in joints[i].S]
        for j in model.inwards(i):  # they all see the subtree's momentum
            for row, F in enumerate(force, model.idx_v[i]):
                for k, column in enumerate(joints[j].S, model.idx_v[j]):
                    if i != j or k >= row:
                        _add(M, row, k, column.dot(F), mirror=i != j or k != row)
            force = [joints[j].liMi.act_force(F) for F in force]
    for k, rotor in enumerate(model.armature.tolist()):
        M[k][k] = M[k][k] + rotor
    return M


def _add(M: list[list[Scalar]], i: int, j: int, entry: Scalar, mirror: bool) -> None:
    """Add an entry of two joints to that of their coordinates, and to the one across the diagonal.

    The entries still are zero, but for coordinates that several joints share: those of a primary
    collect what all its mimic joints contribute, also on the diagonal itself.
    """
    M[i][j] = M[i][j] + entry
    if mirror:
        M[j][i] = M[j][i] + entry


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
