# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts and contact forces for a wanted motion: against Pinocchio, and by the laws."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from constraint_cases import FEET
from mechanisms import four_bar
from robots import load, relative_error

import dyn_core
from dyn_core import LOCAL_WORLD_ALIGNED, Contact, ModelError, constraint_jacobian
from dyn_core.contacts import contact_inverse_dynamics

DT, SOFT = 1e-3, 1e-2
FRICTION = (0.2, 0.5, 0.8, 1.1)
CONTACTS = [Contact(foot, 3, LOCAL_WORLD_ALIGNED) for foot in FEET]


def test_contact_inverse_dynamics_vs_pinocchio() -> None:
    """Its contacts are of the world with a foot, so that their rows are along the world's axes."""
    robot = load("hyq")
    models = pin.StdVec_PointContactConstraintModel()
    datas = pin.StdVec_PointContactConstraintData()
    for foot, mu in zip(FEET, FRICTION, strict=True):
        frame = robot.pin_model.frames[robot.pin_model.getFrameId(foot)]
        world, place = pin.SE3.Identity(), (frame.parentJoint, frame.placement)
        one = pin.PointContactConstraintModel(robot.pin_model, 0, world, *place)
        one.setFriction(mu)
        one.setCompliance(np.full(3, SOFT))
        models.append(one)
        datas.append(one.createData())
    data, pushing = robot.pin_model.createData(), 0
    for s in robot.states(20):
        state = s["q"], s["v"], s["a"]
        pin.forwardKinematics(robot.pin_model, data, *state)
        pin.computeJointJacobians(robot.pin_model, data, s["q"])
        for one, its in zip(models, datas, strict=True):
            one.calc(robot.pin_model, data, its)
        settings, nothing = pin.ProximalSettings(1e-14, 1e-14, 10_000), np.zeros(12)
        converged, tau, forces = pin.contactInverseDynamics(
            robot.pin_model, data, *state, DT, models, datas, nothing, settings, nothing, True
        )
        found = contact_inverse_dynamics(
            robot.model, *state, DT, CONTACTS, FRICTION, SOFT, tolerance=1e-13
        )
        assert converged
        assert found.impulses.converged
        size = max(1.0, np.abs(forces).max())
        assert np.abs(found.impulses.forces / DT - forces).max() < 1e-7 * size
        assert relative_error(found.tau, tau) < 1e-7
        pushing += bool(forces.any())
    assert pushing > 10


def test_a_contact_gives_way_in_proportion_or_slides_or_opens() -> None:
    """``R l = -c`` where it sticks; the efforts and the contacts together make the motion."""
    robot, ways = load("hyq"), {"sticks": 0, "slides": 0, "opens": 0}
    rows = constraint_jacobian.request(tuple(CONTACTS))
    for s in robot.states(20):
        state = s["q"], s["v"], s["a"]
        found = contact_inverse_dynamics(robot.model, *state, DT, CONTACTS, FRICTION, SOFT)
        J, impulses = rows(robot.model, s["q"]), found.impulses.forces
        made = dyn_core.aba(robot.model, *state[:2], found.tau + J.T @ impulses / DT)
        assert relative_error(made, s["a"]) < 1e-8
        c = (J @ (s["v"] + DT * s["a"])).reshape(-1, 3)
        for force, velocity, mu in zip(impulses.reshape(-1, 3), c, FRICTION, strict=True):
            if force[2] < 1e-9:
                ways["opens"] += 1
                assert velocity[2] > -1e-6
            elif np.hypot(*force[:2]) < (1.0 - 1e-6) * mu * force[2]:
                ways["sticks"] += 1
                assert np.abs(SOFT * force + velocity).max() < 1e-6
            else:
                ways["slides"] += 1
                assert force[:2] @ (SOFT * force + velocity)[:2] <= 1e-9
    assert all(ways.values())


def test_what_is_no_contact_problem_is_refused_in_words() -> None:
    robot = load("hyq")
    s = robot.states(1)[0]
    state = s["q"], s["v"], s["a"]
    with pytest.raises(ModelError, match="there are 4 contacts and 1 coefficients"):
        contact_inverse_dynamics(robot.model, *state, DT, CONTACTS, [0.5], SOFT)
    with pytest.raises(ModelError, match="a contact with friction is a point"):
        contact_inverse_dynamics(robot.model, *state, DT, [Contact(FEET[0], 6)], [0.5], SOFT)
    with pytest.raises(ValueError, match="compliance and dt must be finite and positive"):
        contact_inverse_dynamics(robot.model, *state, DT, CONTACTS, FRICTION, 0.0)
    with pytest.raises(ValueError, match="must be finite"):
        contact_inverse_dynamics(
            robot.model, s["q"], s["v"] * np.nan, s["a"], DT, CONTACTS, FRICTION, SOFT
        )
    bars, still = four_bar(), np.zeros(3)
    with pytest.raises(ModelError, match="'four-bar' has loops or couplings"):
        contact_inverse_dynamics(
            bars, still, still, still, DT, [Contact("coupler_end")], [0.5], SOFT
        )
