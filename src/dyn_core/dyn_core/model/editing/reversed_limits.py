# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Limits, losses and springs of a joint in the coordinates of the same joint reversed."""

from __future__ import annotations

import math
from dataclasses import fields

from dyn_core.model.joints import Joint
from dyn_core.model.joints.reversed_joint import Reversed
from dyn_core.model.tree_joint import POSITION_FIELDS, Limits


def reversed_limits(joint: Joint, turned: Reversed[Joint], limits: Limits) -> Limits:
    """Limits of ``turned.joint`` that allow the same motions as ``limits`` of ``joint``.

    Raises:
        ValueError: the reversed coordinates are mixtures of the joint's coordinates, so that no
            limits of single coordinates are equivalent.
    """
    lower, upper = _positions(joint, turned, limits)
    rates = [x.name for x in fields(Limits) if x.name not in POSITION_FIELDS]
    return Limits(
        lower=lower,
        upper=upper,
        rest=tuple(turned.coordinates.configuration(limits.rest)),
        **{x: _velocities(x, joint, turned, getattr(limits, x)) for x in rates},
    )


def _positions(
    joint: Joint, turned: Reversed[Joint], limits: Limits
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if not any(map(math.isfinite, (*limits.lower, *limits.upper))):
        return (-math.inf,) * turned.joint.nq, (math.inf,) * turned.joint.nq
    if not joint.space.flat:
        raise ValueError("its position limits cannot be expressed for the reversed joint")
    ends = [turned.coordinates.configuration(end) for end in (limits.lower, limits.upper)]
    return tuple(map(min, *ends)), tuple(map(max, *ends))


def _velocities(
    name: str, joint: Joint, turned: Reversed[Joint], values: tuple[float, ...]
) -> tuple[float, ...]:
    """The new index of each value; changes of sign do not matter."""
    if joint.space.isometric and len(set(values)) <= 1:
        return values
    if not joint.space.flat:
        if set(values) <= {0.0} or set(values) <= {math.inf}:
            return values
        raise ValueError(
            f"its {name} {list(values)} cannot be expressed for the reversed joint, "
            "which mixes its coordinates"
        )
    moved = turned.coordinates.velocity(joint.space.neutral(), values)
    return tuple(map(abs, moved))
