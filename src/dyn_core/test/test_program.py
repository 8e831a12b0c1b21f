"""The program that is printed: its length, and the definition that makes it short."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import random_inertia, random_model, random_placement
from robots import load
from test_fuse import traced
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelBuilder
from dyn_core.codegen.count import OperationCount, count
from dyn_core.codegen.fuse import fuse
from dyn_core.codegen.lanes import in_lanes
from dyn_core.codegen.program import HOPELESS, program
from dyn_core.codegen.trace import trace
from dyn_core.joints import Revolute
from dyn_core.scalars.graph import TooLongError
from dyn_core.scalars.scalar import select, sin
from dyn_core.spatial import SE3

(BY_MASS_MATRIX,) = dyn_core.aba.alternatives


def chain(joints: int) -> Model:
    """Hinges in series."""
    builder, random = ModelBuilder("chain"), np.random.default_rng(0)
    for k in range(joints):
        axis = np.eye(3)[k % 3].tolist()
        builder.add_joint(k, Revolute(axis), random_placement(random), f"j{k}")
        builder.add_body(k + 1, random_inertia(random), SE3.identity())
    return builder.build()


def test_operations_are_counted_by_kind() -> None:
    def function(a, b, c):
        return [a * b + c, a - b, -(a * c), b / c, sin(a), select(a < b, a, c), 2.0, a]

    assert count(fuse(traced(function, 3))) == OperationCount(
        multiplications=1, additions=1, fused=1, divisions=1, functions=3, moves=0
    )
    assert count(fuse(traced(function, 3))).total == 7


def test_what_no_output_needs_is_not_counted() -> None:
    def function(a, b):
        return [a, a * b][:1]

    assert count(traced(function, 2)).total == 0


@pytest.mark.parametrize("seed", range(4))
def test_both_definitions_of_forward_dynamics_agree(seed: int) -> None:
    model = random_model(seed, joints=10, mimic=False)
    for s in states(model, 3, seed):
        arrays = [s[name].tolist() for name in dyn_core.aba.inputs]
        expected = np.array(dyn_core.aba.define(model, *arrays))
        actual = np.array(BY_MASS_MATRIX.define(model, *arrays))
        residual = dyn_core.crba(model, s["q"]) @ (actual - expected)
        assert np.abs(residual).max() < 1e-10 * np.abs(s["tau"]).max()


@pytest.mark.parametrize(("robot", "way"), [("ur5", 1), ("kinova", 1), ("panda", 1), ("talos", 0)])
def test_the_shortest_definition_for_a_robot_is_taken(robot: str, way: int) -> None:
    model, request = load(robot).model, dyn_core.aba.request()
    lengths = [count(fuse(in_lanes(trace(model, [x]), model))).total for x in request.ways]
    taken, found = request.ways[way], program(model, [request])
    assert count(found) == count(fuse(in_lanes(trace(model, [taken]), model)))
    assert count(found).total == min(lengths)


def test_a_definition_that_becomes_hopelessly_long_is_given_up() -> None:
    """A chain's mass matrix takes the cube of its length; it is not waited for."""
    model = chain(60)
    request = dyn_core.aba.request()
    lengths = [len(trace(model, [x]).graph.nodes) for x in request.ways]
    assert lengths[1] > HOPELESS * lengths[0]
    with pytest.raises(TooLongError):
        trace(model, request.ways[1:], limit=HOPELESS * lengths[0])
    assert count(program(model, [request])) == count(fuse(in_lanes(trace(model, [request]), model)))


def test_a_mass_matrix_that_is_there_anyway_is_used() -> None:
    """Asked for together, mass matrix and acceleration share what one of them is made of."""
    model = load("ur5").model
    both = [dyn_core.crba.request(), dyn_core.aba.request()]
    alone = sum(count(program(model, [x])).total for x in both)
    assert count(program(model, both)).total < alone - 0.8 * count(program(model, both[:1])).total
