# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The equivalent robot: the same efforts and motion of joints from fewer numbers."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_model
from robots import load, relative_error
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelBuilder
from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.passes.equivalent_model import equivalent
from dyn_core.compiler.pipeline import program
from dyn_core.joints import Freedom, Joint, Prismatic, Revolute
from dyn_core.model.joints.axis_joint import unit_axis
from dyn_core.spatial import SE3, Force, Inertia, Matrix3, Motion, Vector3
from dyn_core.spatial.lie import VectorSpace
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars.functions import cos, sin

trace_module = importlib.import_module("dyn_core.compiler.tracing")
SEEDS = range(6)
JOINT_SPACE = (
    dyn_core.rnea,
    dyn_core.nonlinear_effects,
    dyn_core.generalized_gravity,
    dyn_core.crba,
    dyn_core.aba,
)


@pytest.mark.parametrize("quantity", JOINT_SPACE, ids=lambda quantity: quantity.__name__)
@pytest.mark.parametrize("seed", SEEDS)
def test_joints_move_and_feel_the_same(quantity: dyn_core.Quantity, seed: int) -> None:
    """The definitions on both robots, run on floats: all joint types, mimic joints, armature."""
    model = random_model(seed, joints=16)
    other = equivalent(model).model
    for s in states(model, 3, seed):
        arrays = [s[name].tolist() for name in quantity.inputs]
        expected = np.array(quantity.define(model, *arrays))
        assert relative_error(np.array(quantity.define(other, *arrays)), expected) < 1e-11


