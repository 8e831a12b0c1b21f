# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whether a body with given inertial parameters can exist, and a placement be rigid."""

from __future__ import annotations

import math

import numpy as np

from dyn_core.spatial.inertia import Inertia
from dyn_core.spatial.se3 import SE3

TOLERANCE = 1e-9
"""Rounding that is forgiven, relative to the size of the inertia."""
ORTHONORMAL = 1e-6
"""How far a rotation may be from orthonormal."""


def placement_objection(placement: SE3) -> str | None:
    """Why this is no rigid transform, in words; None if it is one."""
    rows = placement.rotation.rows
    if not all(math.isfinite(x) for row in (*rows, placement.translation) for x in row):
        return "is not finite (NaN, or too large for a number); correct it"
    products = [rows[i].dot(rows[j]) - float(i == j) for i in range(3) for j in range(i, 3)]
    if max(map(abs, products)) > ORTHONORMAL or rows[0].cross(rows[1]).dot(rows[2]) < 0.0:
        return (
            "does not turn by a rotation matrix (of a quaternion, its length is not 1; of axes, "
            "they are not orthonormal and right-handed); correct it"
        )
    return None


def objection(inertia: Inertia) -> str | None:
    """Why no rigid body has this inertia, in words; None if one can have it.

    The mass must be positive, and the principal moments about the centre of mass must be positive
    and satisfy the triangle inequality: none may exceed the sum of the other two. A body on a line
    or in a plane, where equality holds, is accepted.
    """
    if not all(map(math.isfinite, inertia.parameters)):
        return "a parameter is not finite"
    if inertia.mass <= 0.0:
        return f"the mass is {inertia.mass:.6g} kg; it must be positive"
    at_com = np.array([list(row) for row in inertia.at_com.rows])
    moments = np.linalg.eigvalsh(at_com)
    about_origin = inertia.rotational
    sizes = (*moments, about_origin.xx, about_origin.yy, about_origin.zz)
    slack = TOLERANCE * max(abs(float(size)) for size in sizes)
    listed = ", ".join(f"{moment:.6g}" for moment in moments)
    if moments[0] < -slack:
        return f"the principal moments are {listed} kg m^2; none may be negative"
    if moments[2] > moments[0] + moments[1] + slack:
        return (
            f"the principal moments are {listed} kg m^2; the largest must not exceed the sum of "
            "the other two"
        )
    return None
