# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The geometry of URDF: ``<collision>`` and ``<visual>`` of its links, and the files they name."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dyn_core.errors import MissingFileError, ModelError, UnreadableFileError
from dyn_core.geometry.geometry_model import GeometryModel, GeometryObject, Kind
from dyn_core.geometry.shapes import Box, Capsule, Cylinder, Shape, Sphere, TriangleMesh
from dyn_core.model.frame import FrameType
from dyn_core.model.model import Model
from dyn_core.readers.meshes import Mesh, read_mesh
from dyn_core.readers.parsing import is_text, read_numbers
from dyn_core.readers.urdf.document import placement_of, read_root
from dyn_core.readers.xacro import with_arguments
from dyn_core.spatial import SE3

ONES = "1 1 1"
PACKAGE_SCHEMES = ("package://", "model://")
FILE_SCHEME = "file://"
Folder = str | os.PathLike[str]


def geometry_from_urdf(
    model: Model,
    source: str | os.PathLike[str],
    kind: Kind = Kind.COLLISION,
    package_dirs: Sequence[Folder] = (),
    xacro_args: Mapping[str, str] | None = None,
    missing: dict[str, str] | None = None,
) -> GeometryModel:
    """The shapes of a robot that was read from the same URDF.

    They are in the order of the model's links, and named after link and number (``forearm_0``), as
    in Pinocchio.

    Args:
        model: the robot.
        source: the URDF text, or the path of a file (of xacro, if so named).
        kind: what to read, :attr:`Kind.COLLISION` or :attr:`Kind.VISUAL`.
        package_dirs: folders in which packages of ``package://`` are looked for, before those of
            ``ROS_PACKAGE_PATH`` and ``AMENT_PREFIX_PATH``.
        xacro_args: values of the arguments of a xacro file.
        missing: if given, shapes whose mesh file is missing or broken are left out, and the reason
            is stored here by body; without it such a file is an error.

    Raises:
        ModelError: a link that the model does not have, a shape that is broken or unknown, or a
            mesh file that is not there; the message names the link.
    """
    root = read_root(with_arguments(source, xacro_args))
    reader = _UrdfShapes(package_dirs, None if is_text(source) else Path(source).parent)
    frames = [frame for frame in model.frames if frame.type is FrameType.BODY]
    links = {link.get("name", ""): link for link in root.findall("link")}
    if unknown := links.keys() - {frame.name for frame in frames}:
        raise ModelError(
            f"link '{min(unknown)}' is not in the model '{model.name}'; read both from one URDF"
        )
    objects: list[GeometryObject] = []
    for frame in frames:
        for number, element in enumerate(_of_kind(links, frame.name, kind)):
            name = f"{frame.name}_{number}"
            try:
                local, shape = reader.read(element, f"{kind.value} {number + 1} of '{frame.name}'")
            except UnreadableFileError as error:
                if missing is None:
                    raise
                missing[frame.name] = str(error)
                continue
            placement = frame.placement * local
            objects.append(GeometryObject(name, frame.name, frame.joint, placement, shape))
    return GeometryModel(kind, tuple(objects))


def _of_kind(links: Mapping[str, ET.Element], name: str, kind: Kind) -> list[ET.Element]:
    found = links[name].findall(kind.value) if name in links else []
    return [element for element in found if not _is_point(element)]


def _is_point(element: ET.Element) -> bool:
    """Whether it is a box of size 0 0 0: some vendors mark links so that have no shape."""
    box = element.find("geometry/box")
    return box is not None and re.fullmatch(r"\s*(0[.0]*\s*){3}", box.get("size", "")) is not None


