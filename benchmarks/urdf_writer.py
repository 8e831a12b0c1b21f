# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Write a Model as URDF: bodies, joints and inertias, so that every peer reads the same robot."""

from __future__ import annotations

import numpy as np
from robots import FLOATING, Robot
from scipy.spatial.transform import Rotation

from dyn_core.joints import FreeFlyer, Joint, Prismatic, Revolute
from dyn_core.spatial import SE3, Inertia


def write_urdf(robot: Robot) -> str:
    """URDF of a robot of revolute and prismatic joints; what is fixed belongs to what carries it.

    Links are called ``link`` and the joint's number. A free flyer has no joint: its body is the
    root, which peers put on a base of their own.
    """
    model = robot.model
    parts = (
        []
        if robot.name in FLOATING
        else ['<link name="link0">' + _inertial(Inertia.zero()) + "</link>"]
    )
    for i in model.moving_joints:
        entry = model.tree[i]
        parts.append(f'<link name="link{i}">{_inertial(entry.inertia)}</link>')
        if not isinstance(entry.joint, FreeFlyer):
            parts.append(
                f'<joint name="{entry.name}" type="{_kind(entry.joint)}">'
                f'<parent link="link{entry.parent}"/><child link="link{i}"/>'
                f'{_origin(entry.placement)}<axis xyz="{_words(entry.joint.axis)}"/>'
                '<limit lower="-100" upper="100" velocity="100" effort="10000"/></joint>'
            )
    return f'<robot name="{model.name}">{"".join(parts)}</robot>'


def _kind(joint: Joint) -> str:
    assert isinstance(joint, Revolute | Prismatic), joint
    return "prismatic" if isinstance(joint, Prismatic) else "revolute"


def _origin(placement: SE3) -> str:
    rpy = Rotation.from_matrix(np.array(placement.homogeneous())[:3, :3]).as_euler("xyz")
    return f'<origin xyz="{_words(placement.translation)}" rpy="{_words(rpy)}"/>'


def _inertial(inertia: Inertia) -> str:
    names = ("ixx", "ixy", "iyy", "ixz", "iyz", "izz")
    entries = zip(names, inertia.at_com.entries, strict=True)
    moments = " ".join(f'{name}="{float(x)!r}"' for name, x in entries)
    return (
        f'<inertial><origin xyz="{_words(inertia.com)}"/><mass value="{float(inertia.mass)!r}"/>'
        f"<inertia {moments}/></inertial>"
    )


def _words(numbers: object) -> str:
    return " ".join(repr(float(x)) for x in numbers)  # type: ignore[attr-defined]
