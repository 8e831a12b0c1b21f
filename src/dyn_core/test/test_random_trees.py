"""Trees with every joint type: Pinocchio as oracle; mimic joints by what they mean."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_model import to_pinocchio
from random_trees import ALL_KINDS, random_configuration, random_model
from robots import relative_error
from test_against_pinocchio import ORACLES, TOLERANCE, symmetric

import dyn_core
from dyn_core.joints import Mimic
from dyn_core.model import Model

NAMES = [name for name in ORACLES if name != "placements"]


def states(model: Model, count: int, seed: int = 0) -> list[dict[str, np.ndarray]]:
    random = np.random.default_rng(seed)
    return [
        {
            "q": np.array(random_configuration(random, model)),
            **{name: random.normal(size=model.nv) for name in ("v", "a", "tau")},
        }
        for _ in range(count)
    ]


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_one_joint_type_alone_vs_pinocchio(kind: str) -> None:
    check_dynamics(random_model(5, joints=4, kinds=(kind,), mimic=False))


@pytest.mark.parametrize("seed", range(4))
def test_all_joint_types_vs_pinocchio(seed: int) -> None:
    check_dynamics(random_model(seed, joints=14, mimic=False))


def check_dynamics(model: Model) -> None:
    rebuilt, data = to_pinocchio(model), model.create_data()
    pin_data = rebuilt.model.createData()
    bound = {name: dyn_core.compile(model, [name]).bind(data) for name in [*NAMES, "placements"]}
    for s in states(model, 20):
        inputs = {
            "inverse_dynamics": ("q", "v", "a"),
            "nonlinear_effects": ("q", "v"),
            "forward_dynamics": ("q", "v", "tau"),
        }
        for name in NAMES:
            actual = bound[name](*(s[x] for x in inputs.get(name, ("q",))))
            expected = ORACLES[name](rebuilt.model, pin_data, s)
            assert relative_error(actual, expected) < TOLERANCE, name
        expected = rebuilt.placements(pin_data, s["q"])
        assert relative_error(bound["placements"](s["q"]), expected) < TOLERANCE


@pytest.mark.parametrize("seed", range(2))
def test_configuration_space_vs_pinocchio(seed: int) -> None:
    model = random_model(seed, joints=14, mimic=False)
    theirs = to_pinocchio(model).model
    assert np.allclose(dyn_core.neutral(model), pin.neutral(theirs))
    for s, t in zip(states(model, 10), states(model, 10, seed=1), strict=True):
        q, v, q1 = s["q"], s["v"], t["q"]
        assert np.allclose(dyn_core.integrate(model, q, v), pin.integrate(theirs, q, v), atol=1e-12)
        dv = pin.difference(theirs, q, q1)
        assert np.allclose(dyn_core.difference(model, q, q1), dv, atol=1e-8)
        assert dyn_core.distance(model, q, q1) == pytest.approx(pin.distance(theirs, q, q1))
        between = pin.interpolate(theirs, q, q1, 0.3)
        assert np.allclose(dyn_core.interpolate(model, q, q1, 0.3), between, atol=1e-8)
        for ours, arg in zip(dyn_core.d_integrate(model, q, v), (pin.ARG0, pin.ARG1), strict=True):
            assert np.allclose(ours, pin.dIntegrate(theirs, q, v, arg), atol=1e-9)
        for ours, arg in zip(
            dyn_core.d_difference(model, q, q1), (pin.ARG0, pin.ARG1), strict=True
        ):
            assert np.allclose(ours, pin.dDifference(theirs, q, q1, arg), rtol=1e-6, atol=1e-6)
        columns = np.random.default_rng(0).normal(size=(model.nv, 3))
        carried = pin.dIntegrateTransport(theirs, q, v, columns, pin.ARG0)
        assert np.allclose(dyn_core.transport(model, q, v, columns), carried, atol=1e-9)
        assert dyn_core.is_normalized(model, q)
        assert np.allclose(dyn_core.normalize(model, 1.5 * q), pin.normalize(theirs, 1.5 * q))


def independent(model: Model) -> Model:
    """The same robot with a coordinate for every mimic joint."""
    tree = [
        replace(entry, primary=i, joint=entry.joint.follower)
        if isinstance(entry.joint, Mimic)
        else entry
        for i, entry in enumerate(model.tree)
    ]
    # a follower has no armature: the rotor turns with the primary's coordinate
    free = replace(model, tree=tuple(tree), reference_configurations={})
    followers = [i for i in model.moving_joints if model.tree[i].primary != i]
    for i in followers:
        free = free.with_rotor(model.names[i], 0.0)
    return free


@pytest.mark.parametrize("seed", range(6))
def test_mimic_joints_are_exact(seed: int) -> None:
    """A mimic joint constrains an independent one: ``M = G' M_free G`` and so on, by Pinocchio."""
    model = random_model(seed, joints=12, kinds=("revolute", "prismatic", "helical", "spherical"))
    assert model.has_mimic_joints
    free = independent(model)
    theirs = to_pinocchio(free).model
    pin_data, data = theirs.createData(), model.create_data()
    G, offset = np.zeros((free.nv, model.nv)), dyn_core.neutral(free)
    for i in model.moving_joints:
        joint = model.joints[i]
        scale = joint.multiplier if isinstance(joint, Mimic) else 1.0
        for k in range(joint.nv):
            G[free.idx_v[i] + k, model.idx_v[i] + k] = scale
    for s in states(model, 10):
        q = offset.copy()
        for i in model.moving_joints:
            joint, at = model.joints[i], free.idx_q[i]
            own = np.array(model.q_of(i, s["q"]))
            follows = isinstance(joint, Mimic)
            q[at : at + joint.nq] = joint.multiplier * own + joint.offset if follows else own
        v, a = G @ s["v"], G @ s["a"]
        M = G.T @ symmetric(pin.crba(theirs, pin_data, q)) @ G
        tau = G.T @ pin.rnea(theirs, pin_data, q, v, a)
        bias = G.T @ pin.nonLinearEffects(theirs, pin_data, q, v)
        assert relative_error(dyn_core.crba(model, data, s["q"]), M) < 1e-10
        assert relative_error(dyn_core.rnea(model, data, s["q"], s["v"], s["a"]), tau) < 1e-10
        ddq = dyn_core.aba(model, data, s["q"], s["v"], s["tau"])
        assert relative_error(M @ ddq + bias, s["tau"]) < 1e-8


def test_random_configurations_are_within_limits_and_name_the_joint_without() -> None:
    model = random_model(3, joints=14)
    low, high = np.full(model.nq, -1.0), np.full(model.nq, 2.0)
    random = np.random.default_rng(0)
    for _ in range(20):
        q = dyn_core.random_configuration(model, random, low, high)
        assert dyn_core.is_normalized(model, q)
        assert (low <= q).all()
        assert (q <= high).all()
    unlimited = low.copy()
    flat = next(i for i in model.own_coordinates if model.joints[i].space.flat)
    unlimited[model.idx_q[flat]] = -np.inf
    with pytest.raises(ValueError, match=f"joint '{model.names[flat]}'.*without limits"):
        dyn_core.random_configuration(model, random, unlimited, high)
