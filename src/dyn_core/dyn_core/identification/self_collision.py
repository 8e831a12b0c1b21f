# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The pairs of shapes that an excitation trajectory must keep apart."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dyn_core.configuration import configurations, position_limits
from dyn_core.errors import ModelError
from dyn_core.geometry import (
    CollisionChecker,
    Kind,
    geometry_from_description,
    with_disabled_collisions,
)
from dyn_core.model.model import Model
from dyn_core.readers.srdf import srdf_root, unknown_names

SAMPLED_CONFIGURATIONS = 20
"""Random configurations; two shapes that touch in all of them are meant to touch."""


@dataclass(frozen=True)
class SelfCollision:
    """The check for self-collision, and a note on its coverage."""

    checker: CollisionChecker | None
    note: str


def self_collision(
    model: Model,
    source: str | os.PathLike[str],
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    srdf: str | os.PathLike[str] | None = None,
    ignore: Collection[str] = (),
) -> SelfCollision:
    """A checker of the collision shapes of a description, if it has any that can be read.

    It ignores pairs that a joint connects, that touch in every configuration, or that an SRDF
    disables.

    Args:
        model: the robot.
        source: text of a URDF or MJCF, or path of a file of these or of xacro.
        package_dirs: folders in which packages of ``package://`` are looked for.
        srdf: the SRDF text, or the path of a file.
        ignore: elements of an MJCF to leave out, as in :meth:`dyn_core.Model.from_mjcf`.

    Raises:
        ModelError: the SRDF cannot be used.
    """
    unchecked = "self-collision is not checked: "
    try:
        shapes = geometry_from_description(model, source, Kind.COLLISION, package_dirs, ignore)
    except ModelError as problem:
        return SelfCollision(None, f"{unchecked}{problem}")
    shapes = shapes.with_all_pairs().without_adjacent(model)
    if srdf is not None:
        shapes = with_disabled_collisions(shapes, srdf)
        for note in unknown_names(model, srdf_root(srdf)):
            warnings.warn(f"SRDF: {note}", stacklevel=2)
    if not shapes.pairs:
        why = "of its shapes no two can touch" if shapes.objects else "it has no collision shapes"
        return SelfCollision(None, f"{unchecked}{why}")
    try:
        touch = _always_touch(CollisionChecker(model, shapes))
    except ModelError as problem:
        return SelfCollision(None, f"{unchecked}{problem}")
    apart = tuple(pair for pair, always in zip(shapes.pairs, touch, strict=True) if not always)
    note = f"self-collision: {len(apart)} pairs of shapes are checked"
    if names := [
        " and ".join(shapes.objects[k].name for k in pair)
        for pair, always in zip(shapes.pairs, touch, strict=True)
        if always
    ]:
        note += f", but not those that touch in any configuration: {', '.join(names)}"
    return SelfCollision(CollisionChecker(model, replace(shapes, pairs=apart)), note)


def _always_touch(checker: CollisionChecker) -> list[bool]:
    """For each pair, whether its shapes touch in all sampled configurations."""
    model, random = checker.model, np.random.default_rng(0)
    lower, upper = (np.clip(limit, -np.pi, np.pi) for limit in position_limits(model))
    touch = np.ones(len(checker.geometry.pairs), dtype=np.bool_)
    for q in configurations(
        model, random.uniform(lower, upper, size=(SAMPLED_CONFIGURATIONS, model.nv))
    ):
        checker.update(q)
        touch &= checker.collisions()
    return touch.tolist()
