# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Contacts with friction: the laws that they obey, and blocks that are computed by hand."""

from __future__ import annotations

from math import atan, cos, sin, sqrt

import contact_problems
import numpy as np
import pinocchio as pin
import pytest
from mechanisms import at, four_bar, four_bar_state

from dyn_core import LOCAL_WORLD_ALIGNED, Contact, Model, ModelBuilder, ModelError, constraint_error
from dyn_core.compiler.runtime.numba_cached import compiled
from dyn_core.contacts import contact_laws as laws
from dyn_core.contacts import friction_cones as cones
from dyn_core.contacts import solve_contacts
from dyn_core.contacts.contact_laws import OPTIONS
from dyn_core.contacts.gaussian_elimination import eliminated
from dyn_core.contacts.proximal_point import ACCEPTED_VIOLATION, ROUNDS, STEPS, proximal
from dyn_core.joints import FreeFlyer
from dyn_core.model import FrameType
from dyn_core.simulation import ContactStepper, Ground
from dyn_core.spatial import SE3, Inertia, Symmetric3, Vector3

G = 9.81
CORNERS = ((0.1, 0.1), (0.1, -0.1), (-0.1, 0.1), (-0.1, -0.1))
FLAT = 0.02
"""Half the height of the block, m."""


def block(tilt: float = 0.0) -> Model:
    """A flat block of 2 kg with four feet, on ground that is tilted about y."""
    gravity = (G * sin(tilt), 0.0, -G * cos(tilt))
    builder = ModelBuilder("block", gravity)
    joint = builder.add_joint(0, FreeFlyer(), SE3.identity(), "float")
    body = Inertia.from_com(2.0, Vector3.zero(), Symmetric3(6e-3, 0.0, 6e-3, 0.0, 0.0, 1e-2))
    builder.add_body(joint, body, SE3.identity())
    for k, (x, y) in enumerate(CORNERS):
        builder.add_frame(f"foot{k}", FrameType.OPERATIONAL, joint, at(x, y, -FLAT))
    return builder.build()


def stepper(model: Model, friction: float) -> ContactStepper:
    feet = [Contact(f"foot{k}", 3, LOCAL_WORLD_ALIGNED) for k in range(4)]
    return ContactStepper(model, feet, [friction] * 4)


def resting(height: float = FLAT) -> tuple[np.ndarray, np.ndarray]:
    return np.array([0.0, 0.0, height, 0.0, 0.0, 0.0, 1.0]), np.zeros(6)


