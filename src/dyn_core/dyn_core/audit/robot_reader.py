# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads the robot to audit from a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from dyn_core.audit.audited_robot import DEFAULT_SETTINGS, Placed, Robot, Settings
from dyn_core.audit.described_links import (
    Link,
    angles_of_urdf,
    links_of_mjcf,
    links_of_model,
    links_of_urdf,
)
from dyn_core.errors import ModelError
from dyn_core.geometry import GeometryModel, Kind, geometry_from_description
from dyn_core.model.model import Model
from dyn_core.readers.description import Source, is_mjcf, is_text, model_from_description
from dyn_core.readers.srdf import BeyondLimitsWarning, with_srdf
from dyn_core.readers.urdf import model_from_urdf
from dyn_core.spatial import objection

Folder = str | os.PathLike[str]


def read_robot(
    source: Source,
    settings: Settings = DEFAULT_SETTINGS,
    root_joint: str | None = None,
    srdf: Folder | None = None,
    package_dirs: Sequence[Folder] = (),
    ignore: Collection[str] = (),
) -> Robot:
    """Read a robot with its shapes from a URDF, xacro or MJCF (a file, or the text itself).

    A URDF with physically inconsistent inertias is read without a model. Folders around the file
    are searched for packages too.

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
        missing: dict[Kind, dict[str, str]] = {kind: {} for kind in Kind}
        read = {
            kind: _geometry(model, source, kind, folders, ignore, missing[kind]) for kind in Kind
        }
        if srdf is not None and model is not None:
            model = with_srdf(model, srdf)
    visual, collision = (
        _without(read[kind][0], missing[kind]) for kind in (Kind.VISUAL, Kind.COLLISION)
    )
    shapes = _by_link(links, visual, collision, from_mjcf)
    unfound = {**missing[Kind.COLLISION], **missing[Kind.VISUAL]}
    unseen = read[Kind.VISUAL][1] or _first(unfound)
    why = unseen or read[Kind.COLLISION][1] or "no link has a shape"
    warned = dict.fromkeys(
        str(one.message)
        for one in caught
        if not issubclass(one.category, BeyondLimitsWarning)  # a check of structure
    )
    name = model.name if model is not None else around.stem
    return Robot(
        name=name,
        model=model,
        links=links,
        settings=settings,
        source="standard input" if path is None else str(path),
        refusal=refusal,
        shapes=shapes,
        shapes_missing="" if shapes else why,
        stand_ins=frozenset(shapes if visual is None else missing[Kind.VISUAL]),
        unseen=unseen if model is not None else "",
        unfound=bool(unfound),
        turned=() if from_mjcf else angles_of_urdf(source),
        untouchable=() if from_mjcf else _untouchable(links, visual, collision),
        warnings=tuple(warned),
    )


def _first(unfound: Mapping[str, str]) -> str:
    """The first reason why a link has no shapes, in words; empty if all have."""
    if not unfound:
        return ""
    more = f" (and so on for {len(unfound) - 1} more links)" if len(unfound) > 1 else ""
    return next(iter(unfound.values())) + more


def _without(geometry: GeometryModel | None, bodies: Collection[str]) -> GeometryModel | None:
    """The shapes without those of ``bodies``, some of whose shapes are missing."""
    if geometry is None or not bodies:
        return geometry
    return GeometryModel(
        geometry.kind, tuple(one for one in geometry.objects if one.body not in bodies)
    )


def _untouchable(
    links: Sequence[Link], visual: GeometryModel | None, collision: GeometryModel | None
) -> tuple[str, ...]:
    """Links with visual but without collision shapes, if other links of the robot have them."""
    seen, touched = (
        {one.body for one in geometry.objects} if geometry else set()
        for geometry in (visual, collision)
    )
    return tuple(link.name for link in links if touched and link.name in seen - touched)


def robot_of_model(model: Model, settings: Settings = DEFAULT_SETTINGS) -> Robot:
    """A robot to audit from a model alone, without a file."""
    missing = "a model has no shapes; give the file of its description"
    return Robot(model.name, model, links_of_model(model), settings, shapes_missing=missing)


def _read_urdf(
    source: Source, root_joint: str | None, ignore: Collection[str]
) -> tuple[Model | None, tuple[Link, ...], str]:
    """Model and links; no model if an inertia is inconsistent."""
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
    missing: dict[str, str],
) -> tuple[GeometryModel | None, str]:
    """The shapes of a kind without missing ones, or the reason why there are none."""
    if model is None:
        return None, "no model could be made"
    try:
        return geometry_from_description(model, source, kind, folders, ignore, missing), ""
    except ModelError as problem:
        return None, str(problem)


def _by_link(
    links: Sequence[Link],
    visual: GeometryModel | None,
    collision: GeometryModel | None,
    visual_has_all: bool,
) -> Mapping[str, list[Placed]]:
    """The shapes of each link: visual shapes, or collision shapes where there are none."""
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
