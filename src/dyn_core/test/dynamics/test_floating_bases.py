# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Floating bases keep their momentum in steps of all kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from covering import covers
from random_trees import random_model

import dyn_core
from dyn_core import joints
from dyn_core.dynamics.floating_bases import floating_bases
from dyn_core.simulation import (
    ContactPoint,
    ContactStepper,
    Dynamics,
    Ground,
    TimeStepper,
    explicit_euler,
    implicit_euler,
    rollout,
    semi_implicit_euler,
)
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3

DT, STEPS = 1e-3, 1000
BASES = (joints.FreeFlyer(), joints.Spherical(), joints.Planar((0.0, 0.6, 0.8)))
State = tuple[np.ndarray, np.ndarray]
Stepper = Callable[[dyn_core.Model, np.ndarray, np.ndarray, int], State]


SLIDES = [joints.Prismatic(axis) for axis in ((1.0, 0.0, 0.0), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0))]
TURNS = [joints.Revolute(axis) for axis in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))]
CHAINS: dict[str, list[joints.Joint]] = {
    "slides and a ball": [*SLIDES, joints.Spherical()],
    "slides and Euler angles": [*SLIDES, joints.SphericalZYX()],
    "slides and turns": [*SLIDES, *TURNS],
    "a translation and turns": [
        joints.Translation(),
        TURNS[0],
        joints.Universal([0, 1, 0], [1, 0, 0]),
    ],
    "a composite joint": [joints.Composite([*SLIDES, joints.SphericalZYX()])],
    "Euler angles": [joints.SphericalZYX()],
    "turns": TURNS,
    "in a plane": [*SLIDES[:2], TURNS[0]],
}


def body(
    base: joints.Joint | Sequence[joints.Joint],
    moments: tuple[float, float, float] = (0.01, 0.02, 0.025),
) -> dyn_core.ModelBuilder:
    """A body whose centre of mass is beside the joint, without gravity."""
    builder = dyn_core.ModelBuilder("body", gravity=(0.0, 0.0, 0.0))
    root, at = 0, SE3(Matrix3.identity(), Vector3(0.1, 0.2, 0.3))
    for k, joint in enumerate([base] if isinstance(base, joints.Joint) else base):
        root, at = builder.add_joint(root, joint, at, f"base{k}"), SE3.identity()
    x, y, z = moments
    inertia = Inertia.from_com(2.0, Vector3(0.1, -0.2, 0.05), Symmetric3(x, 0.0, y, 0.0, 0.0, z))
    builder.add_body(root, inertia, SE3.identity())
    return builder


def with_arms(base: joints.Joint | Sequence[joints.Joint]) -> dyn_core.Model:
    """The body with two arms of two links each, all of which turn freely."""
    builder = body(base)
    root = len(builder.tree) - 1
    link = Inertia.from_com(0.5, Vector3(0.1, 0.0, 0.0), Symmetric3(1e-4, 0, 2e-3, 0, 0, 2e-3))
    for side in (-1.0, 1.0):
        at, parent = SE3(Matrix3.identity(), Vector3(0.0, 0.1 * side, 0.1)), root
        for k, axis in enumerate(((0.0, 1.0, 0.0), (1.0, 0.0, side))):
            parent = builder.add_joint(parent, joints.Revolute(axis), at, f"arm{side:g}_{k}")
            builder.add_body(parent, link, SE3.identity())
            at = SE3(Matrix3.identity(), Vector3(0.2, 0.0, 0.0))
    return builder.build()