@pytest.mark.parametrize("seed", SEEDS)
def test_forces_on_bodies_are_carried_over(seed: int) -> None:
    model = random_model(seed, joints=16)
    robot = equivalent(model)
    forces = [Force.of(x) for x in np.random.default_rng(seed).normal(size=(model.njoints, 6))]
    for s in states(model, 3, seed):
        arrays = [s[name].tolist() for name in ("q", "v", "a")]
        expected = np.array(dyn_core.rnea.define(model, *arrays, forces))
        actual = dyn_core.rnea.define(robot.model, *arrays, robot.forces(forces))
        assert relative_error(np.array(actual), expected) < 1e-11


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_stay_where_they_are(seed: int) -> None:
    model = random_model(seed, joints=16)
    other = equivalent(model).model
    q = states(model, 1, seed)[0]["q"].tolist()
    ours, theirs = (dyn_core.forward_kinematics.define(x, q) for x in (model, other))
    for a, b in zip(model.frames, other.frames, strict=True):
        first, second = ours[a.joint] * a.placement, theirs[b.joint] * b.placement
        assert np.allclose(first.homogeneous(), second.homogeneous(), atol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_joints_do_not_feel_is_gone(seed: int) -> None:
    """The tips keep the base parameters: seven of a hinge's ten, four of a slide's."""
    model = random_model(seed, joints=16)
    other = equivalent(model).model
    for i in set(model.moving_joints) - set(model.parents):
        lets = model.joints[i].motion_class
        mass, _, _, z, xx, _, yy, *_, zz = other.inertias[i].parameters
        if lets is Freedom.TURN:
            assert (mass, z, zz) == (0.0, 0.0, xx + yy)
        if lets is Freedom.SLIDE:
            assert set(other.inertias[i].rotational.entries) == {0.0}


def test_a_joint_type_of_the_users_own_is_left_alone() -> None:
    """A class that only inherits from a hinge may move otherwise."""

    class Cam(Revolute):
        pass

    class Wedge(Prismatic):
        pass

    builder = ModelBuilder("own joints")
    arm = random_model(0, joints=1, kinds=["revolute"])
    for parent, joint in enumerate((Cam((0.0, 1.0, 0.0)), Wedge((1.0, 0.0, 0.0)))):
        builder.add_joint(parent, joint, arm.joint_placements[1], f"j{parent}")
        builder.add_body(parent + 1, arm.inertias[1], SE3.identity())
    model = builder.build()
    other = equivalent(model).model
    assert other.joints == model.joints
    parameters = [[inertia.parameters for inertia in x.inertias] for x in (other, model)]
    assert parameters[0] == parameters[1]


class Hinge(Joint):
    """A user's own, of no kind of ours, that says what it lets move."""

    space = VectorSpace(1)
    freedom = Freedom.TURN

    def __init__(self, axis: Sequence[float]) -> None:
        self.axis = unit_axis(axis)

    @property
    def parameters(self) -> dict[str, object]:
        return {"axis": list(self.axis)}

    def transform(self, q: Sequence[Scalar]) -> SE3:
        return SE3(Matrix3.axis_angle(self.axis, cos(q[0]), sin(q[0])), Vector3.zero())

    def subspace(self, q: Sequence[Scalar]) -> tuple[Motion, ...]:
        return (Motion(Vector3.zero(), self.axis),)


class Silent(Hinge):
    """Of which nobody knows how it moves."""


def test_a_joint_of_the_users_own_joins_in_where_it_says_what_it_lets_move() -> None:
    model = load("ur5").model
    turned = [(entry, entry.joint.axis) for entry in model.tree[1:]]

    def with_hinges(kind: type[Joint]) -> Model:
        tree = [replace(entry, joint=kind(list(axis))) for entry, axis in turned]
        return replace(model, tree=(model.tree[0], *tree))

    ours, says, silent = (with_hinges(kind) for kind in (Revolute, Hinge, Silent))
    assert Hinge((0.0, 1.0, 0.0)).motion_class is Freedom.TURN
    assert Silent((0.0, 1.0, 0.0)).motion_class is Freedom.ANY
    request = [dyn_core.rnea.request()]
    costs = [count(program(robot, request)).total for robot in (ours, says, silent)]
    assert costs[0] == costs[1] < costs[2]
    q, v, a = np.random.default_rng(0).normal(size=(3, 6))
    expected = dyn_core.rnea(ours, q, v, a)
    for robot in (says, silent):
        assert relative_error(dyn_core.rnea(robot, q, v, a), expected) < 1e-13


def test_a_quantity_of_bodies_is_traced_on_the_robot_itself() -> None:
    """Both kinds in one kernel, with a payload and a wrench, agree with the definitions."""
    model = random_model(3, joints=16)
    frame = model.frames[-1].name
    payload = model.inertias[2]
    request = [dyn_core.crba, dyn_core.forward_kinematics, dyn_core.kinetic_energy]
    kernel = dyn_core.compile(model, request, inputs=[dyn_core.payload(frame)])
    place = model.frame(frame)
    loaded = list(model.inertias)
    loaded[place.joint] = loaded[place.joint] + place.placement.act_inertia(payload)
    carrying = with_inertias(model, loaded)
    s = states(model, 1, 3)[0]
    parameters = np.array(payload.parameters)
    M, oMi, energy = kernel(s["q"], s["v"], parameters)
    q, v = s["q"].tolist(), s["v"]
    assert relative_error(M, np.array(dyn_core.crba.define(carrying, q))) < 1e-11
    expected = [x.homogeneous() for x in dyn_core.forward_kinematics.define(model, q)]
    assert np.allclose(oMi, expected, atol=1e-13)
    assert float(energy) == pytest.approx(float(0.5 * v @ M @ v), rel=1e-10)


def with_inertias(model: Model, inertias: list[Inertia]) -> Model:
    """The robot with other bodies."""
    pairs = zip(model.tree, inertias, strict=True)
    return replace(model, tree=tuple(replace(entry, inertia=body) for entry, body in pairs))


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_robots_cost_fewer_operations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    requests = [[quantity.request()] for quantity in (dyn_core.rnea, dyn_core.aba)]
    after = [count(program(load(name).model, request)).total for request in requests]
    monkeypatch.setattr(trace_module, "_equivalent", lambda *given: ((), given[0]))
    before = [count(program(load(name).model, request)).total for request in requests]
    assert all(x < y for x, y in zip(after, before, strict=True))
