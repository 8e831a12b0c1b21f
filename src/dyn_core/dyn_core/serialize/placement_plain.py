"""Placements and inertias to plain data and back."""

from __future__ import annotations

from dyn_core.serialize.plain import Node, Plain, plain
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3, placement_objection


def placement_to_plain(placement: SE3) -> Plain:
    """The nine numbers of the rotation, row by row, and the three of the translation (m)."""
    rotation = [x for row in placement.rotation.rows for x in row]
    return {"rotation": plain(rotation), "translation": plain(list(placement.translation))}


def placement_of(node: Node) -> SE3:
    """The placement that :func:`placement_to_plain` wrote.

    Raises:
        ModelError: the numbers are not those of a rotation and a translation.
    """
    fields = node.fields(("rotation", "translation"))
    r = fields["rotation"].numbers(9)
    translation = Vector3(*fields["translation"].numbers(3))
    return _checked(SE3(Matrix3.of([r[:3], r[3:6], r[6:]]), translation), fields["rotation"])


def placement_of_rows(node: Node) -> SE3:
    """The placement of a homogeneous 4x4 matrix.

    Raises:
        ModelError: it is not homogeneous, or its rotation is none.
    """
    rows = [row.numbers(4) for row in node.items()]
    if len(rows) != 4 or rows[3] != [0.0, 0.0, 0.0, 1.0]:
        raise node.error("the last row of a homogeneous matrix must be 0, 0, 0, 1; correct it")
    return _checked(SE3.from_homogeneous(rows), node)


def inertia_to_plain(inertia: Inertia) -> Plain:
    """The ten parameters in the order of :attr:`Inertia.parameters`."""
    return plain(inertia.parameters)


def inertia_of(node: Node) -> Inertia:
    """The inertia that :func:`inertia_to_plain` wrote.

    Raises:
        ModelError: these are not ten finite numbers, or the mass is negative.
    """
    mass, x, y, z, *rotational = node.numbers(10)
    if mass < 0.0:
        raise node.error(f"the mass {mass} kg is negative; correct it")
    return Inertia(mass, Vector3(x, y, z), Symmetric3(*rotational))


def _checked(placement: SE3, node: Node) -> SE3:
    if (why := placement_objection(placement)) is not None:
        raise node.error(f"the placement {why}")
    return placement