def total_momentum(model: dyn_core.Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Momentum in the world, about its origin."""
    own = dyn_core.joint_velocities(model, q, v, reference=dyn_core.WORLD)
    inertias = dyn_core.body_inertias(model, q)
    return sum(I @ w for I, w in zip(inertias, own, strict=True))


def momentum(model: dyn_core.Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The components of the momentum in the world, about its origin, that the base lets change.

    Of a spherical base they are the moments about the pivot, of a planar one those of its plane.
    """
    oMi, h = dyn_core.forward_kinematics(model, q), total_momentum(model, q, v)
    base = model.joints[1]
    if isinstance(base, joints.Spherical):
        return h[3:] - np.cross(oMi[1][:3, 3], h[:3])
    if isinstance(base, joints.Planar):
        n = np.array([*base.normal])
        return np.array([*(h[:3] - n * (n @ h[:3])), n @ h[3:]])
    return h


def by_integrator(method, model: dyn_core.Model, q: np.ndarray, v: np.ndarray, steps: int) -> State:
    many_q, many_v = rollout(model, method, Dynamics(model), q, v, DT, steps)
    return many_q[-1], many_v[-1]


def by_time_stepper(model: dyn_core.Model, q: np.ndarray, v: np.ndarray, steps: int) -> State:
    stepper = TimeStepper(model, DT)
    stepper.q[:], stepper.velocity[:] = q, v
    for _ in range(steps):
        stepper.step(np.zeros(model.nv))
    return stepper.q.copy(), stepper.velocity.copy()


def by_contact_stepper(model: dyn_core.Model, q: np.ndarray, v: np.ndarray, steps: int) -> State:
    stepper = ContactStepper(model, [], [])
    for _ in range(steps):
        step = stepper.step(q, v, np.zeros(model.nv), DT)
        q, v = step.q, step.v
    return q, v


def by_rollout(name: str, model: dyn_core.Model, q: np.ndarray, v: np.ndarray, steps: int) -> State:
    kernel = dyn_core.compile(model, [dyn_core.explicit_step.request(integrator=name)])
    many_q, many_v = kernel.rollouts(
        q[None], v[None], np.zeros(model.nv), np.array([DT]), steps=steps
    )
    return many_q[0, -1], many_v[0, -1]


STEPPERS: dict[str, Stepper] = {
    "TimeStepper": by_time_stepper,
    "ContactStepper": by_contact_stepper,
    "explicit_euler": partial(by_integrator, explicit_euler),
    "semi_implicit_euler": partial(by_integrator, semi_implicit_euler),
    "rollout": partial(by_rollout, "semi_implicit_euler"),
    "rollout of explicit_euler": partial(by_rollout, "explicit_euler"),
    "implicit_euler": lambda model, q, v, steps: by_integrator(implicit_euler, model, q, v, 50),
}


def started(model: dyn_core.Model, spin: float) -> State:
    """A tumbling start: the base and all joints move."""
    random = np.random.default_rng(5)
    q = dyn_core.integrate(model, dyn_core.neutral(model), random.normal(size=model.nv))
    v = 2.0 * random.normal(size=model.nv)
    base = model.joints[1]
    turning = slice(base.nv - (1 if isinstance(base, joints.Planar) else 3), base.nv)
    v[turning] *= spin / np.linalg.norm(v[turning])
    return q, v


@pytest.mark.quick("TimeStepper-FreeFlyer-50.0", "[rollout-FreeFlyer-50.0")
@pytest.mark.parametrize("spin", [20.0, 50.0])
@pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
@pytest.mark.parametrize("stepper", [name for name in STEPPERS if name != "implicit_euler"])
def test_a_body_in_free_flight_keeps_momentum_and_energy(
    stepper: str, base: joints.Joint, spin: float
) -> None:
    model = body(base).build()
    q, v = started(model, spin)
    end = STEPPERS[stepper](model, q, v, STEPS)
    before, after = momentum(model, q, v), momentum(model, *end)
    assert np.abs(after - before).max() < 1e-9 * np.abs(before).max()
    energy = dyn_core.kinetic_energy(model, q, v)
    assert dyn_core.kinetic_energy(model, *end) == pytest.approx(float(energy), rel=1e-9)


@pytest.mark.quick("TimeStepper-FreeFlyer", "[rollout-FreeFlyer", "[implicit_euler-FreeFlyer")
@pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
@pytest.mark.parametrize("stepper", STEPPERS)
def test_a_tree_with_moving_joints_keeps_momentum(stepper: str, base: joints.Joint) -> None:
    model = with_arms(base)
    q, v = started(model, 20.0)
    before, after = momentum(model, q, v), momentum(model, *STEPPERS[stepper](model, q, v, STEPS))
    assert np.abs(after - before).max() < 1e-9 * np.abs(before).max()


@pytest.mark.quick("TimeStepper", "[rollout of")
@pytest.mark.parametrize("stepper", STEPPERS)
def test_gravity_turns_no_body(stepper: str) -> None:
    """The angular momentum about the centre of mass stays; the linear one falls with m g t."""
    model = replace(with_arms(joints.FreeFlyer()), gravity=(0.0, 0.0, -9.81))
    q, v = started(model, 20.0)
    v[:3] = 3.0, 4.0, 5.0
    end = STEPPERS[stepper](model, q, v, STEPS)
    before, after = (dyn_core.centroidal_momentum(model, *x) for x in ((q, v), end))
    assert after[3:] == pytest.approx(before[3:], abs=1e-9 * np.abs(before).max())
    steps = 50 if stepper == "implicit_euler" else STEPS
    fall = [0.0, 0.0, -9.81 * DT * steps * sum(x.mass for x in model.inertias)]
    assert after[:3] - before[:3] == pytest.approx(fall, abs=1e-9 * np.abs(before).max())


def turning(model: dyn_core.Model, speed: float) -> State:
    """A start of a robot on a chain of joints, away from its singularities."""
    random = np.random.default_rng(5)
    q = dyn_core.integrate(model, dyn_core.neutral(model), 0.3 * random.normal(size=model.nv))
    v = random.normal(size=model.nv)
    return q, speed / np.linalg.norm(v) * v


@pytest.mark.thorough
@pytest.mark.parametrize("chain", CHAINS)
def test_a_base_of_several_joints_keeps_momentum(chain: str) -> None:
    """Of the base's own coordinates, whose efforts are zero: ``S' h`` with the momentum h before.

    Definitions on floats; nothing is compiled.
    """
    model = with_arms(CHAINS[chain])
    (base,) = floating_bases(model)
    assert len(base) == len(CHAINS[chain])
    q, v = turning(model, 20.0)
    q1, v1 = (np.array(x) for x in dyn_core.drift.run(model, list(q), list(v), list(DT * v), [DT]))
    J = dyn_core.joint_jacobian(model, q1, joint=model.names[base[-1]], reference=dyn_core.WORLD)
    change = J.T @ (total_momentum(model, q1, v1) - total_momentum(model, q, v))
    assert np.abs(change).max() < 1e-12 * np.abs(J.T @ total_momentum(model, q, v)).max()


@pytest.mark.quick("in a plane")
@pytest.mark.parametrize("chain", CHAINS)
def test_a_compiled_step_of_a_base_of_several_joints_is_its_definition(chain: str) -> None:
    """It is traced on an equivalent robot, whose bodies between these joints stay weightless."""
    model = with_arms(CHAINS[chain])
    (q, v), tau, dt = turning(model, 20.0), np.zeros(model.nv), np.array([DT])
    exact = dyn_core.explicit_step.run(model, list(q), list(v), list(tau), list(dt))
    for found, expected in zip(dyn_core.explicit_step(model, q, v, tau, dt), exact, strict=True):
        assert found == pytest.approx(np.array(expected, dtype=float), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("chain", ["slides and a ball", "slides and Euler angles"])
def test_slides_and_turns_fly_like_a_free_flyer(chain: str) -> None:
    model = with_arms(CHAINS[chain])
    q, v = turning(model, 10.0)
    end = by_time_stepper(model, q, v, STEPS)
    for momentum_of in (total_momentum, dyn_core.centroidal_momentum):
        before, after = momentum_of(model, q, v), momentum_of(model, *end)
        assert np.abs(after - before).max() < 1e-9 * np.abs(before).max()


def test_a_base_of_several_joints_stops_at_its_limits() -> None:
    chain = with_arms(CHAINS["slides and Euler angles"])
    tree = list(chain.tree)
    tree[1] = replace(tree[1], limits=replace(tree[1].limits, lower=(-0.01,), upper=(0.01,)))
    stepper = TimeStepper(replace(chain, tree=tuple(tree)), DT)
    stepper.velocity[:] = turning(chain, 10.0)[1]
    reached = []
    for _ in range(100):
        stepper.step(np.zeros(chain.nv))
        reached.append(stepper.q[0])
        assert stepper.position[:6] == pytest.approx(stepper.q[:6], abs=0.0)
    assert max(np.abs(reached)) == 0.01


def test_joints_that_reach_no_group_are_no_floating_base() -> None:
    """A universal joint, an arm, a base with a rotor, one with a mass between its joints."""
    rotor = body(CHAINS["turns"])
    rotor.tree[2] = replace(rotor.tree[2], limits=replace(rotor.tree[2].limits, armature=(0.1,)))
    heavy = body(CHAINS["turns"])
    heavy.tree[1] = replace(heavy.tree[1], inertia=heavy.tree[3].inertia)
    arm = body([joints.Revolute((0.0, 0.0, 1.0)), joints.Revolute((0.0, 1.0, 0.0))])
    for builder in (rotor, heavy, arm, body(joints.Universal([0, 1, 0], [1, 0, 0]))):
        assert floating_bases(builder.build()) == ()


def test_a_thin_rod_tumbles_with_constant_energy() -> None:
    """Its moments of inertia differ by a factor of 1600, so that its turn needs Newton's method."""
    model = body(joints.FreeFlyer(), (5e-5, 0.08, 0.08)).build()
    q, v = started(model, 50.0)
    energy = dyn_core.kinetic_energy(model, q, v)
    end = by_time_stepper(model, q, v, STEPS)
    assert dyn_core.kinetic_energy(model, *end) == pytest.approx(float(energy), rel=1e-9)


@pytest.mark.parametrize("spin", [0.0, 20.0])
def test_a_ball_that_slides_ends_up_rolling(spin: float) -> None:
    """At 5/7 of its speed, whatever spin about the vertical it has."""
    radius, mass = 0.1, 2.0
    builder = dyn_core.ModelBuilder("ball")
    root = builder.add_joint(0, joints.FreeFlyer(), SE3.identity(), "base")
    own = Symmetric3.scalar(0.4 * mass * radius**2)
    builder.add_body(root, Inertia.from_com(mass, Vector3.zero(), own), SE3.identity())
    model = builder.build()
    points = [ContactPoint(root, (0.0, 0.0, 0.0), radius)]
    stepper = TimeStepper(model, DT, Ground(model, points, 0.3))
    stepper.reset(np.array([0.0, 0.0, radius, 0.0, 0.0, 0.0]))
    stepper.velocity[:] = 3.0, 0.0, 0.0, 0.0, 0.0, spin
    for _ in range(STEPS):
        stepper.step(np.zeros(6))
    velocity = dyn_core.center_of_mass_velocity(model, stepper.q, stepper.velocity)
    assert velocity == pytest.approx([3.0 * 5.0 / 7.0, 0.0, 0.0], abs=1e-4)
    assert stepper.unsolved == 0


def test_a_base_keeps_the_momentum_of_what_it_carries() -> None:
    """Bodies that are inputs of the step count too."""
    model = body(joints.FreeFlyer()).build()
    heavy = np.array([[*I.parameters] for I in model.inertias])
    heavy[1] += [*Inertia.from_com(3.0, Vector3(0.3, 0.2, 0.1), Symmetric3.scalar(0.05)).parameters]
    stepper = TimeStepper(model, DT, inputs=["f_ext", "gravity", "inertial_parameters"])
    stepper.q[:], stepper.velocity[:] = started(model, 20.0)
    given = np.zeros((2, 6)), np.zeros(3), heavy
    compute = dyn_core.compile(model, ["crba"], ["inertial_parameters"])
    momenta = []
    for _ in range(2):
        local = (compute(stepper.q, heavy) @ stepper.velocity)[:3]
        momenta.append(dyn_core.forward_kinematics(model, stepper.q)[1][:3, :3] @ local)
        for _ in range(200):
            stepper.step(np.zeros(6), *given)
    assert momenta[1] == pytest.approx(momenta[0], rel=1e-9)


@covers(dyn_core.base_coriolis_acceleration)
def test_the_base_has_no_coriolis_force_but_that_acceleration() -> None:
    for base in BASES:
        model = with_arms(base)
        q, v = started(model, 5.0)
        c, n = dyn_core.base_coriolis_acceleration(model, q, v), base.nv
        force = dyn_core.nonlinear_effects(model, q, v)
        assert dyn_core.crba(model, q)[:n] @ c == pytest.approx(force[:n], rel=1e-9)
        assert not c[n:].any()


@covers(dyn_core.drift, dyn_core.carried_velocity)
def test_a_drift_is_the_motion_by_coriolis_forces_of_the_base() -> None:
    """To first order; and without floating base it is the displacement."""
    for base in BASES:
        model = with_arms(base)
        q, v = started(model, 5.0)
        c, h = dyn_core.base_coriolis_acceleration(model, q, v), 1e-6
        reached, after = dyn_core.drift(model, q, v, h * v, np.array([h]))
        assert dyn_core.difference(model, q, reached) / h == pytest.approx(v, abs=1e-4)
        assert (after - v) / h == pytest.approx(-c, abs=1e-3 * np.abs(c).max())
        assert dyn_core.carried_velocity(model, q, v, reached) == pytest.approx(after, rel=1e-12)
    model = random_model(3, joints=5, kinds=("universal", "prismatic"), mimic=False)
    q, v = dyn_core.neutral(model), np.ones(model.nv)
    reached, after = dyn_core.drift(model, q, v, 0.1 * v, np.array([0.1]))
    assert reached == pytest.approx(dyn_core.integrate(model, q, 0.1 * v), abs=1e-12)
    assert (after == v).all()
