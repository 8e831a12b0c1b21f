# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Trees with every joint type: Pinocchio as oracle; mimic joints by what they mean."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from covering import covers
from mimic_oracle import MimicOracle, independent
from pinocchio_model import is_known, to_pinocchio
from quantity_oracles import DYNAMICS, check
from random_trees import ALL_KINDS, random_configuration, random_model
from robots import relative_error

import dyn_core
from dyn_core.model import Model

KINDS = tuple(kind for kind, make in ALL_KINDS.items() if is_known(make(np.random.default_rng(0))))
"""Joints that Pinocchio has, too."""


def states(model: Model, count: int, seed: int = 0) -> list[dict[str, np.ndarray]]:
    random = np.random.default_rng(seed)
    return [
        {
            "q": np.array(random_configuration(random, model)),
            **{name: random.normal(size=model.nv) for name in ("v", "a", "tau")},
        }
        for _ in range(count)
    ]


@pytest.mark.quick("revolute", "spherical", "free", "all types, 0")
@pytest.mark.parametrize("kind", [*KINDS, *(f"all types, {seed}" for seed in range(4))])
def test_joint_types_alone_and_together_vs_pinocchio(kind: str) -> None:
    if kind in KINDS:
        check_dynamics(random_model(5, joints=4, kinds=(kind,), mimic=False))
    else:
        check_dynamics(random_model(int(kind[-1]), joints=14, kinds=KINDS, mimic=False))


def is_certain(model: pin.Model, data: pin.Data, s: dict[str, np.ndarray]) -> bool:
    """Whether Pinocchio's aba is right by its own rnea, which near a singularity it is not."""
    ddq = pin.aba(model, data, s["q"], s["v"], s["tau"])
    return relative_error(pin.rnea(model, data, s["q"], s["v"], ddq), s["tau"]) < 1e-10


def check_dynamics(model: Model) -> None:
    rebuilt = to_pinocchio(model)
    pin_data = rebuilt.model.createData()
    certain = [s for s in states(model, 25) if is_certain(rebuilt.model, pin_data, s)]
    assert len(certain) >= 20
    placed = {dyn_core.forward_kinematics: lambda m, d, s: rebuilt.placements(d, s["q"])}
    check(model, rebuilt.model, {**DYNAMICS, **placed}, certain)


@covers(dyn_core.integrate, dyn_core.difference, dyn_core.d_integrate, dyn_core.d_difference)
@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(2))
def test_configuration_space_vs_pinocchio(seed: int) -> None:
    model = random_model(seed, joints=14, kinds=KINDS, mimic=False)
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


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(6))
def test_mimic_joints_are_exact(seed: int) -> None:
    model = random_model(seed, joints=12, kinds=("revolute", "prismatic", "helical", "spherical"))
    assert model.has_mimic_joints
    oracle = MimicOracle(model, to_pinocchio(independent(model)).model)
    oracle.check(states(model, 10), forward=True)


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
