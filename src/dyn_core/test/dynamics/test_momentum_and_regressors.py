# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Centre of mass, momentum, Coriolis matrix, energy and regressors, by identities."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import numpy as np
import pytest
from covering import covers, evaluated
from random_trees import random_model
from robots import Robot, load, relative_error
from test_joint_and_frame_motion import along, rate
from test_random_trees import states

import dyn_core
from dyn_core import ModelError, coriolis_matrix, generalized_momentum, generalized_momentum_rate
from dyn_core.control import MomentumObserver
from dyn_core.joints import Revolute
from dyn_core.simulation import Dynamics, runge_kutta_4
from dyn_core.spatial import SE3, Motion, exp6, log6
from dyn_core.spatial.scalars.dual_numbers import derivative_along
from dyn_core.spatial.uniform_solids import sphere


@pytest.mark.parametrize("seed", range(3))
def test_center_of_mass_is_moved_by_its_jacobian_with_every_joint_type(seed: int) -> None:
    model = random_model(seed, joints=14)
    for s in states(model, 2):
        J = evaluated(model, dyn_core.center_of_mass_jacobian, s)
        velocity = evaluated(model, dyn_core.center_of_mass_velocity, s)
        assert relative_error(J @ s["v"], velocity) < 1e-12
        assert relative_error(rate(model, dyn_core.center_of_mass, s), velocity) < 1e-6
        faster = {**along(model, s, 1e-6), "v": s["v"] + 1e-6 * s["a"]}
        slower = {**along(model, s, -1e-6), "v": s["v"] - 1e-6 * s["a"]}
        ends = [evaluated(model, dyn_core.center_of_mass_velocity, x) for x in (faster, slower)]
        acceleration = evaluated(model, dyn_core.center_of_mass_acceleration, s)
        assert relative_error((ends[0] - ends[1]) / 2e-6, acceleration) < 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_centroidal_momentum_is_that_of_its_matrix_with_every_joint_type(seed: int) -> None:
    """``Ag v = hg`` and ``Ag a + dAg v = dhg``; dAg is the rate of Ag."""
    model = random_model(seed, joints=14)
    for s in states(model, 2):
        Ag = evaluated(model, dyn_core.centroidal_map, s)
        dAg = evaluated(model, dyn_core.centroidal_map_time_variation, s)
        assert (
            relative_error(Ag @ s["v"], evaluated(model, dyn_core.centroidal_momentum, s)) < 1e-12
        )
        rates = evaluated(model, dyn_core.centroidal_momentum_rate, s)
        assert relative_error(Ag @ s["a"] + dAg @ s["v"], rates) < 1e-12
        assert relative_error(rate(model, dyn_core.centroidal_map, s), dAg) < 1e-6


def test_forces_on_the_robot_change_its_momentum(robot: Robot) -> None:
    """What the base transmits and the weight are all of them (Newton and Euler)."""
    for s in robot.states(5):
        model, first = robot.model, evaluated(robot.model, dyn_core.joint_forces, s)[0]
        com = evaluated(model, dyn_core.center_of_mass, s)
        weight = evaluated(model, dyn_core.subtree_masses, {})[0] * np.array(model.gravity)
        moment = first[3:] - np.cross(com, first[:3])
        expected = np.concatenate([first[:3] + weight, moment])
        actual = evaluated(model, dyn_core.centroidal_momentum_rate, s)
        assert relative_error(actual, expected) < 1e-9


@covers(dyn_core.subtree_inertia_rates, dyn_core.body_inertias)
@pytest.mark.parametrize("seed", range(3))
def test_inertia_rates_are_derivatives_of_inertias(seed: int) -> None:
    model = random_model(seed, joints=14)
    composite = dyn_core.subtree_inertias.request(dyn_core.WORLD)
    for s in states(model, 2):
        rates = evaluated(model, dyn_core.subtree_inertia_rates, s)
        assert relative_error(rate(model, composite, s), rates) < 1e-6
        bodies = evaluated(model, dyn_core.body_inertias, s)
        assert relative_error(bodies.sum(axis=0), evaluated(model, composite, s)[0]) < 1e-12


def test_a_robot_without_mass_has_no_center_of_mass() -> None:
    builder = dyn_core.ModelBuilder("ghost")
    builder.add_joint(0, Revolute(), SE3.identity(), "j")
    model, q = builder.build(), np.zeros(1)
    with pytest.raises(ModelError, match="'ghost' has no mass"):
        dyn_core.center_of_mass(model, q)
    with pytest.raises(ModelError, match="'ghost' has no mass"):
        dyn_core.centroidal_momentum(model, q, q)
    with pytest.raises(ModelError, match="'ghost' has no mass"):
        dyn_core.centroidal_dynamics_derivatives(model, q, q, q)
    with pytest.raises(ModelError, match="what joint 'j' moves has no mass"):
        dyn_core.center_of_mass_jacobian(model, q, subtree="j")


