"""Jacobian of a frame: its velocity is J v."""

from __future__ import annotations

from dyn_core.algorithms.arrays import Configuration
from dyn_core.algorithms.options import LOCAL, Reference
from dyn_core.algorithms.quantity import quantity
from dyn_core.model.frame import Frame
from dyn_core.model.kinematics import joint_kinematics
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar
from dyn_core.spatial import SE3, Vector3


@quantity(
    "J",
    "Jacobian of a frame, linear rows first",
    unit="m, 1",
    shape=(6, "nv"),
    frame="asked for",
    pinocchio="computeFrameJacobian",
    source="Featherstone 2008, section 2.14",
)
def frame_jacobian(
    model: Model, q: Configuration, *, frame: Frame, reference: Reference = LOCAL
) -> list[list[Scalar]]:
    """``J`` with ``J v`` the spatial velocity of a frame.

    Columns of joints that do not move the frame are exactly zero; that of a primary joint is the
    sum of its own and those of its mimic joints.
    """
    joints = joint_kinematics(model, q)
    J: list[list[Scalar]] = [[0.0] * model.nv for _ in range(6)]
    ahead = frame.placement  # of the frame in joint i
    chain, i = [], frame.joint
    while i:
        chain.append((i, ahead))
        ahead, i = joints[i].liMi * ahead, model.parents[i]
    seen_from = _seen_from(ahead, reference)  # the universe's: ahead is oMf now
    for i, iMf in chain:
        for k, column in enumerate(joints[i].S, model.idx_v[i]):
            here = seen_from.act_motion(iMf.act_inv_motion(column))
            for row, x in zip(J, here, strict=True):
                row[k] = row[k] + x
    return J


def _seen_from(oMf: SE3, reference: Reference) -> SE3:
    """The placement that takes a motion from the frame to the reference."""
    if reference is Reference.LOCAL:
        return SE3.identity()
    if reference is Reference.WORLD:
        return oMf
    return SE3(oMf.rotation, Vector3.zero())
