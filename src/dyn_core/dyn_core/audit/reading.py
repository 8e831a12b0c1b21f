# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""From a file to the robot that is audited."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from dyn_core.audit.links import Link, links_of_mjcf, links_of_model, links_of_urdf
from dyn_core.audit.robot import USUAL, Placed, Robot, Settings
from dyn_core.errors import MissingFileError, ModelError
from dyn_core.formats.description import Source, is_mjcf, is_text, model_from_description
from dyn_core.formats.srdf import with_srdf
from dyn_core.formats.urdf import model_from_urdf
from dyn_core.geometry import GeometryModel, Kind, geometry_from_description
from dyn_core.model.model import Model
from dyn_core.spatial import objection

Folder = str | os.PathLike[str]


def read_robot(
    source: Source,
    settings: Settings = USUAL,
    root_joint: str | None = None,
    srdf: Folder | None = None,
    package_dirs: Sequence[Folder] = (),
    ignore: Collection[str] = (),
) -> Robot:
    """A robot from a URDF, xacro or MJCF (a file, or the text itself) with its shapes.

    A URDF whose inertias no body has is read all the same, without a model. Folders around the file
    are looked through for packages too.

    Raises:
        ModelError: the file cannot be read.
    """
    path = None if is_text(source) else Path(source)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        from_mjcf = is_mjcf(source)
        if from_mjcf:
            model: Model | None = model_from_description(
                source, root_joint, massless=True, ignore=ignore
            )
            assert model is not None
            links, refusal = links_of_mjcf(source, model, ignore), ""
        else:
            model, links, refusal = _read_urdf(source, root_joint, ignore)
        around = Path.cwd() / "standard input" if path is None else path.resolve()
        folders = [*package_dirs, *around.parents]
        read = {kind: _geometry(model, source, kind, folders, ignore) for kind in Kind}
        if srdf is not None and model is not None:
            model = with_srdf(model, srdf)
    shapes = _by_link(links, read[Kind.VISUAL][0], read[Kind.COLLISION][0], from_mjcf)
    unseen = read[Kind.VISUAL][1]
    missing = unseen or read[Kind.COLLISION][1] or "no link has a shape"
    told = dict.fromkeys(str(one.message) for one in caught)
    name = model.name if model is not None else around.stem
    return Robot(
        name=name,
        model=model,
        links=links,
        settings=settings,
        source="standard input" if path is None else str(path),
        refusal=refusal,
        shapes=shapes,
        shapes_missing="" if shapes else missing,
        stand_ins=unseen if shapes else "",
        unseen=unseen if model is not None else "",
        unfound=read[Kind.VISUAL][2],
        untouchable=() if from_mjcf else _untouchable(links, read),
        warnings=tuple(told),
    )


def _untouchable(
    links: Sequence[Link], read: Mapping[Kind, tuple[GeometryModel | None, str, bool]]
) -> tuple[str, ...]:
    """Links that are seen but have no shape for collisions, of a robot where others have."""
    seen, touched = (
        {one.body for one in geometry.objects} if geometry else set()
        for geometry in (read[Kind.VISUAL][0], read[Kind.COLLISION][0])
    )
    return tuple(link.name for link in links if touched and link.name in seen - touched)


def robot_of_model(model: Model, settings: Settings = USUAL) -> Robot:
    """A robot of a program, of which only the model is known."""
    missing = "a model has no shapes; give the file of its description"
    return Robot(model.name, model, links_of_model(model), settings, shapes_missing=missing)


def _read_urdf(
    source: Source, root_joint: str | None, ignore: Collection[str]
) -> tuple[Model | None, tuple[Link, ...], str]:
    """Model and links; without a model if an inertia is why there is none."""
    try:
        model = model_from_urdf(source, root_joint, massless=True, ignore=ignore)
    except ModelError as refusal:
        links = links_of_urdf(source, None, ignore)
        if all(link.is_empty or objection(link.inertia) is None for link in links):
            raise
        return None, links, str(refusal)
    return model, links_of_urdf(source, model, ignore), ""


def _geometry(
    model: Model | None,
    source: Source,
    kind: Kind,
    folders: Sequence[Folder],
    ignore: Collection[str],
) -> tuple[GeometryModel | None, str, bool]:
    """The shapes of a kind; or why there are none, and whether that is a file that is not there."""
    if model is None:
        return None, "no model could be made", False
    try:
        return geometry_from_description(model, source, kind, folders, ignore), "", False
    except ModelError as problem:
        return None, str(problem), isinstance(problem, MissingFileError)


def _by_link(
    links: Sequence[Link],
    visual: GeometryModel | None,
    collision: GeometryModel | None,
    visual_has_all: bool,
) -> Mapping[str, list[Placed]]:
    """The shapes of each link: those that are seen, or where there are none, those that touch."""
    touching = (
        {entry.name for entry in collision.objects} if collision and visual_has_all else set()
    )
    found: dict[str, list[Placed]] = {}
    for geometry, left_out in ((visual, touching), (collision, set[str]())):
        before = set(found)
        for entry in geometry.objects if geometry else ():
            if entry.body in before or entry.name in left_out:
                continue
            found.setdefault(entry.body, []).append(Placed(entry.shape, entry.placement))
    places = {link.name: link.placement.inverse() for link in links}
    return {
        name: [Placed(one.shape, places[name] * one.placement) for one in shapes]
        for name, shapes in found.items()
        if name in places
    }
