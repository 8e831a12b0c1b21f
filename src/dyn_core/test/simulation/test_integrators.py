# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Integrators: order of convergence, energy, momenta, a top, stiff joints, the longest steps."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_model
from robots import load, own_arm
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelBuilder
from dyn_core.dynamics.friction_efforts import friction_efforts
from dyn_core.dynamics.passive_efforts import passive_efforts
from dyn_core.dynamics.spring_efforts import spring_efforts
from dyn_core.joints import FreeFlyer, Prismatic, Revolute, Spherical
from dyn_core.simulation import (
    Dynamics,
    JointEfforts,
    Predictor,
    StepError,
    explicit_euler,
    implicit_euler,
    longest_step,
    rollout,
    runge_kutta_4,
    semi_implicit_euler,
    variational,
)
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3

ORDERS = {
    explicit_euler: 1,
    semi_implicit_euler: 1,
    implicit_euler: 1,
    variational: 2,
    runge_kutta_4: 4,
}
KINDS = ("spherical", "revolute", "universal", "planar", "revolute_unbounded")


def name(integrator) -> str:
    return integrator.__name__


def pendulum(length: float = 1.0, mass: float = 1.0) -> Model:
    """A point mass on a rod, hanging at q = 0."""
    builder = ModelBuilder("pendulum")
    hinge = builder.add_joint(0, Revolute((0.0, 1.0, 0.0)), SE3.identity(), "hinge")
    point = Inertia.from_com(mass, Vector3(0.0, 0.0, -length), Symmetric3.zero())
    builder.add_body(hinge, point, SE3.identity())
    return builder.build()


def sprung(model: Model, stiffness: float, damping: float, rest: np.ndarray | None = None) -> Model:
    """The robot with the same spring and damper at each coordinate."""
    at = dyn_core.neutral(model) if rest is None else rest
    tree = list(model.tree)
    for i in model.moving_joints:
        count = model.joints[i].nv
        limits = replace(
            tree[i].limits,
            stiffness=(stiffness,) * count,
            damping=(damping,) * count,
            friction=(0.0,) * count,
            stiction=(0.0,) * count,
            rest=tuple(model.q_of(i, at).tolist()),
        )
        tree[i] = replace(tree[i], limits=limits)
    return replace(model, tree=tuple(tree))


def energy(model: Model, q: np.ndarray, v: np.ndarray) -> float:
    """Kinetic and potential (J), by what tests of their own check."""
    oMi = dyn_core.forward_kinematics(model, q)
    moments = np.array([[*body.first_moment, body.mass] for body in model.inertias])
    first = sum(M @ m for M, m in zip(oMi, moments, strict=True))
    return float(dyn_core.kinetic_energy(model, q, v) - first[:3] @ np.array(model.gravity))


