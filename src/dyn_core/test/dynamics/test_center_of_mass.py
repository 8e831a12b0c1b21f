# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Centre of mass of the robot and its subtrees, and centroidal momentum."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from covering import covers, defined_as_pinocchio, evaluated
from random_trees import random_model
from robots import Robot, relative_error
from test_jacobians import along, rate
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelBuilder, ModelError
from dyn_core.joints import Revolute
from dyn_core.spatial import SE3
from dyn_core.spatial.uniform_solids import sphere


def moved(m: pin.Model, d: pin.Data, s: dict[str, np.ndarray]) -> pin.Data:
    pin.centerOfMass(m, d, s["q"], s["v"], s["a"], True)
    return d


ORACLES = {
    dyn_core.center_of_mass: lambda m, d, s: moved(m, d, s).com[0],
    dyn_core.center_of_mass_velocity: lambda m, d, s: moved(m, d, s).vcom[0],
    dyn_core.center_of_mass_acceleration: lambda m, d, s: moved(m, d, s).acom[0],
    dyn_core.subtree_centers_of_mass: lambda m, d, s: list(moved(m, d, s).com),
    dyn_core.subtree_center_of_mass_velocities: lambda m, d, s: list(moved(m, d, s).vcom),
    dyn_core.subtree_center_of_mass_accelerations: lambda m, d, s: list(moved(m, d, s).acom),
    dyn_core.center_of_mass_jacobian: lambda m, d, s: pin.jacobianCenterOfMass(m, d, s["q"]),
    dyn_core.centroidal_momentum: lambda m, d, s: (
        pin.computeCentroidalMomentum(m, d, s["q"], s["v"]).vector
    ),
    dyn_core.centroidal_momentum_rate: lambda m, d, s: (
        pin.computeCentroidalMomentumTimeVariation(m, d, s["q"], s["v"], s["a"]).vector
    ),
    dyn_core.centroidal_map: lambda m, d, s: pin.computeCentroidalMap(m, d, s["q"]),
    dyn_core.centroidal_map_time_variation: lambda m, d, s: pin.dccrba(m, d, s["q"], s["v"]),
}


@covers(*ORACLES)
@pytest.mark.parametrize("quantity", ORACLES, ids=lambda quantity: quantity.__name__)
def test_center_of_mass_and_momentum_vs_pinocchio(robot: Robot, quantity) -> None:
    defined_as_pinocchio(robot, quantity, ORACLES[quantity])


@covers(dyn_core.centroidal_inertia, dyn_core.subtree_inertias, dyn_core.subtree_masses)
def test_composite_inertias_vs_pinocchio(robot: Robot) -> None:
    def centroidal(m, d, s):
        pin.ccrba(m, d, s["q"], s["v"])
        return d.Ig.matrix()

    def composite(m, d, s):
        pin.ccrba(m, d, s["q"], s["v"])
        return [Y.matrix() for Y in d.oYcrb]

    def masses(m, d, s):
        pin.computeSubtreeMasses(m, d)
        return d.mass

    defined_as_pinocchio(robot, dyn_core.centroidal_inertia, centroidal)
    defined_as_pinocchio(robot, dyn_core.subtree_inertias.request(dyn_core.WORLD), composite)
    defined_as_pinocchio(robot, dyn_core.subtree_masses, masses, count=1)
    (total, *_) = evaluated(robot.model, dyn_core.subtree_masses, {})
    assert total == pytest.approx(pin.computeTotalMass(robot.pin_model))


def test_center_of_mass_of_a_subtree_vs_pinocchio(robot: Robot) -> None:
    for i in {1, robot.model.njoints // 2, robot.model.njoints - 1}:
        if evaluated(robot.model, dyn_core.subtree_masses, {})[i]:
            asked = dyn_core.center_of_mass_jacobian.request(robot.model.names[i])
            defined_as_pinocchio(
                robot, asked, lambda m, d, s, i=i: pin.jacobianSubtreeCenterOfMass(m, d, s["q"], i)
            )


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
