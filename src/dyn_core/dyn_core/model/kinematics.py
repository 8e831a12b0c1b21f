"""What every algorithm needs first: each joint's placement, subspace, velocity and bias."""

from __future__ import annotations

from collections.abc import Sequence
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
