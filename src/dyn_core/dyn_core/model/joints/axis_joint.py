# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joints along or about one axis, and the axis as it comes from a user or a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dyn_core.model.joints.joint import Joint
from dyn_core.model.value_checks import finite_numbers
from dyn_core.spatial import Vector3
from dyn_core.spatial.lie import VectorSpace
from dyn_core.spatial.lie.space import Space

MAX_LENGTH_ERROR = 1e-15
"""How far the length of an axis may be from 1 after it was scaled."""


def unit_axis(axis: Sequence[float]) -> Vector3:
    """``axis`` scaled to unit length; coordinate axes and axes that were scaled before stay exact.

    Raises:
        ValueError: the axis has not three finite numbers or no length.
    """
    entries = finite_numbers(axis, 3, "a joint axis")
    length = math.hypot(*entries)
    if length < 1e-9:
        raise ValueError("a joint axis must have a length; give for example '0 0 1'")
    if abs(length - 1.0) < MAX_LENGTH_ERROR:
        return Vector3(*entries)
    return Vector3(*(x / length for x in entries))


def two_across(normal: Vector3) -> tuple[Vector3, Vector3]:
    """Two unit vectors that make a right-handed frame with the unit vector ``normal``.

    For the normals x, y and z they are exactly (y, z), (z, x) and (x, y).
    """
    entries = [abs(x) for x in normal]
    following = (entries.index(max(entries)) + 1) % 3
    helper = Vector3(*(1.0 if k == following else 0.0 for k in range(3)))
    second = unit_axis(list(normal.cross(helper)))
    return second.cross(normal), second


class AxisJoint(Joint):
    """One coordinate and an axis that is fixed in both bodies."""

    space: Space = VectorSpace(1)

    def __init__(self, axis: Sequence[float] = (0.0, 0.0, 1.0)) -> None:
        self.axis = unit_axis(axis)

    @property
    def parameters(self) -> dict[str, Any]:
        return {"axis": list(self.axis)}