def test_a_subtree_without_mass_is_where_its_joint_is() -> None:
    builder = dyn_core.ModelBuilder("arm")
    builder.add_joint(0, Revolute(), SE3.identity(), "arm")
    builder.add_body(1, sphere(1.0, 0.1), SE3.identity())
    builder.add_joint(1, Revolute(), SE3.identity(), "hand")
    model, q = builder.build(), np.array([0.3, 0.2])
    assert list(dyn_core.subtree_centers_of_mass(model, q)[2]) == [0.0, 0.0, 0.0]
    assert not np.isnan(dyn_core.subtree_center_of_mass_velocities(model, q, q)).any()


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(3))
def test_coriolis_matrix_times_velocity_is_the_bias_with_every_joint_type(seed: int) -> None:
    model = random_model(seed, joints=14).with_gravity((0.0, 0.0, 0.0))
    for s in states(model, 5):
        C = evaluated(model, coriolis_matrix, s)
        bias = evaluated(model, dyn_core.nonlinear_effects, s)
        assert relative_error(C @ s["v"], bias) < 1e-11


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(100))
def test_mass_matrix_rate_minus_twice_coriolis_is_skew(seed: int) -> None:
    """``dM/dt = C + C'``, with ``dM/dt`` exact by dual numbers; below 1e-9 on random robots."""
    model = random_model(seed, joints=4 + seed % 10)
    (s,) = states(model, 1, seed)
    C = evaluated(model, coriolis_matrix, s)

    def entries(q: list) -> list:
        return [x for row in dyn_core.crba.define(model, q) for x in row]

    q = s["q"].tolist()
    rates = derivative_along(entries, q, model.space.rate(q, s["v"].tolist()))
    dM = np.array(rates).reshape(model.nv, model.nv)
    N = dM - 2.0 * C
    assert np.abs(N + N.T).max() < 1e-9 * max(1.0, np.abs(dM).max())


def test_power_of_all_efforts_is_the_rate_of_energy(robot: Robot) -> None:
    """``v' tau = dE/dt``: nothing else does work."""
    model, h = robot.model, 1e-6
    for s in robot.states(3):
        tau = evaluated(model, dyn_core.rnea, s)
        later, before = (
            evaluated(
                model, dyn_core.mechanical_energy, {**along(model, s, t), "v": s["v"] + t * s["a"]}
            )
            for t in (h, -h)
        )
        power = s["v"] @ tau
        assert abs((later - before) / (2.0 * h) - power) < 1e-5 * np.abs(s["v"]) @ np.abs(tau)


def test_gravity_is_the_gradient_of_potential_energy(robot: Robot) -> None:
    """Of that which is summed over bodies, by dual numbers."""
    slope = dyn_core.derivative.request(dyn_core.potential_energy, by="q")
    for s in robot.states(2):
        g = dyn_core.generalized_gravity(robot.model, s["q"])
        assert relative_error(slope(robot.model, s["q"]), g) < 1e-9


def test_kinetic_energy_vs_mass_matrix_with_rotors(robot: Robot) -> None:
    """``1/2 v' M v``; a number of its own that later calls leave alone."""
    model = robot.model.with_rotor(robot.model.names[-1], 0.01, gear_ratio=50.0)
    data, energies = model.create_data(), []
    states = robot.states(5)
    for s in states:
        energies.append(dyn_core.kinetic_energy(model, data, s["q"], s["v"]))
        assert isinstance(energies[-1], float)
        assert data.kinetic_energy == energies[-1]
    forms = [0.5 * s["v"] @ dyn_core.crba(model, s["q"]) @ s["v"] for s in states]
    assert np.allclose(energies, forms, rtol=1e-12)


