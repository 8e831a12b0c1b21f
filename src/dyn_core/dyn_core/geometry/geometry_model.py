# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Visual and collision geometry of a robot: shapes fixed to its joints, and collision pairs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from dyn_core.errors import ModelError
from dyn_core.geometry.shapes import Shape
from dyn_core.model.model import Model
from dyn_core.model.reference_checks import check_mover
from dyn_core.readers.srdf import srdf_root
from dyn_core.spatial import SE3

Pair = tuple[int, int]


class Kind(Enum):
    """The use of a shape: collisions or display."""

    COLLISION = "collision"
    VISUAL = "visual"


@dataclass(frozen=True)
class GeometryObject:
    """A shape and its placement."""

    name: str
    """Unique name; in URDF the link's name and a number, ``forearm_0``."""
    body: str
    """Name of the link or body frame that it belongs to."""
    joint: int
    """Index of the joint that moves it; 0 for the world."""
    placement: SE3
    """Placement in the frame of that joint."""
    shape: Shape


@dataclass(frozen=True)
class GeometryModel:
    """Shapes fixed to the joints of a Model, and the pairs of them to check for collisions."""

    kind: Kind
    objects: tuple[GeometryObject, ...]
    pairs: tuple[Pair, ...] = ()
    """Indices of two objects each, the smaller first."""

    def __post_init__(self) -> None:
        if any(i not in range(len(self.objects)) for pair in self.pairs for i in pair):
            raise ModelError(f"pairs of {len(self.objects)} objects have an index that none has")

    def index(self, name: str) -> int:
        """The index of the object called ``name``.

        Raises:
            KeyError: there is none; the message lists those there are.
        """
        for index, entry in enumerate(self.objects):
            if entry.name == name:
                return index
        known = ", ".join(entry.name for entry in self.objects)
        raise KeyError(f"no object '{name}'; there are {known}")

    def check(self, model: Model) -> None:
        """Refuse a robot whose joints do not move the bodies of these shapes. Raises ModelError."""
        for entry in self.objects:
            check_mover(model, entry.joint, entry.body, f"object '{entry.name}'")

    def with_all_pairs(self) -> GeometryModel:
        """A copy that has a pair for any two objects that can move relative to each other."""
        moved = [entry.joint for entry in self.objects]
        count = len(moved)
        pairs = ((i, j) for i in range(count) for j in range(i + 1, count) if moved[i] != moved[j])
        return replace(self, pairs=tuple(pairs))

    def with_pairs(self, names: Iterable[tuple[str, str]]) -> GeometryModel:
        """A copy with additional pairs.

        Raises:
            KeyError: an unknown object.
            ModelError: an object with itself.
        """
        more: list[Pair] = []
        for first, second in names:
            i, j = sorted((self.index(first), self.index(second)))
            if i == j:
                raise ModelError(f"object '{first}' cannot collide with itself; name two")
            more.append((i, j))
        return replace(self, pairs=tuple(dict.fromkeys((*self.pairs, *more))))

    def without_adjacent(self, model: Model) -> GeometryModel:
        """A copy without pairs of bodies that a joint connects: they may touch at the joint."""
        self.check(model)

        def apart(pair: Pair) -> bool:
            i, j = (self.objects[k].joint for k in pair)
            return model.parents[j] != i and model.parents[i] != j

        return replace(self, pairs=tuple(filter(apart, self.pairs)))


def with_disabled_collisions(
    geometry: GeometryModel, source: str | os.PathLike[str]
) -> GeometryModel:
    """``geometry`` without the pairs that an SRDF disables.

    ``<disable_collisions link1= link2=/>`` removes the pairs of two links; links without shapes are
    ignored.

    Raises:
        ModelError: no SRDF, or an entry that does not name two links.
    """
    disabled = set()
    for number, entry in enumerate(srdf_root(source).findall("disable_collisions"), 1):
        links = entry.get("link1"), entry.get("link2")
        if not links[0] or not links[1]:
            raise ModelError(f"disable_collisions number {number} must name link1 and link2")
        disabled.add(frozenset({links[0], links[1]}))
    names = [entry.body for entry in geometry.objects]
    kept = (p for p in geometry.pairs if frozenset(names[k] for k in p) not in disabled)
    return replace(geometry, pairs=tuple(kept))
