# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The laws of dyn_core.control against closed forms."""

from __future__ import annotations

from math import exp, inf, nan, pi, sin

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_two_link import ARM, lagrange

import dyn_core
from dyn_core.contacts import contact_inverse_dynamics
from dyn_core.control import (
    ComputedTorque,
    Hysteresis,
    JointLimits,
    MomentumObserver,
    Trajectory,
    equivalent_wrench,
    feed_forward,
    limit_violations,
    tracking_response,
)
from dyn_core.control.pose_error import pose_error
from dyn_core.control.trajectory import smooth_derivatives
from dyn_core.linearization import Modes, carried_along


def test_the_residual_is_the_external_effort_behind_a_low_pass_filter() -> None:
    """A mass on a rail, pushed, with samples at any times: r = F (1 - exp(-K t)) exactly."""
    mass, push, drive, K = 2.0, 3.0, -1.5, 20.0
    observer = MomentumObserver(1, K)
    time = 0.0
    for seconds in (0.0, 0.001, 0.02, 0.3, 0.005):
        time += seconds
        velocity = (push + drive) / mass * time
        residual = observer.update(seconds, np.array([mass * velocity]), np.array([drive]))
        assert residual == pytest.approx(push * (1.0 - exp(-K * time)), abs=1e-12)


def test_a_reset_observer_starts_anew_and_a_repeated_time_changes_nothing() -> None:
    observer = MomentumObserver(1, 10.0)
    observer.update(0.0, np.zeros(1), np.zeros(1))
    before = observer.update(0.1, np.ones(1), np.zeros(1)).copy()
    assert before == pytest.approx(10.0 * (1.0 - exp(-1.0)))
    assert observer.update(0.0, np.full(1, 7.0), np.full(1, 7.0)) == before
    observer.reset()
    assert observer.update(0.1, np.full(1, 5.0), np.zeros(1)) == 0.0


def test_an_estimate_that_is_not_finite_is_reported_until_it_begins_anew() -> None:
    """Also where each sample is finite, but the step of a momentum overflows."""
    observer, most = MomentumObserver(2, 10.0), np.finfo(np.float64).max
    observer.update(0.0, np.array([1.0, -most]), np.zeros(2))
    assert observer.finite
    leapt = observer.update(0.1, np.array([1.0, most]), np.zeros(2))
    assert not observer.finite
    assert leapt[0] == 0.0
    observer.update(0.1, np.zeros(2), np.zeros(2))
    assert not observer.finite
    observer.reset()
    assert observer.finite
    for _ in range(2):
        assert (observer.update(0.1, np.zeros(2), np.zeros(2)) == 0.0).all()
    assert observer.finite