def parameters(model: dyn_core.Model, count: int = 10) -> np.ndarray:
    return np.array([x for body in model.inertias[1:] for x in body.parameters[:count]])


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(3))
def test_regressors_times_parameters_with_every_joint_type(seed: int) -> None:
    model = random_model(seed, joints=14)
    pi = parameters(model)
    for s in states(model, 3):
        Y = evaluated(model, dyn_core.joint_torque_regressor, s)
        tau = Y @ pi + model.armature * s["a"]
        assert relative_error(tau, evaluated(model, dyn_core.rnea, s)) < 1e-11
        kinetic = evaluated(model, dyn_core.kinetic_energy_regressor, s) @ pi
        rotors = 0.5 * s["v"] @ (model.armature * s["v"])
        expected = evaluated(model, dyn_core.kinetic_energy, s)
        assert kinetic + rotors == pytest.approx(float(expected))
        potential = evaluated(model, dyn_core.potential_energy_regressor, s) @ pi
        assert potential == pytest.approx(float(evaluated(model, dyn_core.potential_energy, s)))
        com = evaluated(model, dyn_core.static_regressor, s) @ parameters(model, 4)
        assert relative_error(com, evaluated(model, dyn_core.center_of_mass, s)) < 1e-12


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(3))
def test_joint_forces_do_the_work_of_efforts(seed: int) -> None:
    """In the world as in the joints; and momenta in the world add up to the centroidal one."""
    model = random_model(seed, joints=14)
    for s in states(model, 2):
        tau = evaluated(model, dyn_core.rnea, s) - model.armature * s["a"]
        forces_in_world = evaluated(model, dyn_core.joint_forces.request(dyn_core.WORLD), s)
        v = evaluated(model, dyn_core.joint_velocities.request(dyn_core.WORLD), s)
        relative = v - v[list(model.parents)]
        assert np.sum(relative * forces_in_world) == pytest.approx(s["v"] @ tau)
        momenta = evaluated(model, dyn_core.body_momenta.request(dyn_core.WORLD), s)
        hg = evaluated(model, dyn_core.centroidal_momentum, s)
        assert relative_error(momenta.sum(axis=0)[:3], hg[:3]) < 1e-12


def test_a_joint_mounted_elsewhere_moves_the_tool_by_the_regressor() -> None:
    model = load("ur5").model
    q = load("ur5").states(1)[0]["q"]
    random, size = np.random.default_rng(0), 1e-7
    errors = size * random.normal(size=(model.nbodies, 6))
    tree = list(model.tree)
    for i in model.moving_joints:
        moved = tree[i].placement * exp6(Motion.of(errors[i - 1].tolist()))
        tree[i] = replace(tree[i], placement=moved)
    tool = dyn_core.frame_placement.request("tool0")
    before, after = (
        SE3.from_homogeneous(tool(x, q).tolist()) for x in (model, replace(model, tree=tuple(tree)))
    )
    actual = np.array(list(log6(before.inverse() * after)))
    expected = dyn_core.frame_kinematic_regressor.request("tool0")(model, q) @ errors.ravel()
    assert np.abs(actual - expected).max() < 100.0 * size**2


@covers(generalized_momentum_rate)
@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(6))
def test_momentum_and_its_rate_are_those_of_the_matrices(seed: int) -> None:
    """``M v`` and ``tau + C' v - g + sum J' f``, of all types of joints, mimic ones among them."""
    model = random_model(seed, joints=14)
    for k, s in enumerate(states(model, 3)):
        s["f_ext"] = np.random.default_rng(k).normal(size=(model.njoints, 6))
        M, C = evaluated(model, dyn_core.crba, s), evaluated(model, dyn_core.coriolis_matrix, s)
        assert relative_error(evaluated(model, generalized_momentum, s), M @ s["v"]) < 1e-11
        held = evaluated(model, dyn_core.static_torque, s)
        rate = evaluated(model, generalized_momentum_rate, s)
        assert relative_error(rate, s["tau"] + C.T @ s["v"] - held) < 1e-11
        friction = dyn_core.friction_efforts.request(smoothing=0.1)
        rubbed = evaluated(model, generalized_momentum_rate.request(efforts=(friction,)), s)
        assert relative_error(rubbed, rate + evaluated(model, friction, s)) < 1e-11


def test_an_arm_that_falls_feels_what_pushes_it_and_nothing_else() -> None:
    """The estimate is the push behind a low-pass filter, while all joints move under gravity."""
    model, K, dt = load("ur5").model, 40.0, 1e-3
    push = np.array([6.0, -4.0, 3.0, 0.5, -0.4, 0.2])
    tau = np.array([1.0, -20.0, 5.0, 0.1, 0.2, -0.1])
    motion = Dynamics(model).under(tau + push)
    compute = dyn_core.compile(model, [generalized_momentum, generalized_momentum_rate])
    observer = MomentumObserver(model.nv, K)
    q, v = dyn_core.neutral(model), np.zeros(model.nv)
    for step in range(300):
        residual = observer.update(dt, *compute.bind(model.create_data())(q, v, tau))
        assert residual == pytest.approx(push * (1.0 - exp(-K * dt * step)), abs=2e-3)
        q, v = runge_kutta_4(model, motion, q, v, dt)
    assert np.abs(v).max() > 1.0
