"""Forward kinematics: where every joint frame is (Featherstone 2008, section 4.6)."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.model.kinematics import joint_kinematics
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar
from dyn_core.spatial import SE3


def forward_kinematics(model: Model, q: Sequence[Scalar]) -> list[SE3]:
    """``oMi`` of every joint, the universe included: its placement in the world."""
    oMi: list[SE3] = []
    for i, joint in enumerate(joint_kinematics(model, q)):
        oMi.append(joint.liMi if i == 0 else oMi[model.parents[i]] * joint.liMi)
    return oMi
