# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Centroidal model predictive control: forces that hold, move and turn a body; a trotting robot."""

from __future__ import annotations

import runpy

import numpy as np
import pytest
from repository import in_repository

from dyn_core.control import CentroidalMPC

MASS, G = 12.0, 9.81
INERTIA = np.diag([0.07, 0.3, 0.32])
FEET = np.array([[0.2, 0.15, 0.0], [0.2, -0.15, 0.0], [-0.2, 0.15, 0.0], [-0.2, -0.15, 0.0]])


@pytest.fixture
def mpc() -> CentroidalMPC:
    return CentroidalMPC(MASS, INERTIA)


def problem(mpc: CentroidalMPC, speed: float = 0.0):
    """At rest 0.3 m high on four feet; the reference moves on with a speed."""
    state = np.zeros(12)
    state[5] = 0.3
    reference = np.tile(state, (mpc.nodes, 1))
    reference[:, 3] = speed * mpc.dt * np.arange(1, mpc.nodes + 1)
    reference[:, 9] = speed
    feet = np.tile(FEET, (mpc.nodes, 1, 1))
    return state, reference, feet, np.ones((mpc.nodes, 4), dtype=bool)


def test_a_body_that_stays_is_carried_by_its_weight(mpc: CentroidalMPC) -> None:
    forces = mpc.forces(*problem(mpc))
    np.testing.assert_allclose(forces.sum(axis=1)[0], [0.0, 0.0, MASS * G], atol=0.5)
    np.testing.assert_allclose(forces[0, :, 2], MASS * G / 4, atol=0.5)


def test_forces_bring_the_body_to_the_reference(mpc: CentroidalMPC) -> None:
    """Where the forces act on the body itself, node by node, it gets where it should be."""
    state, reference, feet, stance = problem(mpc, speed=0.5)
    forces = mpc.forces(state, reference, feet, stance)
    change = mpc.dt * (forces.sum(axis=1) / MASS - [0.0, 0.0, G])
    velocity = change.cumsum(axis=0)
    position = mpc.dt * (velocity - 0.5 * change).cumsum(axis=0)
    np.testing.assert_allclose(position[-1], [0.25, 0.0, 0.0], atol=0.03)  # speed counts too
    np.testing.assert_allclose(velocity[-1], [0.5, 0.0, 0.0], atol=0.1)


def test_forces_stay_within_friction_and_feet_in_the_air_have_none(mpc: CentroidalMPC) -> None:
    state, reference, feet, stance = problem(mpc, speed=5.0)
    stance[::2, [0, 3]] = stance[1::2, [1, 2]] = False
    forces = mpc.forces(state, reference, feet, stance)
    assert not forces[~stance].any()
    assert np.abs(forces[0][stance[0]]).sum(axis=1).min() > 1.0
    normal, tangential = forces[..., 2], np.linalg.norm(forces[..., :2], axis=2)
    assert (tangential <= mpc.friction * normal + 1e-6).all()
    assert tangential.max() > 0.5 * mpc.friction * normal.max()


def test_heading_of_the_robot_is_no_matter_of_its_forces(mpc: CentroidalMPC) -> None:
    """Everything turned by a quarter about the vertical: so are the forces."""
    state, reference, feet, stance = problem(mpc, speed=0.5)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turned_state, turned = state.copy(), reference.copy()
    turned_state[2], turned[:, 2] = np.pi / 2, np.pi / 2
    for part in (slice(3, 6), slice(9, 12)):
        turned[:, part] = reference[:, part] @ turn.T
    there = CentroidalMPC(MASS, INERTIA, weights=(1.0,) * 12)
    here = there.forces(state, reference, feet, stance)
    found = there.forces(turned_state, turned, feet @ turn.T, stance)
    np.testing.assert_allclose(found.sum(axis=1), here.sum(axis=1) @ turn.T, atol=0.5)


def test_a_flight_needs_no_forces(mpc: CentroidalMPC) -> None:
    state, reference, feet, stance = problem(mpc)
    assert not mpc.forces(state, reference, feet, np.zeros_like(stance)).any()


@pytest.mark.parametrize("name", ["state", "reference", "feet"])
def test_what_is_not_finite_or_of_the_wrong_shape_is_refused(mpc: CentroidalMPC, name: str) -> None:
    arguments = dict(zip(("state", "reference", "feet", "stance"), problem(mpc), strict=True))
    for wrong in (np.full_like(arguments[name], np.nan), np.zeros(3)):
        with pytest.raises(ValueError, match=f"{name} must be finite, of shape"):
            mpc.forces(**{**arguments, name: wrong})


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="mass must be above 0"):
        CentroidalMPC(0.0, INERTIA)
    for weights in ((1.0,), (np.nan,) * 12):
        with pytest.raises(ValueError, match="12 weights"):
            CentroidalMPC(MASS, INERTIA, weights=weights)
    for inertia in (np.zeros((3, 3)), np.full((3, 3), np.nan), np.eye(2)):
        with pytest.raises(ValueError, match="positive definite"):
            CentroidalMPC(MASS, inertia)
    for wrong in ({"friction": 0.0}, {"gravity": np.nan}, {"dt": np.inf}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be above 0"):
            CentroidalMPC(MASS, INERTIA, **wrong)
    with pytest.raises(ValueError, match="whole number"):
        CentroidalMPC(MASS, INERTIA, nodes=2.5)


@pytest.mark.thorough
def test_a_quadruped_gets_into_a_trot_and_stays_upright() -> None:
    example = runpy.run_path(str(in_repository("examples/quadruped_trot.py")))
    trot, log = example["trotted"](1.5)
    assert log[-1, 4] > 0.8  # of 1 m/s, on which it comes 1 s after it began to move
    assert log[-1, 1] > 0.6
    assert np.ptp(log[:, 3]) < 0.03
    assert np.degrees(np.abs(log[:, 7:9])).max() < 10.0
    assert trot.places[:, 2].min() > -1e-3
