# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Constraints that are redundant or contradict each other, and efforts for a wanted motion."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from constraint_cases import FEET, panda
from covering import covers
from mechanisms import four_bar, four_bar_state
from robots import load, relative_error

import dyn_core
from dyn_core import (
    LOCAL_WORLD_ALIGNED,
    Contact,
    ModelError,
    constrained_forward_dynamics,
    constraint_jacobian,
    constraint_residual,
)
from dyn_core.contacts import constrained, contact_inverse_dynamics
from dyn_core.dynamics.delassus import STEPS, Response, _damped, _damping
from dyn_core.dynamics.ldl_factorization import Factor, factorize

ROWS = 6
SMALL = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 0.0)
"""Smallest eigenvalue of a Delassus matrix."""


def with_eigenvalue(smallest: float, seed: int = 0) -> tuple[Response, np.ndarray, np.ndarray]:
    """What constraints feel, the matrix, and the direction in which it is almost nothing."""
    random = np.random.default_rng(seed)
    Q = np.linalg.qr(random.normal(size=(ROWS, ROWS)))[0]
    root = np.sqrt([1.7, 1.3, 1.0, 0.8, 0.6, smallest])[:, None] * Q.T
    G = root.T @ root
    rows = G.tolist()
    return Response(Factor([], []), [], rows, factorize(_damped(rows, _damping(rows)))), G, Q[:, -1]


def iterated(G: np.ndarray, acceleration: np.ndarray, steps: int) -> np.ndarray:
    """The proximal iteration of as many steps, by numpy."""
    damped = G + 1e-8 * np.trace(G) / len(G) * np.eye(len(G))

    def run(wanted: np.ndarray) -> np.ndarray:
        forces = np.linalg.solve(damped, wanted)
        for _ in range(steps - 1):
            forces = forces + np.linalg.solve(damped, wanted - G @ forces)
        return forces

    return run(G @ run(acceleration))


@pytest.mark.parametrize("smallest", SMALL)
def test_what_forces_can_make_is_made(smallest: float) -> None:
    """Whatever the smallest eigenvalue, and with no steps that depend on it."""
    for seed in range(10):
        response, G, _ = with_eigenvalue(smallest, seed)
        wanted = G @ np.random.default_rng(seed).normal(size=ROWS)
        forces = np.array(response.forces(wanted.tolist()))
        assert np.abs(G @ forces - wanted).max() < 1e-9


@pytest.mark.parametrize("smallest", [x for x in SMALL if x >= 1e-6])
def test_more_steps_would_change_nothing(smallest: float) -> None:
    response, G, hard = with_eigenvalue(smallest)
    forces = np.array(response.forces(hard.tolist()))
    assert relative_error(forces, iterated(G, hard, 50 * STEPS)) < 1e-9
    assert relative_error(forces, hard / smallest) < 1e-8


def test_contradictions_do_not_make_forces_grow() -> None:
    """Iterating on makes them as large as one waits; the fixed steps leave them bounded."""
    response, G, hard = with_eigenvalue(0.0)
    wanted = G @ np.ones(ROWS) + hard
    forces = np.array(response.forces(wanted.tolist()))
    assert np.abs(forces).max() < 1e3
    assert np.abs(iterated(G, wanted, 1000)).max() > 1e4
    assert np.abs(G @ (forces - np.ones(ROWS))).max() < 1e-5


@pytest.mark.thorough
@covers(constraint_residual)
def test_equations_hold_on_feet_that_are_held_twice_over() -> None:
    """24 rows on 18 coordinates, at rest, so that no row contradicts another."""
    robot = load("hyq")
    feet = tuple(Contact(foot, 6, dyn_core.LOCAL_WORLD_ALIGNED) for foot in FEET)
    requests = [constrained_forward_dynamics.request(feet), constraint_residual.request(feet)]
    compute = dyn_core.compile(robot.model, requests)
    still = np.zeros(robot.model.nv)
    for s in robot.states(5):
        (ddq, forces), residual = compute(s["q"], still, s["tau"])
        J, M = (
            constraint_jacobian.request(feet)(robot.model, s["q"]),
            dyn_core.crba(robot.model, s["q"]),
        )
        assert np.linalg.matrix_rank(J, 1e-9) < len(J)
        bias = dyn_core.nonlinear_effects(robot.model, s["q"], still)
        size = np.abs(forces).max()
        assert np.abs(M @ ddq + bias - s["tau"] - J.T @ forces).max() < 1e-9 * size
        assert np.abs(residual).max() < 1e-7
        assert np.abs(residual - J @ ddq).max() < 1e-9


def test_a_linkage_that_is_stretched_out_stays_finite() -> None:
    """Crank and coupler in line, where the loop's rows lose a rank as the crank turns through."""
    model = four_bar()
    for crank in np.linspace(0.0, 2.0 * np.pi, 40):
        q, v = four_bar_state(crank, 1.0)
        ddq, forces = constrained(model, q, v, np.zeros(3), tolerance=1e-5)
        assert np.isfinite(ddq).all()
        assert np.isfinite(forces).all()


def test_what_is_not_held_is_named() -> None:
    arm = panda()
    s = arm.states(1)[0]
    model, state = arm.model, (s["q"], s["v"], s["tau"])
    ddq, forces = constrained(model, *state, (Contact("tip", 6),))
    expected = constrained_forward_dynamics.request(Contact("tip", 6))(model, *state)
    assert np.array_equal(ddq, expected[0])
    assert np.array_equal(forces, expected[1])
    contradicting = (Contact("tip", 6, kd=5.0), Contact("tip", 6))
    with pytest.raises(
        dyn_core.ModelError, match=r"Contact\('tip', 6.*\) is not held, .* is off by"
    ):
        constrained(model, *state, contradicting)
    with pytest.raises(ValueError, match="q, v and tau must be finite"):
        constrained(model, np.full(model.nq, np.nan), *state[1:], (Contact("tip", 6),))


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
