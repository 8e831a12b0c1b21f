# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the degrees of freedom of a robot are called."""

from __future__ import annotations

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
