# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Names that follow from a robot: of its degrees of freedom, and of its usual tool frame."""

from __future__ import annotations

from dyn_core.model.frame import FrameType
from dyn_core.model.model import Model

PARTS = {6: ("vx", "vy", "vz", "wx", "wy", "wz")}
"""Of a velocity, by its size; others are counted."""


def coordinate_names(model: Model) -> tuple[str, ...]:
    """A name for each degree of freedom: the joint's, or as root_joint/vx if it has more."""
    names: list[str] = []
    for i in model.own_coordinates:
        count, name = model.joints[i].nv, model.names[i]
        parts = PARTS.get(count, tuple(map(str, range(count))))
        names += [name] if count == 1 else [f"{name}/{part}" for part in parts]
    return tuple(names)


def last_body(model: Model) -> str:
    """The link at the end of the longest chain, where a tool is usually mounted."""
    bodies = [frame for frame in model.frames if frame.type is FrameType.BODY]
    depths = [len(model.supports[frame.joint]) for frame in bodies]
    deepest = max(depths, default=0)
    names = [f.name for f, depth in zip(bodies, depths, strict=True) if depth == deepest]
    return names[-1] if names else model.frames[-1].name
