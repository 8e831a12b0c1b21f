# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Centre of mass of the robot and its subtrees, and centroidal momentum."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covers, evaluated
from random_trees import random_model
from robots import Robot, relative_error
from test_jacobians import along, rate
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelBuilder, ModelError
from dyn_core.joints import Revolute
from dyn_core.spatial import SE3
from dyn_core.spatial.uniform_solids import sphere

SEEDS = range(3)


@pytest.mark.parametrize("seed", SEEDS)
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


@pytest.mark.parametrize("seed", SEEDS)
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
@pytest.mark.parametrize("seed", SEEDS)
def test_inertia_rates_are_derivatives_of_inertias(seed: int) -> None:
    model = random_model(seed, joints=14)
    composite = dyn_core.subtree_inertias.request(dyn_core.WORLD)
    for s in states(model, 2):
        rates = evaluated(model, dyn_core.subtree_inertia_rates, s)
        assert relative_error(rate(model, composite, s), rates) < 1e-6
        bodies = evaluated(model, dyn_core.body_inertias, s)
        assert relative_error(bodies.sum(axis=0), evaluated(model, composite, s)[0]) < 1e-12


def test_a_robot_without_mass_has_no_center_of_mass() -> None:
    builder = ModelBuilder("ghost")
    builder.add_joint(0, Revolute(), SE3.identity(), "j")
    model, q = builder.build(), np.zeros(1)
    with pytest.raises(ModelError, match="'ghost' has no mass"):
        dyn_core.center_of_mass(model, q)
    with pytest.raises(ModelError, match="'ghost' has no mass"):
        dyn_core.centroidal_momentum(model, q, q)
    with pytest.raises(ModelError, match="what joint 'j' moves has no mass"):
        dyn_core.center_of_mass_jacobian(model, q, subtree="j")


def test_a_subtree_without_mass_is_where_its_joint_is() -> None:
    model = massless_hand()
    q = np.array([0.3, 0.2])
    assert list(dyn_core.subtree_centers_of_mass(model, q)[2]) == [0.0, 0.0, 0.0]
    assert not np.isnan(dyn_core.subtree_center_of_mass_velocities(model, q, q)).any()


def massless_hand() -> Model:
    builder = ModelBuilder("arm")
    builder.add_joint(0, Revolute(), SE3.identity(), "arm")
    builder.add_body(1, sphere(1.0, 0.1), SE3.identity())
    builder.add_joint(1, Revolute(), SE3.identity(), "hand")
    return builder.build()
