# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Limbs that look alike computed as lanes of one: the same numbers from fewer operations."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import ALL_KINDS, random_inertia, random_placement
from robots import relative_error
from test_operations import compiled
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelBuilder
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.passes.equivalent_model import equivalent
from dyn_core.compiler.passes.limbs import groups_of_limbs
from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.joints import FreeFlyer, Joint, Mimic, Revolute
from dyn_core.model import Limits
from dyn_core.spatial import SE3, Force, Inertia, Vector3
from dyn_core.spatial.scalars.functions import sin
from dyn_core.spatial.scalars.operations import ADD

QUANTITIES = (
    dyn_core.rnea,
    dyn_core.nonlinear_effects,
    dyn_core.generalized_gravity,
    dyn_core.crba,
    dyn_core.aba,
)
KINDS = tuple(kind for kind in ALL_KINDS if kind not in ("composite", "free_flyer"))


def legged(seed: int, legs: int, kinds: tuple[str, ...], base: Joint | None = None) -> Model:
    """A body with legs that have the same joints at different places, some of them plainer."""
    random = np.random.default_rng(seed)
    builder = ModelBuilder("legged", gravity=(1.0, -2.0, -9.0))
    trunk = 0
    if base is not None:
        trunk = builder.add_joint(0, base, SE3.identity(), "base")
        builder.add_body(trunk, random_inertia(random), random_placement(random))
    joints = [ALL_KINDS[kind](random) for kind in kinds]
    for leg in range(legs):
        parent = trunk
        for k, joint in enumerate(joints):
            plain = random.random() < 0.3
            placement = SE3.identity() if plain else random_placement(random)
            limits = Limits.of(joint, armature=0.0 if k else random.uniform(0.01, 0.2))
            parent = builder.add_joint(parent, joint, placement, f"leg{leg}_{k}", limits)
            body = Inertia(1.0, Vector3.zero(), Inertia.zero().rotational)
            builder.add_body(parent, random_inertia(random), random_placement(random))
            if plain:
                builder.add_body(parent, body, SE3.identity())
    return builder.build()


def check(model: Model, seed: int) -> None:
    """Machine code against the definitions, run on floats."""
    forces = np.random.default_rng(seed).normal(size=(model.njoints, 6))
    for quantity in QUANTITIES:
        kernel = dyn_core.compile(model, [quantity])
        for s in states(model, 2, seed):
            arrays = [s[name] for name in quantity.inputs]
            expected = np.array(quantity.define(model, *(x.tolist() for x in arrays)))
            assert relative_error(kernel(*arrays), expected) < 1e-10, quantity
    kernel = dyn_core.compile(model, [dyn_core.rnea], inputs=["f_ext"])
    s = states(model, 1, seed)[0]
    arrays = [s[name] for name in "qva"]
    on_bodies = [Force.of(row) for row in forces.tolist()]
    expected = np.array(dyn_core.rnea.define(model, *(x.tolist() for x in arrays), on_bodies))
    assert relative_error(kernel(*arrays, forces), expected) < 1e-11


@pytest.mark.quick("[2]")
@pytest.mark.parametrize("legs", [2, 3, 4, 5, 7])
def test_any_number_of_legs(legs: int) -> None:
    check(legged(legs, legs, ("revolute", "prismatic", "revolute"), FreeFlyer()), legs)


@pytest.mark.quick("planar]")
@pytest.mark.parametrize("kind", KINDS)
def test_legs_of_every_joint_type(kind: str) -> None:
    model = legged(1, 2, (kind, "revolute"), Revolute((0.0, 1.0, 0.0)))
    assert [len(limbs) for limbs in groups_of_limbs(equivalent(model).model)] == [2]
    check(model, 1)


@pytest.mark.thorough
def test_arms_on_the_world_need_not_meet() -> None:
    check(legged(2, 4, ("revolute", "revolute_unbounded", "revolute")), 2)


def test_limbs_that_differ_in_a_joint_or_follow_another_are_left_alone() -> None:
    builder = ModelBuilder("two arms")
    for arm, axis in enumerate(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))):
        shoulder = builder.add_joint(0, Revolute((0.0, 0.0, 1.0)), SE3.identity(), f"s{arm}")
        builder.add_joint(shoulder, Revolute(axis), SE3.identity(), f"e{arm}")
    assert groups_of_limbs(builder.build()) == []
    builder = ModelBuilder("two fingers")
    leader = builder.add_joint(0, Revolute((1.0, 0.0, 0.0)), SE3.identity(), "leader")
    for finger in "ab":
        follower = Mimic(Revolute((0.0, 0.0, 1.0)))
        builder.add_joint(leader, follower, SE3.identity(), finger, primary="leader")
    assert groups_of_limbs(builder.build()) == []


def test_a_node_that_is_several_terms_of_a_sum_is_lost_in_none() -> None:
    """One limb adds one number twice, where the other adds two."""

    @dyn_core.quantity("twice", "a sum over limbs", unit="1", source="none", joint_space=True)
    def twice(model: Model, q: Configuration) -> float:
        a, b, c = 2.0 * sin(q[0]), 3.0 * sin(q[1]), 5.0 * sin(q[1])
        return (a + b) + (a + c)

    model, q = legged(0, 2, ("revolute",)), np.array([0.3, 0.7])
    assert groups_of_limbs(model) == [((1,), (2,))]
    expected = 4.0 * np.sin(0.3) + 8.0 * np.sin(0.7)
    assert twice(model, q) == pytest.approx(expected, rel=1e-14)


def test_lanes_of_a_vector_are_stored_wherever_they_are_asked_for() -> None:
    """Both lanes of a sum, each into two entries side by side."""

    def function(x: list[Expr]) -> list[Expr]:
        graph = x[0].graph
        operands = [graph.pack([x[2 * k + j].position for j in (0, 1)]) for k in (0, 1)]
        total = graph.add(ADD, *operands)
        lanes = [Expr(graph, graph.lane(total, k)) for k in (0, 1)]
        return [lanes[0], lanes[0], 0.0, lanes[1], lanes[1]]

    y = compiled(function, 4)(np.array([1.0, 2.0, 30.0, 40.0]))
    assert y.tolist() == [31.0, 31.0, 0.0, 42.0, 42.0]
