# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Closed loops: what keeps two frames of a tree together."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dyn_core.errors import ModelError
from dyn_core.model.content import close
from dyn_core.model.value_checks import number
from dyn_core.spatial.immutable import immutable

POINT, PLACEMENT = 3, 6
"""How many directions can be held: the origins of two frames stay together, or their axes too."""


@immutable
@dataclass(frozen=True)
class Loop:
    """Two frames on different bodies that a loop closure keeps together.

    A model is a tree; a mechanism with loops is a tree with one joint of each loop left out and the
    frames on both sides of it kept together. Which motions are held are those of ``frame1``
    relative to ``frame2`` along, and for six about, the axes of ``frame1``.
    """

    frame1: str
    frame2: str
    kind: int = PLACEMENT
    """6 holds the frames together, as MJCF's ``weld``; 3 their origins, as ``connect``."""
    kp: float = 0.0
    """Baumgarte's stiffness of the position error, 1/s^2: 0 lets errors stay."""
    kd: float = 0.0
    """Baumgarte's damping of the velocity error, 1/s; ``2 sqrt(kp)`` damps critically."""

    def __post_init__(self) -> None:
        close(self)
        where = f"loop from '{self.frame1}' to '{self.frame2}'"
        check_held(where, self.kind, kp=self.kp, kd=self.kd)
        if self.frame1 == self.frame2:
            raise ModelError(f"{where}: a frame cannot be held to itself; name two")

    def __repr__(self) -> str:
        gains = "".join(f", {k}={x!r}" for k, x in (("kp", self.kp), ("kd", self.kd)) if x)
        return f"Loop({self.frame1!r}, {self.frame2!r}, {self.kind}{gains})"


def check_held(where: str, kind: int, **gains: float) -> None:
    """Refuse a number of directions that nothing holds, and gains that are none.

    Raises:
        ModelError: the message begins with ``where``.
    """
    if type(kind) is not int or kind not in (POINT, PLACEMENT):
        raise ModelError(
            f"{where}: kind {kind!r} is unknown; use {POINT} (points stay together) or "
            f"{PLACEMENT} (frames do)"
        )
    for name, gain in gains.items():
        if not (math.isfinite(number(f"{where}: {name}", gain)) and gain >= 0.0):
            raise ModelError(f"{where}: {name} must be a finite number >= 0, not {gain!r}")