class _UrdfShapes:
    """Reads elements; a mesh file that several elements name is read once."""

    def __init__(self, folders: Sequence[Folder], here: Path | None) -> None:
        self.folders = folders
        self.here = here
        self._meshes: dict[Path, Mesh] = {}

    def read(self, element: ET.Element, where: str) -> tuple[SE3, Shape]:
        origin = element.find("origin")
        xyz, rpy, quaternion = (
            _numbers(origin, name, where, None, count)
            if origin is not None and name in origin.attrib
            else None
            for name, count in (("xyz", 3), ("rpy", 3), ("quat_xyzw", 4))
        )
        geometry = element.find("geometry")
        shapes = [] if geometry is None else list(geometry)
        if len(shapes) != 1:
            raise ModelError(f"{where} has {len(shapes)} shapes in its <geometry>; give it one")
        return placement_of(xyz, rpy, quaternion), self._shape(shapes[0], where)

    def _shape(self, shape: ET.Element, where: str) -> Shape:
        if shape.tag == "box":
            return Box(*_positive(shape, "size", where, 3))
        if shape.tag == "sphere":
            return Sphere(*_positive(shape, "radius", where))
        if shape.tag in ("cylinder", "capsule"):
            (radius,), (length,) = (_positive(shape, key, where) for key in ("radius", "length"))
            return (Cylinder if shape.tag == "cylinder" else Capsule)(radius, length)
        if shape.tag == "mesh":
            return self._mesh(shape, where)
        raise ModelError(
            f"{where}: the shape <{shape.tag}> is unknown to URDF; use box, sphere, cylinder, "
            "capsule or mesh"
        )

    def _mesh(self, shape: ET.Element, where: str) -> TriangleMesh:
        path = find_file(shape.get("filename", ""), self.folders, self.here, where)
        if path not in self._meshes:
            self._meshes[path] = read_mesh(path, where)
        if not len(self._meshes[path].faces):
            raise ModelError(f"{where}: the mesh file '{path}' has no triangles; correct it")
        x, y, z = _numbers(shape, "scale", where, ONES, 3)
        return TriangleMesh(self._meshes[path].scaled((x, y, z)), path, (x, y, z))


def _numbers(
    element: ET.Element, name: str, where: str, default: str | None, count: int
) -> list[float]:
    text = element.get(name, default)
    if text is None:
        raise ModelError(f"{where}: <{element.tag}> has no {name}; give it one")
    return read_numbers(text, f"{where}: {name}='{text:.100}'", count)


def _positive(element: ET.Element, name: str, where: str, count: int = 1) -> list[float]:
    numbers = _numbers(element, name, where, None, count)
    if min(numbers) <= 0.0:
        raise ModelError(f"{where}: {name} of its {element.tag} must be positive; correct it")
    return numbers


def find_file(uri: str, folders: Sequence[Folder], here: Path | None, where: str) -> Path:
    """The file that a description names.

    ``package://name/path`` is looked for as ``name/path`` in ``folders``, then in the folders of
    ``ROS_PACKAGE_PATH``, then in ``share`` of each folder of ``AMENT_PREFIX_PATH``. A folder that
    is the package itself counts too. Any other path is relative to ``here``, the folder of the
    description.

    Raises:
        ModelError: no such file; the message begins with ``where`` and lists the searched places.
    """
    scheme = next((scheme for scheme in PACKAGE_SCHEMES if uri.startswith(scheme)), None)
    if scheme is not None:
        places = list(_in_packages(uri.removeprefix(scheme).lstrip("/"), folders))
    elif uri.startswith(FILE_SCHEME) or Path(uri).is_absolute():
        places = [Path(uri.removeprefix(FILE_SCHEME))]
    elif here is None:
        raise ModelError(
            f"{where}: '{uri}' is relative, but a text has no folder; give the path of the file "
            "that holds the description"
        )
    else:
        places = [here / uri]
    for place in places:
        if place.is_file():
            return place
    looked = ", ".join(dict.fromkeys(map(str, places))) or "no folder: there is none to look in"
    hint = "; give the folders of its package as package_dirs (--package-dir)" if scheme else ""
    raise MissingFileError(f"{where}: the file '{uri}' is not there (looked for {looked}){hint}")


def _in_packages(path: str, folders: Sequence[Folder]) -> Iterator[Path]:
    name, _, inner = path.partition("/")
    for folder in (*map(Path, folders), *_of_environment()):
        yield folder / path
        if folder.name == name:
            yield folder / inner


def _of_environment() -> Iterator[Path]:
    yield from _listed("ROS_PACKAGE_PATH")
    for prefix in _listed("AMENT_PREFIX_PATH"):
        yield prefix / "share"


def _listed(variable: str) -> list[Path]:
    return [Path(entry) for entry in os.environ.get(variable, "").split(os.pathsep) if entry]
