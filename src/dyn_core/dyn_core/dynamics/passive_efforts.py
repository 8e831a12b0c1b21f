# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""All that acts on the joints besides their drives: springs, friction, lifts, fluid, tendons."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.fluid_efforts import fluid_efforts
from dyn_core.dynamics.friction_efforts import friction_efforts
from dyn_core.dynamics.gravity_compensation import gravity_compensation
from dyn_core.dynamics.spring_efforts import spring_efforts
from dyn_core.dynamics.tendon_efforts import tendon_efforts
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar


@quantity(
    "passive",
    "efforts of springs, friction, lifts, fluid and tendons",
    unit="N m, N",
    shape=("nv",),
    source="sum of spring_efforts, friction_efforts, gravity_compensation, fluid_efforts and "
    "tendon_efforts",
)
def passive_efforts(
    model: Model, q: Configuration, v: Velocity, *, smoothing: float = 0.0
) -> list[Scalar]:
    """Passive efforts of the joints: ``M ddq + C v + g = tau + passive``.

    ``smoothing`` is that of :data:`friction_efforts` and :data:`tendon_efforts`.
    """
    parts = [
        spring_efforts.define(model, q),
        friction_efforts.define(model, v, smoothing=smoothing),
    ]
    if model.lifts:
        parts.append(gravity_compensation.define(model, q))
    if model.fluid:
        parts.append(fluid_efforts.define(model, q, v))
    if model.tendons:
        parts.append(tendon_efforts.define(model, q, v, smoothing=smoothing))
    return [sum(efforts[1:], efforts[0]) for efforts in zip(*parts, strict=True)]


def besides_friction(model: Model) -> list[str]:
    """The parts of `passive_efforts` that a robot has, without friction, by name."""
    parts = {
        "spring_efforts": any(any(entry.limits.stiffness) for entry in model.tree),
        "gravity_compensation": model.lifts,
        "fluid_efforts": model.fluid,
        "tendon_efforts": model.tendons,
    }
    return [name for name, acts in parts.items() if acts]