STILL = np.zeros((1, 1))
FLYING = dyn_core.Model.from_urdf(ARM, root_joint="free_flyer", massless=True)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MomentumObserver(1, 0.0), "bandwidth is 0"),
        (lambda: ComputedTorque(FLYING), r"'root_joint' .* has 6 degrees of freedom"),
        (lambda: Trajectory(np.zeros(2), np.zeros((2, 1))), "must increase"),
        (lambda: Trajectory(np.arange(2.0), np.array([[0.0], [np.nan]])), "must be finite"),
        (lambda: Trajectory(np.zeros(1), STILL, None, STILL), "need velocities"),
    ],
)
def test_what_is_no_observer_law_or_trajectory_is_refused(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


LAW, TWO, ONE = ComputedTorque(dyn_core.Model.from_urdf(ARM)), np.zeros(2), np.ones(1)
LIMITS = JointLimits(LAW.model)


@pytest.mark.parametrize(
    ("compute", "words"),
    [
        (lambda: LAW.update(ONE, TWO, (TWO, TWO, TWO), 1.0, 1.0), "position"),
        (lambda: LAW.update(TWO, TWO[:, None], (TWO, TWO, TWO), 1.0, 1.0), "velocity"),
        (lambda: LAW.efforts(TWO, TWO, (ONE, TWO, TWO), 1.0, 1.0), "desired position"),
        (lambda: LAW.efforts(TWO, TWO, (TWO, ONE, TWO), 1.0, 1.0), "desired velocity"),
        (lambda: LAW.efforts(TWO, TWO, (TWO, TWO, ONE), 1.0, 1.0), "desired acceleration"),
        (lambda: tracking_response(TWO, ONE, (TWO,) * 3, ONE, 1.0, 1.0), "velocity"),
        (lambda: MomentumObserver(2, 1.0).update(0.1, ONE, TWO), "momentum"),
        (lambda: MomentumObserver(2, 1.0).update(0.1, TWO, ONE), "drive"),
        (lambda: carried_along(LAW.model, ONE, TWO), "q"),
        (
            lambda: contact_inverse_dynamics(
                LAW.model, TWO, TWO, TWO, 0.1, [dyn_core.Contact("lower")], [0.5], 0.1, ONE
            ),
            "correction",
        ),
        (lambda: Hysteresis(2).update(ONE, 2.0, 1.0), "values"),
        (lambda: equivalent_wrench(np.ones((3, 2)), TWO), "jacobian"),
        (lambda: equivalent_wrench(np.ones((6, 2)), np.ones((2, 3))), "efforts"),
        (lambda: pose_error(np.eye(4)[None], np.eye(4)), "a pose error"),
        (lambda: pose_error(np.eye(5), np.eye(5)), "a pose error"),
        (lambda: LIMITS.including(ONE), "q"),
        (lambda: LIMITS.velocities(TWO, ONE, 0.1), "before"),
        (lambda: LIMITS.accelerations(TWO, ONE), "v"),
        (lambda: LIMITS.beyond(ONE[None], TWO[None]), "q"),
        (lambda: LIMITS.beyond(TWO[None], ONE[None]), "way"),
        (lambda: LIMITS.clipped(ONE[None]), "q"),
        (lambda: limit_violations(LAW.model, TWO[None], np.eye(2), STILL), "values of velocity"),
        (lambda: Modes.of(LAW.model, np.eye(3), np.eye(2)), "M"),
        (lambda: dyn_core.motions_without_inertia(LAW.model, ONE), "q"),
    ],
)
def test_arrays_of_another_size_are_not_broadcast(compute, words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words} (must have shape|needs two placements)"):
        compute()


def test_the_equivalent_wrench_is_the_one_that_acts() -> None:
    random = np.random.default_rng(1)
    jacobian, wrench = random.normal(size=(6, 7)), random.normal(size=6)
    assert equivalent_wrench(jacobian, jacobian.T @ wrench) == pytest.approx(wrench)
    # One joint about z, one metre away: it feels the force along y alone, and M_z.
    jacobian = np.zeros((6, 1))
    jacobian[[1, 5], 0] = 1.0
    assert equivalent_wrench(jacobian, np.array([2.0])) == pytest.approx([0, 1, 0, 0, 0, 1])


def test_hysteresis_holds_between_its_thresholds() -> None:
    switch, reported, some = Hysteresis(2), [], []
    for values in ([4.0, -6.0], [5.0, -4.0], [3.0, -2.9], [-2.0, 4.0], [nan, -inf], [nan, nan]):
        reported.append(list(switch.update(np.array(values), upper=5.0, lower=3.0)))
        some.append(switch.any)
    assert reported[:4] == [[False, True], [True, True], [True, False], [False, False]]
    assert reported[4:] == [[False, True], [False, False]]
    assert some == [any(on) for on in reported]
    switch.update(np.array([9.0, 0.0]), upper=5.0, lower=3.0)
    assert switch.any
    switch.reset()
    assert not switch.any
    assert not switch.on.any()


@pytest.mark.parametrize(("zeta", "w"), [(1.0, 4.0), (0.5, 7.0), (2.0, 3.0)])
def test_errors_decay_as_a_damped_oscillator(zeta: float, w: float) -> None:
    """What is commanded is the second derivative of q = q_d - e with e'' + 2 z w e' + w^2 e = 0."""
    law = ComputedTorque(dyn_core.Model.from_urdf(ARM))
    roots = np.roots([1.0, 2.0 * zeta * w, w**2]).astype(complex)
    if zeta == 1.0:  # e = (1 + w t) exp(-w t)
        decay = [lambda t: (1 + w * t) * exp(-w * t), lambda t: -(w**2) * t * exp(-w * t)]
        decay.append(lambda t: w**2 * (w * t - 1.0) * exp(-w * t))
    else:
        c = np.array([-roots[1], roots[0]]) / (roots[0] - roots[1])  # e(0) = 1, e'(0) = 0
        decay = [lambda t, n=n: float((c * roots**n @ np.exp(roots * t)).real) for n in range(3)]
    for t in (0.0, 0.1, 0.7):
        desired = tuple(np.array([x, -2.0 * x]) for x in (sin(t), 0.3, -0.2))
        e, de, dde = (np.array([0.2, -0.1]) * f(t) for f in decay)
        u = law.update(desired[0] - e, desired[1] - de, desired, w, zeta)
        assert u == pytest.approx(desired[2] - dde, abs=1e-12)
        assert law.error == pytest.approx(e)


@pytest.mark.parametrize("coriolis", [True, False])
def test_computed_torque_with_and_without_coriolis_terms(coriolis: bool) -> None:
    """With them the arm accelerates as commanded; without, tau = M u + g."""
    law = ComputedTorque(dyn_core.Model.from_urdf(ARM), coriolis)
    q, v = np.array([0.4, 1.1]), np.array([2.0, -3.0])
    desired = (np.array([0.5, 0.9]), np.array([1.0, 1.0]), np.array([0.3, -0.7]))
    M, velocity_terms, g = lagrange(q, v)
    u = desired[2] + 2.0 * 0.7 * 5.0 * (desired[1] - v) + 25.0 * (desired[0] - q)
    tau = law.efforts(q, v, desired, 5.0, 0.7)
    assert tau == pytest.approx(M @ u + g + coriolis * velocity_terms)
    acceleration = np.linalg.solve(M, tau - velocity_terms - g)
    assert (acceleration == pytest.approx(u)) == coriolis


@pytest.mark.parametrize("gains", [(-1.0, 1.0), (5.0, -0.1), (np.nan, 1.0), (5.0, np.inf)])
def test_gains_that_let_errors_grow_are_refused(gains: tuple[float, float]) -> None:
    law, still = ComputedTorque(dyn_core.Model.from_urdf(ARM)), np.zeros(2)
    with pytest.raises(ValueError, match=r"(frequency|damping_ratio) is .*: errors"):
        law.update(still, still, (still, still, still), *gains)


def test_the_position_error_of_a_joint_without_end_is_wrapped() -> None:
    law = ComputedTorque(dyn_core.Model.from_urdf(ARM.replace("revolute", "continuous", 1)))
    still = np.zeros(2)
    law.update(np.array([3.0, 3.0]), still, (np.array([-3.0, -3.0]), still, still), 1.0, 1.0)
    assert law.error == pytest.approx([2.0 * pi - 6.0, -6.0])


@pytest.mark.parametrize("degree", [3, 5])
def test_a_spline_reproduces_polynomials_of_its_degree(degree: int) -> None:
    random = np.random.default_rng(degree)
    motions = [np.polynomial.Polynomial(random.normal(size=degree + 1)) for _ in range(2)]
    times = np.array([0.5, 0.9, 2.0])

    def exact(t: float, derivative: int) -> np.ndarray:
        return np.array([motion.deriv(derivative)(t) for motion in motions])

    given = [np.array([exact(t, k) for t in times]) for k in range((degree + 1) // 2)]
    trajectory = Trajectory(times, *given)
    for t in (0.5, 0.7, 0.9, 1.3, 1.99):
        for k, value in enumerate(trajectory.sample(t)):
            assert value == pytest.approx(exact(t, k)), k


def test_positions_alone_are_joined_smoothly_and_never_left_behind() -> None:
    """No velocity or acceleration steps, and the motion stays between neighbouring positions."""
    random = np.random.default_rng(1)
    times = np.cumsum(random.uniform(0.01, 1.0, 40))
    positions = random.normal(size=(40, 3))
    positions[10:12] = positions[12]  # rests there
    _, (q, v, a) = Trajectory(times, positions).within(50)
    for x in (v, a):
        pieces = x.reshape(39, 50, 3)
        assert pieces[1:, 0] == pytest.approx(pieces[:-1, -1], abs=1e-6 * np.abs(x).max())
        assert not pieces[0, 0].any()
        assert pieces[-1, -1] == pytest.approx(np.zeros(3), abs=1e-6 * np.abs(x).max())
    low, high = np.sort([positions[:-1], positions[1:]], axis=0)
    inside = q.reshape(39, 50, 3)
    assert (inside >= low[:, None] - 1e-9).all()
    assert (inside <= high[:, None] + 1e-9).all()


def test_dense_positions_alone_give_back_the_motion_that_they_were_taken_from() -> None:
    times = np.arange(0.0, pi + 1e-9, 0.01 * pi)
    trajectory = Trajectory(times, np.cos(times)[:, None])
    inner = np.linspace(0.1 * pi, 0.9 * pi, 777)
    found = np.array([[x[0] for x in trajectory.sample(t)] for t in inner])
    exact = np.stack([np.cos(inner), -np.sin(inner), -np.cos(inner)], axis=1)
    assert np.abs(found - exact).max(axis=0) == pytest.approx([0.0] * 3, abs=0.05)


def test_positions_alone_go_on_with_the_velocity_and_acceleration_of_their_beginning() -> None:
    times, positions = np.array([0.0, 1.0, 2.0]), np.array([[0.0], [1.0], [2.0]])
    v, a = smooth_derivatives(times, positions, 0.3, 0.7)
    assert [list(x[0]) for x in (v, a)] == [[0.3], [0.7]]
    assert [list(x[-1]) for x in (v, a)] == [[0.0], [0.0]]
    assert list(v[1]) == [1.0]


def test_before_its_start_and_after_its_end_a_trajectory_rests() -> None:
    points = np.array([[1.0], [2.0]])
    trajectory = Trajectory(np.array([1.0, 2.0]), points, np.ones((2, 1)), np.ones((2, 1)))
    assert [list(x) for x in trajectory.sample(0.9)] == [[1.0], [0.0], [0.0]]
    assert [list(x) for x in trajectory.sample(trajectory.end)] == [[2.0], [0.0], [0.0]]
    assert [list(x) for x in trajectory.sample(1.0)] == [[1.0], [1.0], [1.0]]


# Feed-forward


def motion(points: int) -> list[np.ndarray]:
    return list(np.random.default_rng(4).uniform(-1.0, 1.0, (3, points, 2)))


def test_feed_forward_is_the_equation_of_motion_at_every_point() -> None:
    model = dyn_core.Model.from_urdf(ARM)
    q, v, a = motion(4)
    for row, tau in enumerate(feed_forward(model, q, v, a)):
        M, coriolis, g = lagrange(q[row], v[row])
        assert tau == pytest.approx(M @ a[row] + coriolis + g)
    weightless = feed_forward(model, q, 0.0 * v, 0.0 * a, gravity=np.zeros(3))
    np.testing.assert_allclose(weightless, 0.0, atol=1e-12)


def test_feed_forward_refuses_what_gives_no_efforts() -> None:
    model = dyn_core.Model.from_urdf(ARM)
    q, v, a = motion(3)
    assert feed_forward(model, *np.zeros((3, 0, 2))).shape == (0, 2)
    with pytest.raises(ValueError, match=r"v must have shape \(3, 2\), not \(2, 2\)"):
        feed_forward(model, q, v[:2], a)
    a[1, 0] = np.nan
    with pytest.raises(ArithmeticError, match=r"joint 'shoulder' at point 1 is not finite"):
        feed_forward(model, q, v, a)
    with pytest.raises(ValueError, match="wind"):
        feed_forward(model, q, v, a, wind=np.zeros(3))


def test_violations_have_joint_limit_and_worst_point() -> None:
    model = dyn_core.Model.from_urdf(ARM)
    q, v, tau = np.zeros((3, 4, 2))
    assert limit_violations(model, q, v, tau) == []
    tau[1:3, 1] = -1e4, -2e4
    (found,) = limit_violations(model, q, v, tau)
    assert (found.kind, found.worst, found.points, found.value) == ("effort", 2, [1, 2], -2e4)
    assert found.coordinate == 1
    assert found.limit == -model.effort_limit[1]
    assert found.joint_name == model.dof_names[1]


@pytest.mark.parametrize(
    ("zeta", "w"), [(1.0, 4.0), (0.5, 7.0), (2.0, 3.0), (0.0, 2.0), (1.0, 0.0)]
)
@pytest.mark.parametrize("change", [0.0, 1.0])
def test_the_response_to_a_step_is_that_of_the_law_integrated(
    zeta: float, w: float, change: float
) -> None:
    """What the law commands, integrated; acceleration by acceleration."""
    law = ComputedTorque(dyn_core.Model.from_urdf(ARM))
    q, v = np.array([0.3, -0.8]), np.array([-0.4, 0.9])
    desired = (np.array([0.5, 0.1]), np.array([0.7, -0.2]), np.array([-0.3, 2.0]))
    times = np.array([0.0, 0.1, 0.5])
    changing = change * np.array([3.0, -1.0]), change * np.array([-2.0, 5.0])
    way = tracking_response(q, v, desired, times, w, zeta, changing if change else None)

    def rate(t: float, state: np.ndarray) -> np.ndarray:
        now = desired[0], desired[1] + t * changing[0], desired[2] + t * changing[1]
        return np.concatenate([state[2:], law.update(state[:2], state[2:], now, w, zeta)])

    exact = {"t_eval": times, "method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
    states = solve_ivp(rate, (0.0, 0.5), np.concatenate([q, v]), **exact).y.T
    accelerations = [rate(t, state)[2:] for t, state in zip(times, states, strict=True)]
    expected = states[:, :2], states[:, 2:], accelerations
    for found, numbers in zip(way, expected, strict=True):
        np.testing.assert_allclose(found, numbers, atol=1e-10)
