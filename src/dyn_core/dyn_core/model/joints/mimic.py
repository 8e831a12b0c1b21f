# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Mimic joint: moves with the coordinate of another joint, its primary."""

from __future__ import annotations

from typing import Any

from dyn_core.model.joints.joint import Freedom, Joint, Reversed
from dyn_core.model.value_checks import finite_number
from dyn_core.spatial import SE3, Motion, Vector3
from dyn_core.spatial.lie import Circle
from dyn_core.spatial.lie.space import Vector


class Mimic(Joint):
    """The joint ``follower`` at ``multiplier * q + offset``, q being its primary's coordinate.

    It has no coordinate of its own: the model gives it its primary's. As its subspace is that of
    the follower times the multiplier, every algorithm treats it exactly.

    The follower's coordinate must be of the primary's kind. Of an angle without ends the turns are
    not known, so a RevoluteUnbounded follower needs a multiplier for which they do not matter: an
    integer.
    """

    def __init__(self, follower: Joint, multiplier: float = 1.0, offset: float = 0.0) -> None:
        turns = isinstance(follower.space, Circle)
        if not (follower.nv == 1 and (follower.space.flat or turns)):
            raise ValueError(
                f"a {type(follower).__name__} joint cannot follow another: only joints of one "
                "coordinate (revolute, prismatic, helical) can"
            )
        multiplier = finite_number("multiplier", multiplier)
        offset = finite_number("offset", offset)
        if turns and multiplier != int(multiplier):
            raise ValueError(
                f"it follows an angle whose full turns are not counted, so the multiplier "
                f"{multiplier} must be an integer; or give the primary the type 'revolute' with "
                "wide limits, which counts full turns"
            )
        self.follower = follower
        self.multiplier = self.ratio = multiplier
        self.offset = offset
        self.space = follower.space

    @property
    def motion_class(self) -> Freedom:
        return self.follower.motion_class if type(self) is Mimic else Freedom.ANY

    @property
    def axis(self) -> Vector3:  # type: ignore[override]
        return self.follower.axis

    def with_axis(self, axis: Vector3) -> Joint:
        return Mimic(self.follower.with_axis(axis), self.multiplier, self.offset)

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "follower": [type(self.follower).__name__, self.follower.parameters],
            "multiplier": self.multiplier,
            "offset": self.offset,
        }

    def transform(self, q: Vector) -> SE3:
        return self.follower.transform(self.own_q(q))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        (column,) = self.follower.subspace(self.own_q(q))
        return (column * self.multiplier,)

    def bias(self, q: Vector, v: Vector) -> Motion:
        return self.follower.bias(self.own_q(q), [self.multiplier * v[0]])

    def reverse(self) -> Reversed:
        turned = self.follower.reverse()
        joint = Mimic(turned.joint, self.multiplier, self.offset)
        return Reversed(joint, turned.configuration, turned.after)

    def own_q(self, q: Vector) -> Vector:
        if isinstance(self.space, Circle):
            return self.space.multiple(q, int(self.multiplier), self.offset)
        return [self.multiplier * q[0] + self.offset]
