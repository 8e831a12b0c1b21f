# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A robot with the same joint-space dynamics that takes fewer operations to compute.

A joint's effort does not depend on all inertial parameters of its body. Mass on the axis of a hinge
may belong to either of the two bodies; so may the rotational inertia of the body behind a slide.
Such inertia is moved to the parent body, joint by joint from the tips. The body of a hinge keeps
seven of its ten inertial parameters, that of a slide four (base parameters: Gautier and Khalil
1990; Khalil and Dombre 2002, section 9.4). Joint frames are turned so that joint axes are z: all
rotations then have the form of those about z.

Joint efforts, mass matrix and joint accelerations stay the same up to rounding. Placements,
velocities and forces of bodies change, and so does the potential energy. Frames keep their origins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dyn_core.model.joints import Freedom, Joint
from dyn_core.model.joints.axis_joint import two_across
from dyn_core.model.model import Model
from dyn_core.model.tree_joint import TreeJoint
from dyn_core.spatial import SE3, Force, Inertia, Matrix3, Symmetric3, Vector3

ALONG_AN_AXIS = (Freedom.TURN, Freedom.SLIDE)
Z = Vector3(0.0, 0.0, 1.0)
UNIT_LENGTH_TOLERANCE = 1e-15
"""Entries of a rotation matrix that are nearer to an integer are set to this integer."""
MAX_ROUNDING_ERROR = 8.0 * 2.0**-52
"""The largest rounding error of an exact zero, relative to the body's inertia or first moment."""


@dataclass(frozen=True)
class Equivalent:
    """A model with the same joint-space dynamics as another, here called the original."""

    model: Model
    """Coordinates, limits and frames are the original's; joint frames are turned."""
    turns: tuple[Matrix3, ...]
    """For each joint the orientation of its frame in the original's frame."""

    @classmethod
    def unchanged(cls, model: Model) -> Equivalent:
        """The model itself."""
        return cls(model, tuple(Matrix3.identity() for _ in model.tree))

    def forces(self, original: Sequence[Force]) -> tuple[Force, ...]:
        """Forces on bodies in this model's joint frames, given in the original's."""
        pairs = zip(self.turns, original, strict=True)
        return tuple(SE3(turn, Vector3.zero()).act_inv_force(force) for turn, force in pairs)


def equivalent(model: Model) -> Equivalent:
    """The equivalent of ``model`` that takes the fewest operations to compute."""
    turns = tuple(_to_z(entry.joint) for entry in model.tree)
    tree = [_turned(entry, turns[entry.parent], turns[i]) for i, entry in enumerate(model.tree)]
    frames = tuple(
        replace(frame, placement=_turned_back(turns[frame.joint], frame.placement))
        for frame in model.frames
    )
    return Equivalent(replace(model, tree=tuple(_regrouped(tree)), frames=frames), turns)


def _to_z(joint: Joint) -> Matrix3:
    """The rotation that takes z to the axis of the joint, if it has one."""
    if joint.motion_class in ALONG_AN_AXIS:
        return Matrix3(*two_across(joint.axis), joint.axis).transpose()
    return Matrix3.identity()


def _turned(entry: TreeJoint, parent_turn: Matrix3, turn: Matrix3) -> TreeJoint:
    """A joint between bodies whose frames are turned, with its axis along z."""
    return replace(
        entry,
        joint=_about_z(entry.joint),
        placement=_turned_back(parent_turn, entry.placement * SE3(turn, Vector3.zero())),
        inertia=SE3(turn, Vector3.zero()).act_inv_inertia(entry.inertia),
    )


def _about_z(joint: Joint) -> Joint:
    return joint.with_axis(Z) if joint.motion_class in ALONG_AN_AXIS else joint


def _turned_back(turn: Matrix3, placement: SE3) -> SE3:
    """A placement in a frame that is turned; zeros and ones stay exact."""
    placed = SE3(turn, Vector3.zero()).inverse() * placement
    rows = [[_exact(x) for x in row] for row in placed.rotation.rows]
    return SE3(Matrix3.of(rows), placed.translation)


def _exact(x: float) -> float:
    return float(round(x)) if abs(x - round(x)) < UNIT_LENGTH_TOLERANCE else x


def _regrouped(tree: Sequence[TreeJoint]) -> list[TreeJoint]:
    """The joints, with inertia that does not affect their efforts moved to the parent body.

    Bodies without inertia next to the world stay so: their joints may be those of a floating base.
    """
    inertias, empty = [entry.inertia for entry in tree], [True]
    for entry in tree[1:]:
        empty.append(empty[entry.parent] and not any(entry.inertia.parameters))
    for i in reversed(range(1, len(tree))):
        parent = tree[i].parent
        if parent and empty[parent]:
            continue
        unfelt, felt = _split(tree[i].joint.motion_class, inertias[i])
        inertias[i] = _without_rounding(felt, inertias[i])
        if parent:  # the world does not move
            inertias[parent] = inertias[parent] + tree[i].placement.act_inertia(unfelt)
    return [replace(x, inertia=inertia) for x, inertia in zip(tree, inertias, strict=True)]


def _split(motion: Freedom, inertia: Inertia) -> tuple[Inertia, Inertia]:
    """A body's inertia in two parts: the one that does not affect a joint along z, and the rest.

    A thin rod on its axis does not affect a hinge: mass, first and second moment along z. The rest
    has no second moment along z: its Izz is Ixx + Iyy. No inertia affects a fixed joint.
    """
    xx, xy, yy, xz, yz, zz = inertia.rotational.entries
    x, y, z = inertia.first_moment
    if motion is Freedom.NONE:
        return inertia, Inertia.zero()
    if motion is Freedom.TURN:
        along = 0.5 * (xx + yy - zz)
        rod = Inertia(inertia.mass, Z * z, Symmetric3(along, 0.0, along, 0.0, 0.0, 0.0))
        xx = 0.5 * (xx - yy + zz)  # xx - along, with less rounding
        yy = zz - xx
        return rod, Inertia(0.0, Vector3(x, y, 0.0), Symmetric3(xx, xy, yy, xz, yz, xx + yy))
    if motion is Freedom.SLIDE:
        spin = Inertia(0.0, Vector3.zero(), inertia.rotational)
        return spin, Inertia(inertia.mass, inertia.first_moment, Symmetric3.zero())
    return Inertia.zero(), inertia


def _without_rounding(rest: Inertia, whole: Inertia) -> Inertia:
    """The rest of a body's inertia, with zeros for entries that are rounding errors."""

    def cleaned(numbers: Iterable[float], of: Iterable[float]) -> list[float]:
        size = max(map(abs, of))
        return [x if abs(x) > MAX_ROUNDING_ERROR * size else 0.0 for x in numbers]

    h = cleaned(rest.first_moment, whole.first_moment)
    xx, xy, yy, xz, yz, zz = cleaned(rest.rotational.entries, whole.rotational.entries)
    zz = xx + yy if zz == rest.rotational.xx + rest.rotational.yy else zz
    return Inertia(rest.mass, Vector3.of(h), Symmetric3(xx, xy, yy, xz, yz, zz))
