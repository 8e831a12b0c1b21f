# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Meshes of files: vertices and triangles, read by trimesh, which is an optional dependency."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dyn_core.errors import MissingFileError, ModelError, UnreadableFileError
from dyn_core.extras import optional

Vertices = NDArray[np.float64]
Faces = NDArray[np.int64]
COLLADA_UNIT = re.compile(rb"<unit\b[^>]*\bmeter\s*=\s*[\"']([^\"']*)")


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles."""

    vertices: Vertices
    """(n, 3), m."""
    faces: Faces
    """(m, 3) indices of vertices, counter-clockwise as seen from outside."""

    def scaled(self, scale: tuple[float, float, float]) -> Mesh:
        """The mesh scaled along its axes; the triangles of a mirrored mesh are reversed."""
        faces = self.faces[:, ::-1] if np.prod(scale) < 0.0 else self.faces
        return Mesh(self.vertices * scale, faces)


def read_mesh(path: Path, where: str) -> Mesh:
    """The triangles of a mesh file, of STL, OBJ and all else that trimesh knows.

    A file of points alone gives a mesh without triangles.

    Raises:
        ModelError: there is no such file, or it is broken; the message begins with ``where``.
    """
    if not path.is_file():
        raise MissingFileError(f"{where}: there is no mesh file '{path}'; correct its path")
    trimesh = optional("trimesh", f"{where}: reading '{path.name}'", "geometry")
    try:
        options = {"process": False, "skip_materials": True, "file_obj": path}
        loaded = trimesh.load(force="mesh", **options)
        faces = np.array(loaded.faces, dtype=np.int64)
        if not len(faces):  # of points alone that would have none left
            loaded = trimesh.load(**options)
        vertices = np.array(loaded.vertices, dtype=np.float64)
    except ImportError as error:
        raise ModelError(
            f"{where}: to read '{path.name}' trimesh needs another package ({error}); install it, "
            "or convert the mesh to STL or OBJ"
        ) from error
    except Exception as error:  # trimesh does not catch the errors of its parsers
        raise UnreadableFileError(
            f"{where}: cannot read the mesh file '{path}': {error!r}; export it again"
        ) from error
    return _checked(vertices * _unit(path), faces, f"{where}: the mesh file '{path}'")


def _unit(path: Path) -> float:
    """The unit of a COLLADA file, m, which trimesh passes over and RViz does not."""
    if path.suffix.lower() != ".dae":
        return 1.0
    found = COLLADA_UNIT.search(path.read_bytes())
    try:
        unit = float(found[1]) if found else 1.0
    except ValueError:
        return 1.0
    return unit if 0.0 < unit < math.inf else 1.0


def convex_hull(vertices: Vertices, where: str) -> Faces:
    """The triangles of the convex hull of points, counter-clockwise as seen from outside.

    Raises:
        ModelError: scipy is not installed, or the points are in a plane.
    """
    spatial = optional("scipy.spatial", f"{where}: its convex hull", "geometry")
    try:
        hull = spatial.ConvexHull(vertices)
    except (spatial.QhullError, ValueError) as error:
        raise ModelError(f"{where}: its points have no convex hull; are they flat?") from error
    faces: Faces = hull.simplices.astype(np.int64)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inwards] = faces[inwards][:, ::-1]
    return faces


def _checked(vertices: Vertices, faces: Faces, where: str) -> Mesh:
    if vertices.ndim != 2 or not len(vertices):
        raise UnreadableFileError(f"{where} has no vertices")
    if not np.isfinite(vertices).all():
        raise UnreadableFileError(f"{where} has vertices that are not finite")
    if len(faces) and not 0 <= faces.min() <= faces.max() < len(vertices):
        raise UnreadableFileError(f"{where} has triangles of vertices that it does not have")
    return Mesh(vertices, faces)
