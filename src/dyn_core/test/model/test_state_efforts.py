# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Friction and springs, and quantities that efforts of the state enter."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covers
from random_trees import ALL_KINDS, random_configuration, random_model

import dyn_core
from dyn_core import Model, ModelBuilder, friction_efforts
from dyn_core.joints import Mimic, Prismatic, Revolute
from dyn_core.model import Limits
from dyn_core.model.editing.body_graph import reversed_limits
from dyn_core.spatial import SE3

FRICTION = dyn_core.friction_efforts.request(smoothing=0.1)


@pytest.fixture(scope="module")
def model() -> dyn_core.Model:
    return random_model(0)


def state(model: dyn_core.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    step, v, other, tau = random.normal(size=(4, model.nv))
    return dyn_core.integrate(model, dyn_core.neutral(model), step), v, other, tau


@covers(dyn_core.net_forward_dynamics)
def test_net_forward_dynamics_counts_efforts_of_the_state(model: dyn_core.Model) -> None:
    q, v, _, tau = state(model)
    friction = dyn_core.friction_efforts(model, v, smoothing=0.1)
    assert abs(friction).max() > 0.1
    expected = dyn_core.aba(model, q, v, tau + friction)
    net = dyn_core.net_forward_dynamics(model, q, v, tau, efforts=(FRICTION,))
    assert net == pytest.approx(expected, rel=1e-9)
    plain = dyn_core.net_forward_dynamics(model, q, v, tau)
    assert plain == pytest.approx(dyn_core.aba(model, q, v, tau), rel=1e-9)


def test_gravity_that_hardware_compensates_is_that_of_the_input(model: dyn_core.Model) -> None:
    """Whatever gravity is passed, it cancels."""
    q, v, _, tau = state(model)
    kernel = dyn_core.compile(
        model,
        [dyn_core.net_forward_dynamics.request(efforts=(dyn_core.generalized_gravity,))],
        ["gravity"],
    )
    weightless = kernel(q, v, tau, np.zeros(3))
    assert kernel(q, v, tau, np.array([3.0, -2.0, 5.0])) == pytest.approx(weightless, rel=1e-8)


@covers(dyn_core.tracking_efforts)
def test_tracking_efforts_undo_friction_at_the_desired_velocity(model: dyn_core.Model) -> None:
    q, v, a, desired = state(model)
    friction = dyn_core.friction_efforts(model, desired, smoothing=0.1)
    expected = dyn_core.rnea(model, q, v, a) - friction
    tau = dyn_core.tracking_efforts(model, q, v, a, desired, efforts=(FRICTION,))
    assert tau == pytest.approx(expected, rel=1e-9)
    plain = dyn_core.tracking_efforts(model, q, v, a, desired)
    assert plain == pytest.approx(dyn_core.rnea(model, q, v, a), rel=1e-9)


def gradient(model: dyn_core.Model, q: np.ndarray, h: float = 1e-6) -> np.ndarray:
    def energy(step: np.ndarray) -> float:
        return dyn_core.spring_energy(model, dyn_core.integrate(model, q, step))

    return np.array([(energy(e) - energy(-e)) / (2.0 * h) for e in h * np.eye(model.nv)])


def test_spring_of_a_slide_follows_hookes_law() -> None:
    builder, joint = dyn_core.ModelBuilder("slide"), Prismatic()
    limits = Limits.of(joint, stiffness=100.0, rest=0.2)
    builder.add_joint(0, joint, SE3.identity(), "j", limits)
    model, q = builder.build(), np.array([0.5])
    assert dyn_core.spring_efforts(model, q) == pytest.approx(-30.0)
    assert dyn_core.spring_energy(model, q) == pytest.approx(4.5)


@covers(dyn_core.spring_efforts, dyn_core.spring_energy)
@pytest.mark.parametrize("kind", [*ALL_KINDS, "mimic"])
def test_spring_efforts_are_minus_the_gradient_of_spring_energy(kind: str) -> None:
    kinds = ("revolute", "prismatic", "helical") if kind == "mimic" else (kind,)
    model = random_model(1, joints=6, kinds=kinds, mimic=kind == "mimic")
    assert model.has_mimic_joints == (kind == "mimic")
    checked = [x for x in model.tree if kind != "mimic" or isinstance(x.joint, Mimic)]
    assert any(any(entry.limits.stiffness) for entry in checked)
    random = np.random.default_rng(1)
    for _ in range(3):
        q = np.array(random_configuration(random, model, size=0.5))
        expected = -gradient(model, q)
        assert np.abs(expected).max() > 1e-3
        assert np.allclose(dyn_core.spring_efforts(model, q), expected, rtol=1e-5, atol=1e-7)


def test_a_spring_is_the_same_seen_from_the_other_end() -> None:
    """Of a chain rooted at its last body."""
    builder, joint = dyn_core.ModelBuilder("slide"), Prismatic()
    limits = Limits.of(joint, stiffness=100.0, rest=0.2, lower=-1.0, upper=2.0)
    builder.add_joint(0, joint, SE3.identity(), "j", limits)
    edge_limits = reversed_limits(joint, joint.reverse(), limits)
    turned = dyn_core.ModelBuilder("slide")
    turned.add_joint(0, joint.reverse().joint, SE3.identity(), "j", edge_limits)
    q = np.array([0.5])
    q_turned = np.array(joint.reverse().configuration(q.tolist()))
    assert dyn_core.spring_energy(turned.build(), q_turned) == pytest.approx(
        dyn_core.spring_energy(builder.build(), q)
    )


def hinge(**losses: float) -> Model:
    builder = ModelBuilder("hinge")
    joint = Revolute([0.0, 0.0, 1.0])
    builder.add_joint(0, joint, SE3.identity(), "j", Limits.of(joint, **losses))
    return builder.build()


@covers(friction_efforts)
def test_friction_of_a_hinge_is_stribecks_curve() -> None:
    model = hinge(damping=0.3, friction=0.2, stiction=0.1, stribeck_velocity=0.05)
    for v in (-2.0, -0.05, 0.0, 1e-4, 0.05, 1.0):
        dry = 0.2 + 0.1 * np.exp(-((v / 0.05) ** 2))
        (sharp,) = friction_efforts(model, np.array([v]))
        assert sharp == pytest.approx(-(0.3 * v + dry * np.sign(v)), abs=1e-15)
        (smooth,) = friction_efforts(model, np.array([v]), smoothing=0.01)
        assert smooth == pytest.approx(-(0.3 * v + dry * np.tanh(v / 0.01)), abs=1e-15)


def test_friction_is_finite_at_any_speed() -> None:
    model = hinge(friction=0.2, stiction=0.1, stribeck_velocity=1e-3)
    for v in (-1e300, -1e5, 1e5, 1e300):
        assert friction_efforts(model, np.array([v]), smoothing=1e-3) == pytest.approx(
            -0.2 * np.sign(v)
        )


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_friction_only_takes_energy(smoothing: float) -> None:
    model, random = random_model(0), np.random.default_rng(0)
    data = model.create_data()
    for _ in range(100):
        v = random.normal(size=model.nv)
        assert friction_efforts(model, data, v, smoothing=smoothing) @ v < 0.0
