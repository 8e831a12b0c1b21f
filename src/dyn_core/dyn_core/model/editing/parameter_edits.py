# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The same robot with other numbers: inertias, placements, limits, losses and springs of joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.model import Model
from dyn_core.model.tree_joint import Bound, Limits
from dyn_core.model.value_checks import finite_numbers, rigid, symmetric_numbers
from dyn_core.spatial import SE3, Inertia, Vector3, objection


def with_inertia(
    model: Model,
    body: str,
    inertia: Inertia | None = None,
    *,
    mass: float | None = None,
    com: Sequence[float] | None = None,
    at_com: Sequence[Sequence[float]] | None = None,
) -> Model:
    """Implement :meth:`.Model.with_inertia`."""
    if (inertia is None) == (mass is None and com is None and at_com is None):
        raise TypeError(f"with_inertia('{body}'): give an Inertia, or some of mass, com, at_com")
    frame = model.frame(body)
    if inertia is None:
        old = frame.placement.act_inv_inertia(model.inertias[frame.joint])
        inertia = Inertia.from_com(
            old.mass if mass is None else float(mass),
            old.com if com is None else Vector3(*finite_numbers(com, 3, f"com of '{body}'")),
            old.at_com if at_com is None else symmetric_numbers(at_com, f"at_com of '{body}'"),
        )
    new = frame.placement.act_inertia(inertia).plain()
    if any(new.parameters) and (why := objection(new)) is not None:
        raise ModelError(f"body '{body}' cannot have this inertia: {why}")
    builder = ModelBuilder.of(model)
    builder.tree[frame.joint] = replace(builder.tree[frame.joint], inertia=new)
    return builder.build()


def with_placement(model: Model, joint: str, placement: SE3) -> Model:
    """Implement :meth:`.Model.with_placement`."""
    index = model.joint_index(joint)
    builder = ModelBuilder.of(model)
    place = rigid(placement, f"joint '{joint}'")
    builder.tree[index] = replace(builder.tree[index], placement=place)
    return builder.build()


def with_joint_values(model: Model, joint: str, **changes: Bound | None) -> Model:
    """Implement :meth:`.Model.with_limits`, ``with_friction`` and ``with_spring``."""
    index = model.joint_index(joint)
    given = {name: value for name, value in changes.items() if value is not None}
    if not given:
        raise TypeError(f"joint '{joint}': nothing is given; say some of {', '.join(changes)}")
    builder = ModelBuilder.of(model)
    entry = builder.tree[index]
    try:
        sized = Limits.sized(entry.joint, given)
        limits = replace(entry.limits, **sized)
        limits.check_size(entry.joint)
    except ModelError as error:
        raise ModelError(f"joint '{joint}': {error}") from error
    builder.tree[index] = replace(entry, limits=limits)
    return builder.build()
