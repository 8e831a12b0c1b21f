# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of tasks: errors, Jacobians and drifts are those of the motion they describe."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from robots import load

import dyn_core
from dyn_core.control import (
    ComTask,
    ContactTask,
    DampingTask,
    FrameTask,
    JointLimits,
    LowAccelerationTask,
    MomentumTask,
    PostureTask,
    RelativeFrameTask,
)
from dyn_core.control.pose_error import pose_error, rotation_vectors
from dyn_core.control.tasks.task_stack import Stack

STEP = 1e-6
ROBOT = load("hyq")
TASKS = {
    "frame": lambda: FrameTask("lf_foot"),
    "relative frame": lambda: RelativeFrameTask("lf_foot", "rh_foot"),
    "posture": PostureTask,
    "centre of mass": ComTask,
    "contact of a point": lambda: ContactTask("lf_foot"),
    "contact of a sole": lambda: ContactTask("lf_foot", sole=(-0.1, 0.1, -0.05, 0.05)),
}


def state() -> tuple[np.ndarray, np.ndarray]:
    (state,) = ROBOT.states(1, seed=3)
    return state["q"], 0.5 * state["v"]


@pytest.mark.parametrize("name", TASKS)
def test_at_its_target_a_task_has_no_error(name: str) -> None:
    q, v = state()
    task = TASKS[name]()
    task.set_target_from_configuration(ROBOT.model, q)
    assert np.abs(task.evaluate(ROBOT.model, q, v).error).max() < 1e-12


@pytest.mark.parametrize("name", TASKS)
def test_jacobian_and_drift_are_rates_of_the_error(name: str) -> None:
    """At the target ``de/dt = -J v``; ``d/dt (J v) = J a + drift`` along any motion."""
    q, v = state()
    a = np.random.default_rng(0).normal(size=ROBOT.model.nv)
    task = TASKS[name]()
    task.set_target_from_configuration(ROBOT.model, q)
    terms = task.evaluate(ROBOT.model, q, v)
    np.testing.assert_allclose(terms.jacobian @ v, terms.velocity, atol=1e-12)
    ends = []
    for sign in (-1.0, 1.0):
        h = sign * STEP
        at = dyn_core.integrate(ROBOT.model, q, v * h + 0.5 * a * h * h)
        ends.append(task.evaluate(ROBOT.model, at, v + a * h))
    rate = (ends[1].error - ends[0].error) / (2.0 * STEP)
    np.testing.assert_allclose(rate, -terms.velocity, atol=1e-7)
    change = (ends[1].velocity - ends[0].velocity) / (2.0 * STEP)
    np.testing.assert_allclose(change, terms.jacobian @ a + terms.drift, atol=1e-6)


def test_tasks_of_a_stack_are_those_that_are_evaluated_alone() -> None:
    """One kernel computes what each task's own does, also where two share a frame."""
    q, v = state()
    tasks = [make() for make in TASKS.values()]
    for task in tasks:
        task.set_target_from_configuration(ROBOT.model, dyn_core.neutral(ROBOT.model))
    stack = Stack(ROBOT.model, tasks[:3], tasks[3:])
    stack.state.update(q, v)
    for task in tasks:
        alone, together = task.evaluate(ROBOT.model, q, v), stack.terms(task)
        for name in ("error", "jacobian", "drift", "velocity"):
            expected = getattr(alone, name)
            np.testing.assert_allclose(getattr(together, name), expected, atol=1e-10)


def test_cost_that_changes_counts_from_then_on_and_a_priority_stays() -> None:
    q, v = state()
    task = DampingTask(1.0)
    terms = task.evaluate(ROBOT.model, q, v)
    task.weighted(terms, v)
    task.cost = 3.0
    np.testing.assert_allclose(task.weighted(terms, v)[1], 3.0 * v)
    with pytest.raises(ValueError, match="cost must be finite"):
        task.cost = np.nan
    with pytest.raises(AttributeError):
        task.priority = 1


def test_momentum_task_is_centroidal_momentum() -> None:
    q, v = state()
    task = MomentumTask(gain=3.0)
    task.set_target(np.arange(6.0))
    terms = task.evaluate(ROBOT.model, q, v)
    model, data = ROBOT.pin_model, ROBOT.pin_model.createData()
    expected = pin.computeCentroidalMomentum(model, data, q, v)
    np.testing.assert_allclose(terms.velocity, np.array(expected), atol=1e-9)
    rate = pin.computeCentroidalMomentumTimeVariation(model, data, q, v, np.zeros(model.nv))
    np.testing.assert_allclose(terms.drift, np.array(rate), atol=1e-8)
    wanted = 3.0 * (np.arange(6.0) - np.array(expected))
    np.testing.assert_allclose(task.wanted_acceleration(terms), wanted, atol=1e-9)


def test_rates_that_are_wanted() -> None:
    q, v = state()
    damping, low = DampingTask(1.0, gain=2.0), LowAccelerationTask(1.0)
    for task, velocity, acceleration in ((damping, 0.0 * v, -2.0 * v), (low, v, 0.0 * v)):
        terms = task.evaluate(ROBOT.model, q, v)
        np.testing.assert_allclose(task.wanted_velocity(terms, 0.01), velocity)
        np.testing.assert_allclose(task.wanted_acceleration(terms), acceleration)


