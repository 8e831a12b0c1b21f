# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Meshes of files: vertices and triangles, read by trimesh, which is an optional dependency."""

from __future__ import annotations

import io
import math
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.errors import MissingFileError, ModelError
from dyn_core.extras import optional

Vertices = NDArray[np.float64]
Faces = NDArray[np.int64]
MUJOCO_SUFFIX = ".msh"
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
    """The triangles of a mesh file, of STL, OBJ and all else that trimesh knows, and MuJoCo's MSH.

    A file of points alone gives a mesh without triangles.

    Raises:
        ModelError: there is no such file, or it is broken; the message begins with ``where``.
    """
    if not path.is_file():
        raise MissingFileError(f"{where}: there is no mesh file '{path}'; correct its path")
    if path.suffix.lower() == MUJOCO_SUFFIX:
        return _mujoco_mesh(path, where)
    trimesh = optional("trimesh", f"{where}: reading '{path.name}'", "geometry")
    try:
        options = {"process": False, "skip_materials": True, **_source(path)}
        loaded = trimesh.load(force="mesh", **options)
        faces = np.array(loaded.faces, dtype=np.int64)
        if not len(faces):  # of points alone that would have none left
            loaded = trimesh.load(**{**options, **_source(path)})
        vertices = np.array(loaded.vertices, dtype=np.float64)
    except ImportError as error:
        raise ModelError(
            f"{where}: to read '{path.name}' trimesh needs another package ({error}); install it, "
            "or convert the mesh to STL or OBJ"
        ) from error
    except Exception as error:  # trimesh does not catch the errors of its parsers
        raise ModelError(f"{where}: cannot read the mesh file '{path}': {error!r}") from error
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


def _source(path: Path) -> dict[str, Any]:
    """The input of trimesh: the file, or its text with each quadrangle cut as MuJoCo does."""
    if path.suffix.lower() != ".obj":
        return {"file_obj": path}
    text = path.read_text(encoding="utf-8", errors="replace")
    return {"file_obj": io.StringIO(_cut_at_shorter_diagonal(text)), "file_type": "obj"}


def _cut_at_shorter_diagonal(text: str) -> str:
    """The text of an OBJ file in which quadrangles begin at an end of their shorter diagonal.

    Triangles are made from the first vertex on; where the corners are not in a plane, the diagonal
    decides about the volume.
    """
    points: list[list[float]] = []
    lines = text.splitlines()
    for k, line in enumerate(lines):
        kind, *words = line.split() or [""]
        if kind == "v":
            points.append([float(word) for word in words[:3]])
        elif kind == "f" and len(words) == 4:
            corners = [points[i - 1 if i > 0 else i] for i in (int(w.split("/")[0]) for w in words)]
            first, second = (math.dist(corners[i], corners[i + 2]) for i in (0, 1))
            if second < first:
                lines[k] = " ".join(["f", *words[1:], words[0]])
    return "\n".join(lines)


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


def _mujoco_mesh(path: Path, where: str) -> Mesh:
    """MuJoCo's binary format: four counts, then vertices, normals, texture points, triangles."""
    data = path.read_bytes()
    broken = ModelError(f"{where}: '{path}' is no mesh in MuJoCo's format; its sizes do not fit")
    if len(data) < 16:
        raise broken
    points, normals, textures, triangles = struct.unpack("<4i", data[:16])
    sizes = (3 * points, 3 * normals, 2 * textures, 3 * triangles)
    if min(sizes) < 0 or len(data) != 16 + 4 * sum(sizes):
        raise broken
    vertices = np.frombuffer(data, "<f4", sizes[0], 16).astype(np.float64).reshape(-1, 3)
    faces = np.frombuffer(data, "<i4", sizes[3], 16 + 4 * sum(sizes[:3])).astype(np.int64)
    return _checked(vertices, faces.reshape(-1, 3), f"{where}: the mesh file '{path}'")


def _checked(vertices: Vertices, faces: Faces, where: str) -> Mesh:
    if vertices.ndim != 2 or not len(vertices):
        raise ModelError(f"{where} has no vertices")
    if not np.isfinite(vertices).all():
        raise ModelError(f"{where} has vertices that are not finite")
    if len(faces) and not 0 <= faces.min() <= faces.max() < len(vertices):
        raise ModelError(f"{where} has triangles of vertices that it does not have")
    return Mesh(vertices, faces)
