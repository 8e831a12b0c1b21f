# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Shapes of bodies, each in a frame of its own; lengths in m."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dyn_core.readers.meshes import Mesh


@dataclass(frozen=True)
class Box:
    """A cuboid about the origin."""

    x: float
    """Full length along x; likewise along y and z."""
    y: float
    z: float


@dataclass(frozen=True)
class Sphere:
    """A sphere about the origin."""

    radius: float


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z about the origin."""

    radius: float
    length: float
    """Distance between the end faces."""


@dataclass(frozen=True)
class Capsule:
    """A cylinder along z about the origin with a hemisphere at each end."""

    radius: float
    length: float
    """Length of the cylinder; the capsule is two radii longer."""


@dataclass(frozen=True)
class EllipsoidShape:
    """An ellipsoid about the origin."""

    x: float
    """Semi-axis along x; likewise along y and z."""
    y: float
    z: float


@dataclass(frozen=True)
class HalfSpace:
    """The half-space below the plane z = 0."""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """A triangle mesh with scaled vertices."""

    mesh: Mesh
    path: Path | None
    """The mesh file; None for a mesh whose vertices stand in the description."""
    scale: tuple[float, float, float]
    """The factors by which the file's coordinates were multiplied."""
    is_convex: bool = False
    """Whether the convex hull replaces the mesh, as in collisions of MuJoCo."""


Shape = Box | Sphere | Cylinder | Capsule | EllipsoidShape | HalfSpace | TriangleMesh
"""Any of the shapes."""
