# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inertia of solid bodies of uniform density, in the frame of their centre, axes along theirs."""

from __future__ import annotations

import math

from dyn_core.spatial.inertia import Inertia
from dyn_core.spatial.matrix3 import Symmetric3
from dyn_core.spatial.vector3 import Vector3


def box(mass: float, x: float, y: float, z: float) -> Inertia:
    """A box with edges of lengths x, y, z (m)."""
    xx, yy, zz = x * x, y * y, z * z
    return _solid(mass, (yy + zz) / 12.0, (xx + zz) / 12.0, (xx + yy) / 12.0)


def ellipsoid(mass: float, a: float, b: float, c: float) -> Inertia:
    """An ellipsoid with semi-axes a, b, c (m) along x, y, z."""
    aa, bb, cc = a * a, b * b, c * c
    return _solid(mass, (bb + cc) / 5.0, (aa + cc) / 5.0, (aa + bb) / 5.0)


def sphere(mass: float, radius: float) -> Inertia:
    """A ball (m)."""
    return ellipsoid(mass, radius, radius, radius)


def cylinder(mass: float, radius: float, length: float) -> Inertia:
    """A cylinder with its axis along z (m)."""
    across = radius * radius / 4.0 + length * length / 12.0
    return _solid(mass, across, across, radius * radius / 2.0)


def capsule(mass: float, radius: float, length: float) -> Inertia:
    """A cylinder of ``length`` along z with half a ball on each end (m)."""
    tube = math.pi * radius**2 * length
    balls = 4.0 / 3.0 * math.pi * radius**3
    if tube + balls == 0.0:
        return _solid(mass, 0.0, 0.0, 0.0)
    share = tube / (tube + balls)  # of the mass, in the tube
    r, h = radius, length
    along = share * r * r / 2.0 + (1.0 - share) * 2.0 / 5.0 * r * r
    across_tube = r * r / 4.0 + h * h / 12.0
    across_balls = 2.0 / 5.0 * r * r + h * h / 4.0 + 3.0 / 8.0 * h * r
    across = share * across_tube + (1.0 - share) * across_balls
    return _solid(mass, across, across, along)


def _solid(mass: float, ixx: float, iyy: float, izz: float) -> Inertia:
    """From the moments of inertia about the centre per kilogram (m^2)."""
    at_com = Symmetric3(mass * ixx, 0.0, mass * iyy, 0.0, 0.0, mass * izz)
    return Inertia.from_com(mass, Vector3.zero(), at_com)
