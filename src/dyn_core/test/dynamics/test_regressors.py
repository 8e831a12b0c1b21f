# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Regressors, energies, joint forces and static torque."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from covering import covers, defined_as_pinocchio, evaluated
from random_trees import random_model
from robots import Robot, relative_error
from test_joint_and_frame_motion import frames
from test_optional_inputs import forces, to_pinocchio
from test_random_trees import states

import dyn_core
from dyn_core import Model

ORACLES = {
    dyn_core.potential_energy: lambda m, d, s: pin.computePotentialEnergy(m, d, s["q"]),
    dyn_core.mechanical_energy: lambda m, d, s: pin.computeMechanicalEnergy(m, d, s["q"], s["v"]),
    dyn_core.static_regressor: lambda m, d, s: pin.computeStaticRegressor(m, d, s["q"]),
    dyn_core.kinetic_energy_regressor: lambda m, d, s: pin.computeKineticEnergyRegressor(
        m, d, s["q"], s["v"]
    ),
    dyn_core.potential_energy_regressor: lambda m, d, s: pin.computePotentialEnergyRegressor(
        m, d, s["q"]
    ),
    dyn_core.joint_torque_regressor: lambda m, d, s: pin.computeJointTorqueRegressor(
        m, d, s["q"], s["v"], s["a"]
    ),
}


@covers(*ORACLES)
@pytest.mark.parametrize("quantity", ORACLES, ids=lambda quantity: quantity.__name__)
def test_energies_and_regressors_vs_pinocchio(robot: Robot, quantity) -> None:
    count = 20 if robot.model.nv < 15 else 5
    defined_as_pinocchio(robot, quantity, ORACLES[quantity], count)


@covers(dyn_core.joint_body_regressor, dyn_core.frame_body_regressor)
def test_body_regressors_vs_pinocchio(robot: Robot) -> None:
    def of_joint(m, d, s):
        pin.rnea(m, d, s["q"], s["v"], s["a"])
        return pin.jointBodyRegressor(m, d, m.njoints - 1)

    asked = dyn_core.joint_body_regressor.request(robot.model.names[-1])
    defined_as_pinocchio(robot, asked, of_joint)
    for name, k in frames(robot):

        def of_frame(m, d, s, k=k):
            pin.rnea(m, d, s["q"], s["v"], s["a"])
            return pin.frameBodyRegressor(m, d, k)

        if robot.pin_model.frames[k].parentJoint:  # Pinocchio does not know the universe's
            defined_as_pinocchio(robot, dyn_core.frame_body_regressor.request(name), of_frame)


def parameters(model: Model, count: int = 10) -> np.ndarray:
    return np.array([x for body in model.inertias[1:] for x in body.parameters[:count]])


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


def test_a_regressor_predicts_other_inertial_parameters() -> None:
    """Of the same robot, passed as an input of the compiled inverse dynamics."""
    model = random_model(2, joints=6)
    (s,) = states(model, 1)
    other = np.random.default_rng(0).normal(size=(model.njoints, 10))
    tau = dyn_core.rnea(model, s["q"], s["v"], s["a"], inertial_parameters=other)
    Y = dyn_core.joint_torque_regressor(model, s["q"], s["v"], s["a"])
    assert relative_error(Y @ other[1:].ravel() + model.armature * s["a"], tau) < 1e-11


@covers(dyn_core.static_torque)
def test_static_torque_vs_pinocchio(robot: Robot) -> None:
    m, d = robot.pin_model, robot.pin_model.createData()
    for k, s in enumerate(robot.states(20)):
        f_ext = forces(robot, k)
        expected = pin.computeStaticTorque(m, d, s["q"], to_pinocchio(f_ext))
        actual = evaluated(robot.model, dyn_core.static_torque, {**s, "f_ext": f_ext})
        assert relative_error(actual, expected) < 1e-9


@covers(dyn_core.joint_forces, dyn_core.body_momenta)
def test_joint_forces_and_momenta_vs_pinocchio(robot: Robot) -> None:
    m, d = robot.pin_model, robot.pin_model.createData()
    for k, s in enumerate(robot.states(20)):
        f_ext = forces(robot, k)
        pin.rnea(m, d, s["q"], s["v"], s["a"], to_pinocchio(f_ext))
        actual = evaluated(robot.model, dyn_core.joint_forces, {**s, "f_ext": f_ext})
        assert relative_error(actual[1:], np.array([f.vector for f in list(d.f)[1:]])) < 1e-9
        actual = evaluated(robot.model, dyn_core.body_momenta, s)
        assert relative_error(actual[1:], np.array([h.vector for h in list(d.h)[1:]])) < 1e-9


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
