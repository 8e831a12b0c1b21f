# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Our models rebuilt with Pinocchio's joints, so that Pinocchio can be asked about any tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from dyn_core import joints
from dyn_core.model import Model
from dyn_core.model.joints.axis_joint import two_across
from dyn_core.spatial import SE3, Inertia


@dataclass(frozen=True)
class Rebuilt:
    """A model of Pinocchio's, and where our joint frames are in its joint frames."""

    model: pin.Model
    corrections: list[pin.SE3]

    def placements(self, data: pin.Data, q: np.ndarray) -> np.ndarray:
        """``oMi`` of our joint frames."""
        pin.forwardKinematics(self.model, data, q)
        return np.array(
            [(M * c).homogeneous for M, c in zip(data.oMi, self.corrections, strict=True)]
        )


def to_pinocchio(model: Model) -> Rebuilt:
    """The same tree in Pinocchio; mimic joints are not rebuilt."""
    result = pin.Model()
    result.gravity = pin.Motion(np.array([*model.gravity, 0.0, 0.0, 0.0]))
    result.appendBodyToJoint(0, body(model.inertias[0]), pin.SE3.Identity())
    corrections = [pin.SE3.Identity()]
    for i in model.moving_joints:
        entry = model.tree[i]
        theirs, before, after = joint(entry.joint)
        at = corrections[entry.parent] * placement(entry.placement) * before
        index = result.addJoint(entry.parent, theirs, at, entry.name)
        result.appendBodyToJoint(index, body(entry.inertia), after)
        corrections.append(after)
    result.armature = np.array(model.armature)
    return Rebuilt(result, corrections)


def placement(M: SE3) -> pin.SE3:
    return pin.SE3(np.array(M.homogeneous()))


def body(inertia: Inertia) -> pin.Inertia:
    at_com = np.array([list(row) for row in inertia.at_com.rows])
    return pin.Inertia(float(inertia.mass), np.array(list(inertia.com)), at_com)


def is_known(ours: joints.Joint) -> bool:
    """Whether Pinocchio has such a joint."""
    return (
        isinstance(ours, (joints.Planar, joints.RevoluteUnbounded, joints.Composite))
        or type(ours) in MAKERS
    )


def joint(ours: joints.Joint) -> tuple[pin.JointModel, pin.SE3, pin.SE3]:
    """Pinocchio's joint of the same kind, and what to place before and after it."""
    nothing = pin.SE3.Identity()
    if isinstance(ours, (joints.Planar, joints.RevoluteUnbounded)):
        # Theirs are about z: the frame is tilted there and back.
        normal = ours.normal if isinstance(ours, joints.Planar) else ours.axis
        axes = np.array([list(axis) for axis in (*two_across(normal), normal)]).T
        tilt = pin.SE3(axes, np.zeros(3))
        turning = isinstance(ours, joints.RevoluteUnbounded)
        theirs = pin.JointModelRUBZ() if turning else pin.JointModelPlanar()
        return theirs, tilt, tilt.inverse()
    if isinstance(ours, joints.Composite):
        result, after = pin.JointModelComposite(len(ours.parts)), nothing
        for part, place in zip(ours.parts, ours.placements, strict=True):
            theirs, before, following = joint(part)
            result.addJoint(theirs, after * placement(place) * before)
            after = following
        return result, nothing, after
    return MAKERS[type(ours)](ours), nothing, nothing


MAKERS = {
    joints.Revolute: lambda j: pin.JointModelRevoluteUnaligned(*j.axis),
    joints.Prismatic: lambda j: pin.JointModelPrismaticUnaligned(*j.axis),
    joints.Helical: lambda j: pin.JointModelHelicalUnaligned(*j.axis, j.pitch),
    joints.Universal: lambda j: pin.JointModelUniversal(*j.axis1, *j.axis2),
    joints.Ellipsoid: lambda j: pin.JointModelEllipsoid(*j.radii),
    joints.Spherical: lambda j: pin.JointModelSpherical(),
    joints.SphericalZYX: lambda j: pin.JointModelSphericalZYX(),
    joints.Translation: lambda j: pin.JointModelTranslation(),
    joints.FreeFlyer: lambda j: pin.JointModelFreeFlyer(),
}
