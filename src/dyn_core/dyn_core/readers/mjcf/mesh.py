# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF's mesh assets: their triangles, and mass and inertia as MuJoCo's compiler finds them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dyn_core.errors import MissingFileError, ModelError
from dyn_core.readers.meshes import Faces, Mesh, Vertices, convex_hull, read_mesh
from dyn_core.readers.mjcf.document import Document, ElementFields
from dyn_core.readers.mjcf.principal import principal_axes
from dyn_core.readers.mjcf.settings import SMALL, MjcfSettings, unit_quaternion
from dyn_core.readers.parsing import read_numbers
from dyn_core.spatial import SE3, Matrix3, Vector3

INERTIAS = ("convex", "exact", "legacy", "shell")
MOST_NUMBERS = 10_000_000


@dataclass(frozen=True, eq=False)
class MeshSolid:
    """A mesh as a body of density 1."""

    amount: float
    """Volume (m^3), or the surface (m^2) of a shell."""
    moments: tuple[float, float, float]
    """Principal moments per unit of mass, m^2; the largest first, as MuJoCo sorts them."""
    placement: SE3
    """Of the centre of mass and the principal axes in the frame of the geom."""
    mesh: Mesh


class Meshes:
    """The mesh assets of a document, each read when it is asked for."""

    def __init__(self, document: Document, settings: MjcfSettings) -> None:
        self.document = document
        self.settings = settings
        self._elements: dict[str, ET.Element] = {}
        for element in document.in_sections("asset"):
            if element.tag == "mesh":
                file = element.get("file", "").replace("\\", "/")
                self._elements.setdefault(element.get("name") or Path(file).stem, element)
        self._solids: dict[str, MeshSolid | None] = {}

    def solid(self, name: str, where: str) -> MeshSolid | None:
        """The mesh as a solid; None if it is left out.

        Raises:
            ModelError: there is no such mesh, it cannot be read or has no volume.
        """
        if name not in self._solids:
            mesh = self.mesh(name, where)
            self._solids[name] = None if mesh is None else self._solid_of(mesh, name)
        return self._solids[name]

    def mesh(self, name: str, where: str) -> Mesh | None:
        """The triangles of a mesh in the frame of its geoms; None where it is left out."""
        if name not in self._elements:
            raise MissingFileError(
                f"{where}: there is no mesh '{name}' in <asset>; correct the name"
            )
        fields = self._fields(name)
        if "builtin" in fields:
            self.document.refuse("mesh", f"{fields.where}, which only MuJoCo's compiler makes")
            return None
        if "mesh" in self.document.ignore:
            return None
        return self._transformed(self._raw(fields), fields)

    def _fields(self, name: str) -> ElementFields:
        return self.document.fields(self._elements[name], f"mesh '{name}'")

    def _raw(self, fields: ElementFields) -> Mesh:
        """As in its file, or in the document itself; in single precision, as MuJoCo keeps it."""
        if "vertex" in fields:
            vertices = _triples(fields, "vertex")
            faces = _triples(fields, "face").astype(np.int64) if "face" in fields else None
        else:
            mesh = read_mesh(self._path(fields), fields.where)
            vertices, faces = mesh.vertices, mesh.faces
        single: Vertices = vertices.astype(np.float32).astype(np.float64)
        if faces is None or not len(faces):
            faces = convex_hull(single, fields.where)
        if not 0 <= faces.min() <= faces.max() < len(single):
            raise ModelError(f"{fields.where}: a face has a vertex that does not exist; correct it")
        return Mesh(single, faces)

    def _path(self, fields: ElementFields) -> Path:
        file = Path(fields.required("file").replace("\\", "/"))
        folder = self.document.folder
        if folder is None:
            raise ModelError(
                f"{fields.where} is in the file '{file}', but a text has no folder where to look "
                "for it; give the path of the MJCF file instead"
            )
        name = file.name if self.settings.strippath else file
        return folder / self.settings.meshdir / name

    def _transformed(self, mesh: Mesh, fields: ElementFields) -> Mesh:
        """Moved by refpos, turned by refquat, scaled."""
        w, x, y, z = fields.numbers("refquat", (1.0, 0.0, 0.0, 0.0))
        rotation = Matrix3.quaternion(*unit_quaternion((x, y, z, w), fields.where))
        sx, sy, sz = fields.numbers("scale", (1.0, 1.0, 1.0))
        turn = np.array([list(row) for row in rotation.rows])
        moved = mesh.vertices - fields.numbers("refpos", (0.0, 0.0, 0.0))
        return Mesh(moved @ turn, mesh.faces).scaled((sx, sy, sz))

    def _solid_of(self, mesh: Mesh, name: str) -> MeshSolid | None:
        fields = self._fields(name)
        kind = fields.word("inertia", INERTIAS, "legacy")
        faces = mesh.faces
        if kind == "convex":
            if fields.number("maxhullvert", -1.0) > 0.0:
                self.document.refuse("mesh", f"{fields.where}: a hull of few vertices")
                return None
            faces = convex_hull(mesh.vertices, fields.where)
        middle = _middle(mesh)
        amount, com, _ = _integrals(mesh.vertices, faces, middle, kind)
        if amount <= SMALL:
            raise ModelError(
                f"{fields.where} encloses {amount:.3g} m^3; turn its faces outwards, or give it "
                "inertia='shell'"
            )
        amount, _, products = _integrals(mesh.vertices - com, faces, np.zeros(3), kind)
        moments, axes = principal_axes(np.trace(products) * np.eye(3) - products)
        x, y, z = (moment / amount for moment in moments)
        placement = SE3(axes, Vector3(*com.tolist()))
        return MeshSolid(float(amount), (x, y, z), placement, mesh)


def _triples(fields: ElementFields, name: str) -> NDArray[np.float64]:
    text = fields.values[name]
    numbers = read_numbers(text, f"{fields.where}: {name}", MOST_NUMBERS, least=3)
    if len(numbers) % 3:
        raise ModelError(f"{fields.where}: {name} has {len(numbers)} numbers, not triples")
    return np.array(numbers, dtype=np.float64).reshape(-1, 3)


def _middle(mesh: Mesh) -> Vertices:
    """The centroid of the surface."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    result: Vertices = areas @ (a + b + c) / (3.0 * max(float(areas.sum()), SMALL))
    return result


def _integrals(
    vertices: Vertices, faces: Faces, apex: Vertices, kind: str
) -> tuple[float, Vertices, Vertices]:
    """Volume, centroid and the second moments about the origin of the pyramids over all triangles.

    They stand on the triangles with their tips at ``apex``, which is the origin where the moments
    matter. ``legacy`` counts all of them as positive, which is wrong where the mesh is not convex
    and right where its triangles are turned at random; of a ``shell`` the surface counts, and its
    centroid lies a quarter of the way towards the apex, as in MuJoCo.
    """
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    centers = (a + b + c) / 3.0
    if kind == "shell":
        amounts = np.linalg.norm(normals, axis=1) / 2.0
    else:
        amounts = np.einsum("ij,ij->i", centers - apex, normals) / 6.0
    if kind == "legacy":
        amounts = np.abs(amounts)
    total = float(amounts.sum())
    centroid = amounts @ (0.75 * centers + 0.25 * apex)
    summed = a + b + c
    parts = [np.einsum("i,ij,ik->jk", amounts, x, x) for x in (a, b, c, summed)]
    products = sum(parts) / (12.0 if kind == "shell" else 20.0)
    return total, centroid / max(total, SMALL), np.asarray(products)