def momentum(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Of the whole robot about its centre of mass."""
    *_, Ag = dyn_core.centroidal_dynamics_derivatives(model, q, v, v)
    return Ag @ v


def energies(model: Model, integrator, v: np.ndarray, dt: float, steps: int) -> np.ndarray:
    """Of a swing without efforts from neutral, relative to the first kinetic energy."""
    many = rollout(model, integrator, Dynamics(model), dyn_core.neutral(model), v, dt, steps)
    values = np.array([energy(model, q, v) for q, v in zip(*many, strict=True)])
    return (values - values[0]) / dyn_core.kinetic_energy(model, many[0][0], v)


@pytest.mark.quick("[implicit", "semi")
@pytest.mark.parametrize("integrator", ORDERS, ids=name)
def test_order_of_convergence(integrator) -> None:
    """Half the step, ``2^-order`` of the error; on curved configuration spaces too."""
    model = sprung(random_model(3, joints=len(KINDS), kinds=KINDS, mimic=False), 2.0, 0.1)
    s = states(model, 1)[0]
    q, v, total = s["q"], 0.5 * s["v"], 0.1
    dynamics = Dynamics(model, JointEfforts(model))

    def end(method, steps: int) -> tuple[np.ndarray, np.ndarray]:
        many_q, many_v = rollout(model, method, dynamics, q, v, total / steps, steps)
        return many_q[-1], many_v[-1]

    best_q, best_v = end(runge_kutta_4, 400)
    errors = []
    for steps in (20, 40):
        qk, vk = end(integrator, steps)
        difference = dyn_core.difference(model, best_q, qk)
        errors.append(np.linalg.norm([*difference, *(vk - best_v)]))
    assert errors[1] > 1e-12
    assert math.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[integrator], abs=0.25)


def test_energy_of_a_free_swing() -> None:
    """Euler's method gains energy, the implicit one loses it, the others keep it."""
    arm, wrist = load("ur5").model, ["wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
    model = arm.reduced(wrist, np.zeros(6))
    v = np.array([0.5, 1.0, -1.0])
    dt, steps = 2e-3, 1000
    drift = {method: energies(model, method, v, dt, steps) for method in ORDERS}
    assert drift[explicit_euler][-1] > 0.01
    assert drift[implicit_euler][-1] < -0.01
    assert np.abs(drift[runge_kutta_4]).max() < 1e-6
    assert np.abs(drift[variational]).max() < 1e-2
    assert np.abs(drift[variational]).max() < 0.1 * np.abs(drift[explicit_euler]).max()


@pytest.mark.thorough
def test_a_variational_swing_keeps_its_energy_for_good() -> None:
    """The error of a second half is that of the first; that of Runge and Kutta has doubled."""
    model, v, dt, steps = pendulum(), np.array([5.0]), 0.05, 3000
    error = np.abs(energies(model, variational, v, dt, steps))
    half = steps // 2
    assert 1e-4 < error[:half].max() < 0.05
    assert error[half:].max() < 1.01 * error[:half].max()
    drift = energies(model, runge_kutta_4, v, dt, steps)
    assert drift[-1] == pytest.approx(2.0 * drift[half], rel=0.3)
    assert abs(drift[-1]) > 1e-4


def acrobat(gravity: float) -> Model:
    """A free body with an arm on a ball joint and an elbow."""
    builder = ModelBuilder("acrobat", gravity=(0.0, 0.0, -gravity))
    inertia = Inertia.from_com(2.0, Vector3(0.1, 0.2, -0.1), Symmetric3(0.2, 0, 0.25, 0, 0, 0.3))
    shoulder = SE3(Matrix3.identity(), Vector3(0.3, 0.0, 0.2))
    joint = 0
    for kind, place in [
        (FreeFlyer(), SE3.identity()),
        (Spherical(), shoulder),
        (Revolute((0.0, 1.0, 0.0)), SE3.identity()),
    ]:
        joint = builder.add_joint(joint, kind, place, type(kind).__name__)
        builder.add_body(joint, inertia, SE3.identity())
    return builder.build()


def tumble(gravity: float, integrator, dt: float, steps: int):
    """The model and all states of a motion of the acrobat without efforts."""
    model = acrobat(gravity)
    v = np.random.default_rng(4).normal(size=model.nv)
    start = dyn_core.neutral(model)
    return model, *rollout(model, integrator, Dynamics(model), start, v, dt, steps)


def test_a_variational_step_keeps_the_momenta_of_all_symmetries_exactly() -> None:
    """Without gravity these are the linear and angular momentum, in coarse steps too."""
    model, many_q, many_v = tumble(0.0, variational, 0.02, 100)

    def in_the_world(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        oMi = dyn_core.forward_kinematics(model, q)
        pairs = zip(oMi, model.inertias, strict=True)
        com = sum(M[:3] @ np.array([*body.first_moment, body.mass]) for M, body in pairs) / 6.0
        h = momentum(model, q, v)
        return np.array([*h[:3], *(h[3:] + np.cross(com, h[:3]))])

    momenta = np.array([in_the_world(q, v) for q, v in zip(many_q, many_v, strict=True)])
    assert np.abs(momenta - momenta[0]).max() < 1e-11 * np.abs(momenta[0]).max()
    swing = np.abs(many_v - many_v[0]).max()
    assert swing > 0.5  # the joints did move


@pytest.mark.quick("runge")
@pytest.mark.parametrize("integrator", [variational, runge_kutta_4], ids=name)
def test_a_top_precesses(integrator) -> None:
    """A fast top whose axis is level precesses steadily with ``m g l / (I3 w3)``."""
    mass, arm, I1, I3, spin = 2.0, 0.3, 0.05, 0.02, 200.0
    builder = ModelBuilder("top")
    joint = builder.add_joint(0, Spherical(), SE3.identity(), "tip")
    at_com = Symmetric3(I3, 0.0, I1, 0.0, 0.0, I1)  # the axis is x
    builder.add_body(joint, Inertia.from_com(mass, Vector3(arm, 0.0, 0.0), at_com), SE3.identity())
    model = builder.build()
    rate = mass * 9.81 * arm / (I3 * spin)
    v0 = np.array([spin, 0.0, rate])  # in the body, which is level
    dt, steps = 5e-4, 2000
    many_q, _ = rollout(model, integrator, Dynamics(model), dyn_core.neutral(model), v0, dt, steps)
    axes = np.array([dyn_core.forward_kinematics(model, q)[1][:3, 0] for q in many_q[::100]])
    angles = rate * dt * np.arange(0, steps + 1, 100)
    expected = np.array([np.cos(angles), np.sin(angles), 0.0 * angles]).T
    assert np.abs(axes - expected).max() < (2e-3 if integrator is variational else 5e-5)


def slider(mass: float) -> Model:
    builder = ModelBuilder("slider", gravity=(0.0, 0.0, 0.0))
    rail = builder.add_joint(0, Prismatic((1.0, 0.0, 0.0)), SE3.identity(), "rail")
    builder.add_body(
        rail, Inertia.from_com(mass, Vector3.zero(), Symmetric3.zero()), SE3.identity()
    )
    return builder.build()


def test_implicit_euler_of_a_spring_by_hand() -> None:
    """``(m + dt d + dt^2 k) v1 = m v0 - dt k q0``."""
    m, k, d, dt = 2.0, 30.0, 0.7, 0.1
    model = sprung(slider(m), k, d)
    dynamics = Dynamics(model, JointEfforts(model))
    q1, v1 = implicit_euler(model, dynamics, np.array([0.4]), np.array([-0.2]), dt)
    expected = (m * -0.2 - dt * k * 0.4) / (m + dt * d + dt * dt * k)
    assert v1[0] == pytest.approx(expected, rel=1e-12)
    assert q1[0] == pytest.approx(0.4 + dt * expected, rel=1e-12)


@pytest.mark.thorough
def test_stiff_joints_come_to_rest_where_explicit_steps_explode() -> None:
    robot = load("panda")
    rest = robot.states(1)[0]["q"]
    model = sprung(robot.model, 1e6, 100.0, rest)
    dynamics = Dynamics(model, JointEfforts(model))
    q0 = dyn_core.integrate(model, rest, np.full(model.nv, 0.05))
    v0, dt = np.zeros(model.nv), 5e-3
    many_q, many_v = rollout(model, implicit_euler, dynamics, q0, v0, dt, 100)
    assert np.abs(many_v[-1]).max() < 1e-3
    sag = dyn_core.generalized_gravity(model, rest) / 1e6
    assert np.abs(many_q[-1] - rest + sag).max() < 1e-5
    exploded = pytest.raises(StepError, match=r"step \d+, at .* s: the state of 'panda' is not f")
    with pytest.warns(UserWarning, match="dampers of joint 'panda_finger_joint1'"), exploded:
        rollout(model, semi_implicit_euler, dynamics, q0, v0, dt, 1000)
    with pytest.raises(StepError, match=r"step 1, at 0 s: 'panda': the variational step .*shorter"):
        rollout(model, variational, dynamics, q0, v0, 0.1, 1)


def test_derivatives_of_springs_and_dynamics_vs_differences() -> None:
    model = sprung(random_model(3, joints=len(KINDS), kinds=KINDS, mimic=False), 2.0, 0.1)
    efforts = JointEfforts(model)
    dynamics, s, h = Dynamics(model, efforts), states(model, 1)[0], 1e-6
    q, v = s["q"], s["v"]
    for function in (dynamics, efforts):
        by_q, by_v = function.derivatives(q, v)
        for k, step in enumerate(h * np.eye(model.nv)):
            ends = [function(dyn_core.integrate(model, q, x), v) for x in (step, -step)]
            assert np.allclose(by_q[:, k], (ends[0] - ends[1]) / (2.0 * h), atol=1e-4, rtol=1e-6)
            ends = [function(q, v + x) for x in (step, -step)]
            assert np.allclose(by_v[:, k], (ends[0] - ends[1]) / (2.0 * h), atol=1e-4, rtol=1e-6)


def test_what_does_not_fit_is_refused_in_words() -> None:
    model = pendulum()
    with pytest.raises(ValueError, match=r"q and v must have shapes \(1,\) and \(1,\)"):
        rollout(model, runge_kutta_4, Dynamics(model), np.zeros(2), np.zeros(1), 0.1, 1)
    with pytest.raises(ValueError, match="give a positive length"):
        rollout(model, runge_kutta_4, Dynamics(model), np.zeros(1), np.zeros(1), 0.0, 1)
    for quantity in (dyn_core.crba, dyn_core.rnea):
        with pytest.raises(ValueError, match="is no effort of q and v"):
            JointEfforts(model, [quantity])


def test_a_robot_without_inertia_is_refused_by_name() -> None:
    builder = ModelBuilder("ghost")
    builder.add_joint(0, Revolute(), SE3.identity(), "hinge")
    model = builder.build()
    with pytest.raises(dyn_core.ModelError, match="'hinge'"):
        variational(model, Dynamics(model), np.zeros(1), np.ones(1), 0.01)


MASS, STIFF, SOFT = 0.5, 2e4, 10.0


def sliders(damping: float = 0.0, stiffness: float = STIFF) -> Model:
    """Two masses that move apart from each other, the second on a stiff spring with a damper."""
    builder = ModelBuilder("sliders")
    for name in ("soft", "stiff"):
        joint = builder.add_joint(0, Prismatic((1.0, 0.0, 0.0)), SE3.identity(), name)
        body = Inertia.from_com(MASS, Vector3.zero(), Symmetric3.zero())
        builder.add_body(joint, body, SE3.identity())
    model = builder.build().with_spring("soft", stiffness=SOFT)
    model = model.with_spring("stiff", stiffness=stiffness)
    return model.with_friction("stiff", damping=damping)


@pytest.mark.parametrize("damping", [0.0, 20.0, 1000.0])
@pytest.mark.parametrize("integrator", [semi_implicit_euler, runge_kutta_4])
def test_steps_beyond_the_longest_grow_and_are_reported(integrator, damping: float) -> None:
    model, fourth = sliders(damping), integrator is runge_kutta_4
    found = longest_step(model, np.zeros(2), [passive_efforts], fourth)
    d, square = damping / MASS, STIFF / MASS
    if fourth:
        expected = 2.785 / np.abs(np.roots([1.0, d, square])).max()
    else:
        expected = 4.0 / (d + np.sqrt(d * d + 4.0 * square))
    assert (found.joint, found.seconds) == ("stiff", pytest.approx(expected, rel=1e-12))
    dynamics, start = Dynamics(model, JointEfforts(model)), np.array([1e-6, 1e-6])
    for factor, grows in ((0.97, False), (1.1 if fourth else 1.03, True)):
        dt = factor * found.seconds
        with warnings.catch_warnings(record=True) as reported:
            warnings.simplefilter("always")
            q, _ = rollout(model, integrator, dynamics, start, np.zeros(2), dt, 300)
        assert (np.abs(q[-1, 1]) > 10.0 * start[1]) == grows
        words = f"'sliders': steps of {dt:g} s are unstable for the springs and dampers of joint"
        assert [str(one.message).startswith(words) for one in reported] == [True] * grows


def test_there_is_no_warning_where_nothing_is_stiff_or_implicit_steps_are_taken() -> None:
    model, rigid = sliders(), own_arm()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stiff = Dynamics(model, JointEfforts(model))
        rollout(model, implicit_euler, stiff, np.zeros(2), np.zeros(2), 0.1, 2)
        still = np.zeros(rigid.nv)
        free = Dynamics(rigid, JointEfforts(rigid))
        rollout(rigid, semi_implicit_euler, free, dyn_core.neutral(rigid), still, 0.01, 2)
        only = Dynamics(model, JointEfforts(model, [friction_efforts]))
        rollout(model, semi_implicit_euler, only, np.zeros(2), np.zeros(2), 0.1, 2)
    assert longest_step(rigid, still, [passive_efforts]).seconds == np.inf


def test_many_motions_and_predictions_report_it_too() -> None:
    model = sliders()
    many = np.zeros((3, 2))
    dynamics = Dynamics(model, JointEfforts(model, [spring_efforts]))
    with pytest.warns(UserWarning, match="joint 'stiff', as all above"):
        rollout(model, semi_implicit_euler, dynamics, many, many, 0.02, 2)
    with pytest.warns(UserWarning, match=r"above 0.0139 s; take 0.0028 s, or an implicit"):
        Predictor(model, 5, 0.02, efforts=[passive_efforts])