def random_problem(
    seed: int, contacts: int, held: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A robot of 12 joints that contacts and loops may hold more than once over."""
    random = np.random.default_rng(seed)
    rows = held + 3 * contacts
    J = random.normal(size=(rows, 12))
    g = J @ random.normal(size=12)  # what some motion of the robot makes: it can be undone
    return J @ J.T, g, random.uniform(0.1, 1.2, contacts)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("contacts", "held"), [(1, 0), (3, 0), (4, 3), (6, 2)])
def test_forces_obey_signorini_and_coulomb(seed: int, contacts: int, held: int) -> None:
    """Normals push or open, forces are in their cones, and friction is against the sliding."""
    matrix, g, friction = random_problem(seed, contacts, held)
    found = solve_contacts(matrix, g, friction)
    assert found.converged
    assert np.allclose(found.velocity, matrix @ found.forces + g)
    assert np.abs(found.velocity[:held]).max(initial=0.0) < 1e-8 * np.abs(g).max()
    free = g[held:] + matrix[held:, :held] @ found.forces[:held]
    problem = contact_problems.Problem(matrix[held:, held:], free, friction)
    assert max(contact_problems.violations(problem, found.forces[held:]).values()) < 1e-8


@pytest.mark.parametrize("contacts", [1, 2, 3])
def test_forces_vs_pinocchio(contacts: int) -> None:
    """Its own projected Gauss-Seidel solver, of the same laws, where that converges."""
    robot = pin.buildSampleModelManipulator()
    settings = pin.PGSSolverSettings()
    settings.max_iterations, settings.solve_ncp = 100_000, True
    for kind in ("feasibility", "complementarity"):
        setattr(settings, f"absolute_{kind}_tol", 1e-13)
        setattr(settings, f"relative_{kind}_tol", 1e-13)
    pushing = 0
    for seed in range(20):
        matrix, g, friction = random_problem(seed, contacts, 0)
        models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for mu in friction:
            point = pin.PointContactConstraintModel(robot, 1, pin.SE3.Identity())
            point.setFriction(mu)
            models.append(pin.ConstraintModel(point))
            datas.append(models[-1].createData())
        result, operator = pin.PGSSolverResult(), pin.DelassusOperatorDense(matrix)
        found = solve_contacts(matrix, g, friction, tolerance=1e-13)
        assert found.converged
        if not pin.PGSConstraintSolver().solve(operator, g, models, datas, settings, result):
            continue
        expected = result.retrieveConstraintImpulses()
        scale = max(1e-3, np.abs(expected).max())
        assert found.forces == pytest.approx(expected, abs=1e-9 * scale)
        pushing += bool(expected.any())
    assert pushing > 5


def test_without_friction_it_is_a_linear_complementarity_problem() -> None:
    """Of all choices of closed contacts only one fits; it is found by trying all."""
    for seed in range(20):
        matrix, g, _ = random_problem(seed, 4, 0)
        found = solve_contacts(matrix, g, [0.0] * 4)
        normals = slice(2, None, 3)
        A, b = matrix[normals, normals], g[normals]
        fits = []
        for choice in range(16):
            on = [k for k in range(4) if choice >> k & 1]
            push = np.zeros(4)
            push[on] = np.linalg.solve(A[np.ix_(on, on)], -b[on]) if on else 0.0
            if (push >= -1e-12).all() and (A @ push + b >= -1e-9).all():
                fits.append(push)
        assert found.forces[normals] == pytest.approx(fits[0], abs=1e-7 * np.abs(fits[0]).max())


@pytest.mark.quick("0.7")
@pytest.mark.parametrize("friction", [0.2, 0.7])
def test_a_block_slides_above_the_angle_of_friction(friction: float) -> None:
    """``tan(angle) = mu``: below it sticks, above it accelerates with g (sin - mu cos)."""
    critical, dt, steps = atan(friction), 1e-3, 200
    for angle, slides in ((critical - 0.01, False), (critical + 0.01, True)):
        model = block(angle)
        go, (q, v) = stepper(model, friction), resting()
        for _ in range(steps):
            after = go.step(q, v, np.zeros(6), dt)
            q, v = after.q, after.v
            assert after.impulses.converged
        expected = G * (sin(angle) - friction * cos(angle)) * dt * steps if slides else 0.0
        assert v[0] == pytest.approx(expected, abs=1e-8)
        assert np.abs(np.delete(v, 0)).max() < 1e-8
        assert q[2] == pytest.approx(FLAT, abs=1e-9)
        normal = after.impulses.forces[2::3].sum() / dt
        assert normal == pytest.approx(2.0 * G * cos(angle), rel=1e-8)


def test_a_pushed_block_comes_to_rest_where_friction_has_taken_its_energy() -> None:
    """``v^2 / (2 mu g)``, but for the last step."""
    friction, speed, dt = 0.4, 1.0, 1e-3
    go, (q, v) = stepper(block(), friction), resting()
    v[0] = speed
    for _ in range(400):
        after = go.step(q, v, np.zeros(6), dt)
        q, v = after.q, after.v
    assert np.abs(v).max() < 1e-8
    assert q[0] == pytest.approx(speed**2 / (2.0 * friction * G), abs=speed * dt)


@pytest.mark.thorough
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_a_bouncing_block_rises_to_the_square_of_its_restitution(restitution: float) -> None:
    drop, dt = 0.2, 1e-4
    go, (q, v) = stepper(block(), 0.3), resting(FLAT + drop)
    touched, highest = False, 0.0
    for _ in range(6000):
        gap = q[2] - FLAT
        landing = gap <= 0.0 or gap + v[2] * dt <= 0.0
        touched = touched or landing
        after = go.step(q, v, np.zeros(6), dt, [0.0 if landing else gap] * 4, restitution)
        q, v = after.q, after.v
        if touched:
            highest = max(highest, q[2] - FLAT)
            if v[2] < 0.0:
                break
    assert touched
    assert highest == pytest.approx(restitution**2 * drop, abs=2e-3 * drop)


def test_gaps_close_and_no_further() -> None:
    """Without restitution a block falls on the ground as fast as it would, and stays there."""
    drop, dt = 0.1, 1e-3
    go, (q, v) = stepper(block(), 0.3), resting(FLAT + drop)
    lowest, time = drop, 0.0
    for step in range(300):
        after = go.step(q, v, np.zeros(6), dt, [q[2] - FLAT] * 4)
        q, v = after.q, after.v
        lowest = min(lowest, q[2] - FLAT)
        if q[2] - FLAT < 1e-9 and not time:
            time = (step + 1) * dt
    assert lowest > -1e-9
    assert time == pytest.approx(sqrt(2.0 * drop / G), abs=2.0 * dt)
    assert np.abs(v).max() < 1e-8


def test_loops_hold_while_contacts_push() -> None:
    """A four-bar linkage whose coupler lies on a smooth table: it closes, and rests on it."""
    model = four_bar(kp=1e5)
    q, v = four_bar_state(0.9, 0.0)
    q[2] += 1e-3
    assert np.abs(constraint_error(model, q)).max() > 1e-4
    go = ContactStepper(model, [Contact("coupler_end", 3, LOCAL_WORLD_ALIGNED)], [0.0])
    for _ in range(200):
        after = go.step(q, v, np.zeros(3), 1e-3)
        q, v = after.q, after.v
        assert after.impulses.converged
    assert np.abs(v).max() < 1e-6
    assert np.abs(constraint_error(model, q)).max() < 1e-9
    assert after.impulses.forces[-1] > 0.0


def test_a_sliding_contact_is_exact() -> None:
    """A problem in which normal and friction, each updated with the other held, go in circles."""
    matrix = [[10.053, 0.993, 2.336], [0.993, 8.701, 0.682], [2.336, 0.682, 1.884]]
    found = solve_contacts(np.array(matrix), np.array([-5.032, -1.315, -1.113]), [1.0])
    assert found.converged
    assert found.forces == pytest.approx([0.25206851, 0.05554137, 0.25811505], abs=1e-8)


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(2))
def test_random_problems_with_a_solution_are_solved(seed: int) -> None:
    """Up to 16 contacts, conditions to 1e8, mu to 2; some need the second solver."""
    random, longest = np.random.default_rng(seed), 0
    for _ in range(120):
        problem = contact_problems.random_problem(random)
        found = solve_contacts(problem.G, problem.g, problem.friction)
        assert found.converged
        longest = max(longest, found.iterations)
        worst = contact_problems.violations(problem, found.forces)
        assert max(worst.values()) < 1e-9, worst
    assert longest > cones.SWEEPS


@pytest.mark.parametrize("friction", [0.6, 1.0, 1.5])
def test_a_robot_that_lands_on_its_feet_in_any_posture(friction: float) -> None:
    random = np.random.default_rng(0)
    for problem in contact_problems.landings("anymal_b", friction, 60, random):
        found = solve_contacts(problem.G, problem.g, problem.friction)
        assert found.converged
        assert max(contact_problems.violations(problem, found.forces).values()) < 1e-9


def test_what_no_force_can_change_is_not_called_solved() -> None:
    """The message of the result says which contact or row it is; the others are solved."""
    dead = solve_contacts(np.zeros((3, 3)), np.array([0.0, 0.0, -1.0]), [0.5])
    assert (dead.converged, dead.worst, dead.residual) == (False, "contact 0", 1.0)
    held = np.eye(4)
    held[0, 0] = 0.0
    row = solve_contacts(held, np.array([1.0, 0.0, 0.0, -1.0]), [0.5])
    assert (row.converged, row.worst) == (False, "row 0")
    assert row.forces[1:] == pytest.approx([0.0, 0.0, 1.0])
    beside = np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    both = solve_contacts(beside, np.array([0.0, 0.0, -1.0, 0.0, 0.0, -2.0]), [0.5, 0.5])
    assert (both.converged, both.worst) == (False, "contact 1")
    assert both.forces == pytest.approx([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    across = np.array([0.0, 0.0, 1.0, 0.0, 0.0, -1.0])  # two walls that come nearer
    walls = solve_contacts(np.outer(across, across), np.array([0.0, 0.0, -1.0] * 2), [0.5, 0.5])
    assert not walls.converged  # although rounding hides what forces of 1e16 N leave
    assert walls.iterations <= cones.ITERATIONS + STEPS


def nth_random_problem(seed: int, number: int) -> contact_problems.Problem:
    """The random problem of that number, from 0."""
    random = np.random.default_rng(seed)
    for _ in range(number):
        contact_problems.random_problem(random)
    return contact_problems.random_problem(random)


def assert_solved(problem: contact_problems.Problem, iterations: int) -> None:
    found = solve_contacts(problem.G, problem.g, problem.friction, iterations=iterations)
    assert found.converged
    assert max(contact_problems.violations(problem, found.forces).values()) < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_rows_between_bounds(seed: int) -> None:
    """``c = 0`` between the bounds, ``c >= 0`` at the lower, ``c <= 0`` at the upper one."""
    matrix, g, friction = random_problem(seed, 2, 4)
    bounds = np.array([[-np.inf, np.inf], [-0.3, 0.3], [0.0, np.inf], [-np.inf, 0.0]])
    found = solve_contacts(matrix, g, friction, bounds=bounds)
    assert found.converged
    for force, c, (lower, upper) in zip(found.forces, found.velocity, bounds, strict=False):
        assert lower <= force <= upper
        if force > lower:
            assert c < 1e-8
        if force < upper:
            assert c > -1e-8


def test_a_guess_saves_iterations_and_a_lack_of_convergence_is_reported() -> None:
    matrix, g, friction = random_problem(3, 6, 2)
    cold = solve_contacts(matrix, g, friction)
    warm = solve_contacts(matrix, g, friction, guess=cold.forces)
    assert warm.iterations < cold.iterations
    assert warm.velocity == pytest.approx(cold.velocity, abs=1e-7)
    found = solve_contacts(matrix, g, friction, iterations=2)
    assert (found.converged, found.iterations) == (False, 2)
    assert found.residual > 1e-6


def push(gaps: list[float]) -> None:
    stepper(block(), 0.5).step(*resting(), np.zeros(6), 1e-3, gaps)


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: ContactStepper(block(), [Contact("foot0")], [np.nan]), ValueError, "0 to 100"),
        (lambda: Ground(block(), [], 1e6), ValueError, "from 0 to 100"),
        (lambda: ContactStepper(block(), [Contact("foot0", 6)], [0.5]), ModelError, "is a point"),
        (lambda: ContactStepper(block(), [Contact("foot0")], []), ModelError, "each of 1 contacts"),
        (lambda: ContactStepper(block(), [Contact("foot9")], [0.5]), KeyError, "no frame 'foot9'"),
        (lambda: push([0.0]), ValueError, "give 4 gaps, one for each contact"),
    ],
)
def test_what_is_no_ground_is_refused_in_words(build, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        build()


@pytest.mark.parametrize(("contacts", "held"), [(3, 0), (6, 2)])
def test_proximal_points_find_the_velocities_of_other_methods(contacts: int, held: int) -> None:
    """From no impulses at all, to the accuracy of the steps of time that they are used for."""
    matrix, g, friction = random_problem(1, contacts, held)
    wanted = solve_contacts(matrix + 1e-7 * np.diag(matrix.diagonal()), g, friction).velocity
    bounds = np.full(held, np.inf)
    problem = laws.posed(matrix, g, -bounds, bounds, friction, 1e-10 * np.abs(g).max())
    values, vectors = np.linalg.eigh(matrix)
    W = np.ascontiguousarray((vectors * np.sqrt(np.maximum(values, 0.0))).T)
    forces = np.zeros(len(g))
    used, error = compiled(proximal, **laws.OPTIONS)(problem, W, 1e-7, forces)
    assert error <= ACCEPTED_VIOLATION
    assert 0 < used <= ROUNDS * STEPS
    assert matrix @ forces + g == pytest.approx(
        wanted, abs=3.0 * ACCEPTED_VIOLATION * np.abs(g).max()
    )


@pytest.mark.parametrize(("seed", "number"), [(7, 222), (3, 393), (3, 1862), (3, 302), (7, 1626)])
def test_what_sweeps_leave_is_solved_by_turns(seed: int, number: int) -> None:
    """Four to sixteen contacts; sweeps alone leave 2e-5 to 4e-4 after 100 000 iterations."""
    assert_solved(nth_random_problem(seed, number), 5_000)


def test_the_work_of_a_problem_without_solution_is_bounded() -> None:
    """A random problem whose solution is not found, which is reported."""
    problem = nth_random_problem(3, 568)
    found = solve_contacts(problem.G, problem.g, problem.friction)
    assert not found.converged
    assert found.iterations <= cones.ITERATIONS + STEPS


def test_a_zero_on_the_diagonal_is_exchanged() -> None:
    A = np.array([[2.0, 1.0, 3.0], [1.0, 0.0, 1e-9], [4.0, 1.0, 0.0]])
    b = np.array([1.0, 2.0, 3.0])
    x = b.copy()
    assert compiled(eliminated, **OPTIONS)(A.copy(), x)
    np.testing.assert_allclose(A @ x, b, rtol=1e-12)


def test_zeros_between_branches_remain() -> None:
    """Two branches of two coordinates each on a root: no entry between them is ever changed."""
    random = np.random.default_rng(0)
    A = np.eye(5)
    for branch in ([0, 1, 2], [0, 3, 4]):
        A[np.ix_(branch, branch)] += 0.1 * random.normal(size=(3, 3))
    b, used = random.normal(size=5), A.copy()
    x = b.copy()
    assert compiled(eliminated, **OPTIONS)(used, x)
    np.testing.assert_allclose(A @ x, b, rtol=1e-12)
    assert not used[1:3, 3:].any()
    assert not used[3:, 1:3].any()


@pytest.mark.parametrize("size", [1, 4])
def test_a_singular_matrix_is_reported(size: int) -> None:
    assert not compiled(eliminated, **OPTIONS)(np.zeros((size, size)), np.ones(size))
