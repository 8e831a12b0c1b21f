# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Write a Model as MJCF: bodies, joints and inertias, enough for dynamics."""

from __future__ import annotations

from dyn_core import Model
from dyn_core.joints import FreeFlyer, Joint, Prismatic, Revolute
from dyn_core.spatial import SE3, Inertia, quaternion


def write_mjcf(model: Model) -> str:
    """MJCF of a robot of revolute, prismatic and free joints; what is fixed is left out."""
    children: dict[int, list[int]] = {}
    for i in model.moving_joints:
        children.setdefault(model.parents[i], []).append(i)
    world = "".join(_body(model, i, children) for i in children.get(0, []))
    gravity = " ".join(map(repr, model.gravity))
    return (
        f'<mujoco model="{model.name}"><compiler angle="radian"/><option gravity="{gravity}"/>'
        f"<worldbody>{world}</worldbody></mujoco>"
    )


def _body(model: Model, i: int, children: dict[int, list[int]]) -> str:
    inner = "".join(_body(model, child, children) for child in children.get(i, []))
    entry = model.tree[i]
    joint = _joint(entry.joint, entry.name, entry.limits.armature[0])
    return f"<body {_pose(entry.placement)}>{joint}{_inertial(entry.inertia)}{inner}</body>"


def _pose(placement: SE3) -> str:
    x, y, z, w = quaternion.of_matrix(placement.rotation)
    return f'pos="{_words(placement.translation)}" quat="{_words((w, x, y, z))}"'


def _joint(joint: Joint, name: str, armature: float) -> str:
    if isinstance(joint, FreeFlyer):
        return f'<freejoint name="{name}"/>'
    assert isinstance(joint, Revolute | Prismatic), joint
    kind = "slide" if isinstance(joint, Prismatic) else "hinge"
    axis = _words(joint.axis)
    return f'<joint name="{name}" type="{kind}" axis="{axis}" armature="{armature!r}"/>'


def _inertial(inertia: Inertia) -> str:
    xx, xy, yy, xz, yz, zz = inertia.at_com.entries
    full = _words((xx, yy, zz, xy, xz, yz))
    return f'<inertial mass="{inertia.mass!r}" pos="{_words(inertia.com)}" fullinertia="{full}"/>'


def _words(numbers: object) -> str:
    return " ".join(repr(float(x)) for x in numbers)  # type: ignore[attr-defined]
