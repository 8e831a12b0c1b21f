# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the tests of serialization share: all forms, and everything that a model consists of."""

from __future__ import annotations

import math

from dyn_core import Model, serialize
from dyn_core.joints import Composite, Mimic, Revolute, Spherical
from dyn_core.model import Drag, Fluid, FluidHull, Lift, Limits, ModelBuilder, Strand, Tendon
from dyn_core.spatial import SE3, Inertia, Symmetric3, Vector3

FORMS = {
    "json": (serialize.to_json, serialize.from_json),
    "xml": (serialize.to_xml, serialize.from_xml),
    "binary": (serialize.to_binary, serialize.from_binary),
    "base64": (serialize.to_base64, serialize.from_base64),
}


def model() -> Model:
    """A leading joint, a mimic joint, a composite and a ball, and what acts on them."""
    builder = ModelBuilder("robot")
    turn = Revolute((0, 0, 1))
    lead = builder.add_joint(
        0, turn, SE3.identity(), "lead", Limits.of(turn, lower=-1.0, upper=1.0)
    )
    builder.add_joint(lead, Mimic(Revolute((0, 1, 0)), 2.0), SE3.identity(), "mimic", None, "lead")
    builder.add_joint(lead, Composite([Revolute(), Revolute((1, 0, 0))]), SE3.identity(), "both")
    ball = builder.add_joint(lead, Spherical(), SE3.identity(), "ball")
    builder.add_body(ball, Inertia(1.0, Vector3.zero(), Symmetric3.zero()), SE3.identity())
    builder.lifts.append(Lift(ball, 0.5, (0.1, 0.2, 0.3)))
    hulls = [
        FluidHull.at(ball, SE3.identity(), (0.1, 0.2, 0.3), drag) for drag in (None, Drag(0.4))
    ]
    builder.fluid = Fluid(1.2, 1.8e-5, (1.0, 0.0, -2.0), tuple(hulls))
    strand = Strand(((0, (0.0, 0.0, 1.0)), (lead, (0.1, 0.0, 0.0))), 0.5)
    spring = {"stiffness": (3.0, 4.0), "relaxed": (0.1, math.inf), "damping": (0.5,)}
    builder.tendons.append(Tendon("band", (strand,), (("lead", 2.0),), 0.3, friction=0.1, **spring))
    builder.reference_configurations["home"] = (0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0)
    return builder.build()


def content(model: Model) -> str:
    """All that a model holds, in a text that distinguishes any two floats (but not NaNs)."""
    tree = [
        (e.name, e.joint, e.parent, e.placement, e.inertia.parameters, e.limits, e.primary)
        for e in model.tree
    ]
    rest: tuple[object, ...] = (model.name, model.frames, model.gravity)
    rest += (model.reference_configurations, model.loops, model.couplings)
    rest += (model.lifts, model.fluid, model.tendons)
    return repr((tree, rest))


def number_kinds(value: object) -> set[type]:
    """The types of all leaves of plain data."""
    if isinstance(value, dict):
        return set().union(*map(number_kinds, value.values()))
    if isinstance(value, list):
        return set().union(*map(number_kinds, value))
    return {type(value)}
