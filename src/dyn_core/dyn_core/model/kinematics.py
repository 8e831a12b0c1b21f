"""Where joints and bodies are and how they move: what every algorithm needs first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dyn_core.model.model import Model
from dyn_core.scalars import Scalar
from dyn_core.spatial import SE3, Motion


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


def placements(model: Model, joints: Sequence[JointKinematics]) -> list[SE3]:
    """``oMi`` of every joint, the universe included: its placement in the world."""
    oMi: list[SE3] = []
    for i, joint in enumerate(joints):
        oMi.append(joint.liMi if i == 0 else oMi[model.parents[i]] * joint.liMi)
    return oMi


def velocities(model: Model, joints: Sequence[JointKinematics]) -> Iterator[tuple[int, Motion]]:
    """The outward pass: each joint but the universe with its body's velocity, in its own frame."""
    velocity = [Motion.zero()]
    for i in model.moving_joints:
        joint = joints[i]
        velocity.append(joint.liMi.act_inv_motion(velocity[model.parents[i]]) + joint.vJ)
        yield i, velocity[i]