def test_rotation_vectors_are_pinocchio_s_up_to_half_a_turn() -> None:
    random = np.random.default_rng(0)
    axes = random.normal(size=(200, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    lengths = np.concatenate([np.geomspace(1e-12, 1e-3, 100), np.linspace(0.01, np.pi - 1e-9, 100)])
    vectors = axes * lengths[:, None]
    found = rotation_vectors(np.array([pin.exp3(w) for w in vectors]))
    np.testing.assert_allclose(found, vectors, rtol=1e-7, atol=1e-14)
    for vector in vectors:  # the error of one pose has a path of its own
        target = np.eye(4)
        target[:3, :3] = pin.exp3(vector)
        np.testing.assert_allclose(pose_error(np.eye(4), target)[3:], vector, rtol=1e-7, atol=1e-14)


def test_wrench_cone_of_a_sole_is_that_of_forces_at_its_corners() -> None:
    """Such forces are inside; wrenches inside are sums of them, as a linear program finds."""
    from scipy.optimize import linprog

    sole, mu = (-0.05, 0.15, -0.04, 0.06), 0.7
    task = ContactTask("lf_foot", sole=sole, friction=mu)
    q, v = state()
    terms = task.evaluate(ROBOT.model, q, v)
    R = dyn_core.frame_placement(ROBOT.model, q, frame="lf_foot")[:3, :3]
    cone = terms.cone @ np.kron(np.eye(2), R)  # in the frame
    side = mu / np.sqrt(2.0)
    edges = []
    for x in sole[:2]:
        for y in sole[2:]:
            for a in (-side, side):
                for b in (-side, side):
                    force = np.array([a, b, 1.0])
                    edges.append(np.concatenate([force, np.cross([x, y, 0.0], force)]))
    generators = np.array(edges).T
    assert (cone @ generators).min() > -1e-12
    random = np.random.default_rng(1)
    inside = 0
    for _ in range(300):
        wrench = random.normal(size=6) * [0.3, 0.3, 0.0, 0.04, 0.06, 0.05] + [0, 0, 1, 0, 0, 0]
        held = linprog(np.zeros(16), A_eq=generators, b_eq=wrench).status == 0
        inside += held
        assert held == bool((cone @ wrench >= -1e-9).all())
    assert 20 < inside < 280


def test_point_on_a_slope_has_its_pyramid_about_the_normal() -> None:
    normal = np.array([0.3, -0.4, 1.2])
    terms = ContactTask("lf_foot", normal=normal, friction=0.5).evaluate(ROBOT.model, *state())
    assert (terms.cone @ normal > 0.0).all()
    slipping = normal / np.linalg.norm(normal) + 0.55 * np.array([0.8, 0.6, 0.0])
    assert (terms.cone @ slipping < 0.0).any()
    np.testing.assert_allclose(terms.cone[-1], normal / np.linalg.norm(normal), atol=1e-12)


@pytest.mark.parametrize(
    ("by", "acceleration"), [("velocities", 5.0), ("accelerations", 5.0), ("accelerations", None)]
)
def test_joints_at_their_limits_stop_at_their_ends_and_never_pass_them(
    by: str, acceleration: float | None
) -> None:
    """Full speed towards an end: it stops there, at rest."""
    limits = JointLimits(load("ur5").model, acceleration=acceleration)
    dt, steps = (0.01, 300) if by == "velocities" else (0.001, 5000)
    q, v = np.zeros(6), np.zeros(6)
    for _ in range(steps):
        before = v
        if by == "velocities":
            v = limits.velocities(q, before, dt)[1]
            assert np.abs(v - before).max() <= 5.0 * dt + 1e-9
        else:
            v = before + limits.accelerations(q, before)[1] * dt
        assert (v <= limits.velocity + 1e-9).all()
        q = q + v * dt
        assert (q <= limits.upper + 1e-9).all()
    np.testing.assert_allclose(q, limits.upper, atol=1e-3)


def test_acceleration_limits_hold_for_coordinates_without_ends() -> None:
    limits = JointLimits(ROBOT.model, acceleration=3.0)
    q, before = state()
    low, high = limits.velocities(q, before, 0.01)
    np.testing.assert_allclose(low[:6], before[:6] - 0.03)
    np.testing.assert_allclose(high[:6], before[:6] + 0.03)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FrameTask("a", gain=-1.0), "gain"),
        (lambda: FrameTask("a", position_cost=np.nan), "cost"),
        (lambda: FrameTask("a", position_cost=(1.0, 2.0)), "three"),
        (lambda: PostureTask(cost=-1.0), "cost"),
        (lambda: ContactTask("a", friction=0.0), "friction must be positive"),
        (lambda: ContactTask("a", sole=(0.1, -0.1, 0.0, 0.1)), "sole"),
        (lambda: ContactTask("a", normal=(0.0, 0.0, 0.0)), "normal"),
        (lambda: ContactTask("a", most=0.0), "force"),
        (lambda: FrameTask("a").set_target(np.zeros((4, 4))), "orthonormal"),
        (lambda: ComTask().set_target(np.zeros(2)), r"\(3,\)"),
        (lambda: JointLimits(load("ur5").model, acceleration=-1.0), "acceleration"),
        (lambda: JointLimits(load("ur5").model, margin=np.nan), "margin"),
        (lambda: FrameTask("lf_foot").evaluate(ROBOT.model, *state()), "no target"),
        (lambda: PostureTask(cost=(1.0, 2.0)).costs(18), "one number or 18"),
    ],
)
def test_bad_tasks_are_refused_in_words(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()
