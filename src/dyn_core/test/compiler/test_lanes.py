# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Limbs that look alike computed as lanes of one: the same numbers from fewer operations."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import ALL_KINDS, random_inertia, random_placement
from robots import Robot, load, relative_error
from test_operations import compiled
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelBuilder
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import TOTAL, Graph
from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.passes.equivalent_model import equivalent
from dyn_core.compiler.passes.limb_constants import LimbConstant, limb_constant
from dyn_core.compiler.passes.limb_lanes import in_lanes
from dyn_core.compiler.passes.limbs import groups_of_limbs
from dyn_core.compiler.passes.multiply_add import fuse
from dyn_core.compiler.tracing import trace
from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.joints import FreeFlyer, Joint, Mimic, Revolute
from dyn_core.model import Limits
from dyn_core.spatial import SE3, Force, Inertia, Vector3
from dyn_core.spatial.scalars.functions import cos, sin, sqrt
from dyn_core.spatial.scalars.operations import MUL

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


@pytest.mark.quick("[3]")
@pytest.mark.parametrize("legs", [2, 3, 4, 5, 7])
def test_any_number_of_legs(legs: int) -> None:
    check(legged(legs, legs, ("revolute", "prismatic", "revolute"), FreeFlyer()), legs)


@pytest.mark.quick("revolute]", "spherical]", "planar]")
@pytest.mark.parametrize("kind", KINDS)
def test_legs_of_every_joint_type(kind: str) -> None:
    model = legged(1, 2, (kind, "revolute"), Revolute((0.0, 1.0, 0.0)))
    assert [len(limbs) for limbs in groups_of_limbs(equivalent(model).model)] == [2]
    check(model, 1)


def test_arms_on_the_world_need_not_meet() -> None:
    check(legged(2, 4, ("revolute", "revolute_unbounded", "revolute")), 2)


@pytest.mark.parametrize(
    ("name", "sizes"), [("hyq", [(4, 3)]), ("talos", [(2, 6), (2, 8)]), ("ur5", [])]
)
def test_limbs_of_robots(name: str, sizes: list[tuple[int, int]]) -> None:
    """How many limbs look alike, and of how many joints."""
    groups = groups_of_limbs(equivalent(load(name).model).model)
    assert [(len(limbs), len(limbs[0])) for limbs in groups] == sizes


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


@pytest.mark.parametrize("name", ["hyq", "simple_humanoid", "talos"])
def test_limbs_cost_less_together(name: str) -> None:
    """Legs and arms are whole: little is left that moves between numbers and lanes."""
    model = load(name).model
    for quantity in (dyn_core.rnea, dyn_core.aba):
        alone = trace(model, [quantity.request()])
        together = count(fuse(in_lanes(alone, model)))
        assert together.total < 0.65 * count(fuse(alone)).total
        assert together.moves < 0.1 * together.total


def test_a_robot_without_limbs_that_look_alike_keeps_its_trace() -> None:
    model = load("ur5").model
    traced = trace(model, [dyn_core.rnea.request()])
    assert in_lanes(traced, model) is traced


def test_constants_that_agree_are_plain_numbers() -> None:
    a, b = limb_constant([0.0, 2.0], 1, "legs"), limb_constant([3.0, 5.0], 1, "legs")
    assert limb_constant([4.0, 4.0], 0, "legs") == 4.0
    assert isinstance(a, LimbConstant)
    assert float(a) == 2.0
    assert b - a == 3.0
    for result, value in ((a + b, 7.0), (a * b, 10.0), (a / b, 0.4), (1.0 - a, -1.0), (-a, -2.0)):
        assert isinstance(result, LimbConstant)
        assert float(result) == value
    assert 1.0 / b == limb_constant([1.0 / 3.0, 0.2], 1, "legs") or float(1.0 / b) == 0.2
    assert a * limb_constant([1.0, 7.0], 0, "arms") == 2.0  # of another limb: plain numbers


def test_what_is_zero_in_one_limb_alone_stays() -> None:
    """Or the limbs would not compute in step."""
    x = Expr.input(Graph(), "x", 0)
    for lane in range(2):
        product = 2.0 * (limb_constant([0.0, 1.0], lane, "legs") * x)
        assert isinstance(product, Expr)
        kinds = [node.kind for node in product.graph.nodes]
        assert kinds.count(MUL) == 2 * (lane + 1)


@pytest.mark.parametrize("width", [2, 4])
def test_operations_between_numbers_and_lanes(width: int) -> None:
    """Packed, broadcast, summed up and taken apart again."""

    def function(x: list[Expr]) -> list[Expr]:
        graph, first = x[0].graph, x[0].position
        packed = Expr(graph, graph.pack([a.position for a in x]))
        factors = Expr(graph, graph.constants([1.0 + k for k in range(width)]))
        y = (packed * factors + x[0]) / Expr(graph, first) - sin(packed) * 0.5 + cos(packed)
        root = sqrt(y * y)
        lanes = [Expr(graph, graph.lane(root.position, k)) for k in range(width)]
        return [*lanes, Expr(graph, graph.total((-y).position))]

    x = np.linspace(0.3, 1.7, width)
    y = (x * np.arange(1.0, width + 1.0) + x[0]) / x[0] - 0.5 * np.sin(x) + np.cos(x)
    assert compiled(function, width)(x) == pytest.approx([*np.abs(y), -y.sum()], rel=1e-15)


def test_every_robot_of_the_tests_vs_its_definitions(robot: Robot) -> None:
    check(robot.model, 0)


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


def test_what_limbs_add_to_a_sum_needs_one_total() -> None:
    """Not one for each of the terms that they have in common."""

    @dyn_core.quantity("terms", "a sum over limbs", unit="1", source="none", joint_space=True)
    def terms(model: Model, q: Configuration) -> float:
        total = 1.0
        for left, right in zip(q[:3], q[3:], strict=True):
            total = total - sin(left) - sin(right)
        return total

    model, q = legged(0, 2, ("revolute",) * 3), np.linspace(0.1, 0.6, 6)
    together = in_lanes(trace(model, [terms.request()]), model)
    assert [together.graph.nodes[x].kind for x in together.live()].count(TOTAL) == 1
    assert terms(model, q) == pytest.approx(1.0 - np.sin(q).sum(), rel=1e-14)
