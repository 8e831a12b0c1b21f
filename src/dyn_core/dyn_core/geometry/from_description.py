# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The geometry of a robot's description, in URDF or MJCF."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dyn_core.geometry.from_mjcf import geometry_from_mjcf
from dyn_core.geometry.from_urdf import Folder, geometry_from_urdf
from dyn_core.geometry.geometry_model import GeometryModel, Kind
from dyn_core.model.model import Model
from dyn_core.readers.description import Source, is_mjcf


def geometry_from_description(
    model: Model,
    source: Source,
    kind: Kind = Kind.COLLISION,
    package_dirs: Sequence[Folder] = (),
    ignore: Collection[str] = (),
    missing: dict[str, str] | None = None,
) -> GeometryModel:
    """The shapes of a robot that was read from the same description.

    Args:
        model: the robot.
        source: text of a URDF or MJCF, or path of a file of these or of xacro.
        kind: what to read.
        package_dirs: folders in which packages of a URDF's ``package://`` are looked for.
        ignore: elements of an MJCF to leave out, as when the model was read.
        missing: if given, shapes whose mesh file is missing are left out, and the reason is stored
            here by body; without it a missing file is an error.

    Raises:
        ModelError: shapes cannot be read; the message names the link or geom.
    """
    if is_mjcf(source):
        return geometry_from_mjcf(model, source, kind, ignore, missing)
    return geometry_from_urdf(model, source, kind, package_dirs, missing=missing)
