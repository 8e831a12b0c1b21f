# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Regressors, energies, joint forces and static torque."""

from __future__ import annotations

import numpy as np
import pytest
from covering import evaluated
from random_trees import random_model
from robots import relative_error
from test_random_trees import states

import dyn_core
from dyn_core import Model


def parameters(model: Model, count: int = 10) -> np.ndarray:
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


def test_a_regressor_predicts_other_inertial_parameters() -> None:
    """Of the same robot, passed as an input of the compiled inverse dynamics."""
    model = random_model(2, joints=6)
    (s,) = states(model, 1)
    other = np.random.default_rng(0).normal(size=(model.njoints, 10))
    tau = dyn_core.rnea(model, s["q"], s["v"], s["a"], inertial_parameters=other)
    Y = dyn_core.joint_torque_regressor(model, s["q"], s["v"], s["a"])
    assert relative_error(Y @ other[1:].ravel() + model.armature * s["a"], tau) < 1e-11


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
