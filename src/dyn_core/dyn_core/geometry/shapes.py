# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Shapes of bodies, each in a frame of its own; lengths in m."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dyn_core.formats.meshes import Mesh


@dataclass(frozen=True)
class Box:
    """A cuboid about the origin."""

    x: float
    """Whole length along x, as the others."""
    y: float
    z: float


@dataclass(frozen=True)
class Sphere:
    """A ball about the origin."""

    radius: float


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z about the origin."""

    radius: float
    length: float
    """From end to end."""


@dataclass(frozen=True)
class Capsule:
    """A cylinder along z about the origin with a half ball on each end."""

    radius: float
    length: float
    """Of the cylinder: the capsule is two radii longer."""


@dataclass(frozen=True)
class EllipsoidShape:
    """An ellipsoid about the origin."""

    x: float
    """Half axis along x, as the others."""
    y: float
    z: float


@dataclass(frozen=True)
class HalfSpace:
    """All that is below the plane z = 0."""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles of a file, scaled already."""

    mesh: Mesh
    path: Path | None
    """The file; None of a mesh that is written out in a description."""
    scale: tuple[float, float, float]
    """By what the file's coordinates were multiplied."""
    is_convex: bool = False
    """Whether the hull of the mesh is meant, as MuJoCo means it for collisions."""


Shape = Box | Sphere | Cylinder | Capsule | EllipsoidShape | HalfSpace | TriangleMesh
