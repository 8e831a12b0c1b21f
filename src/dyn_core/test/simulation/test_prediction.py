# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Predictions against closed forms, and their comparison with what happens."""

from __future__ import annotations

import numpy as np
import pytest
from test_two_link import ARM

import dyn_core
from dyn_core.simulation import PredictionCheck, Predictor

SUBSTEP = 1e-3
"""Length of the steps of joints with friction, s."""
FALLING = """<robot name="slide"><link name="rail"/><link name="mass"><inertial>
    <mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="mass"/><axis xyz="0 0 1"/>
    <limit lower="-9" upper="9" velocity="9" effort="99"/></joint></robot>"""


def test_a_falling_mass_is_predicted_in_closed_form() -> None:
    """Runge and Kutta's method is exact for a parabola."""
    model = dyn_core.Model.from_urdf(FALLING)
    start, v, effort, h = np.zeros(1), np.array([1.5]), np.array([4.0]), 0.02
    a = 4.0 / 2.0 - 9.81
    times = h * np.arange(1, 6)
    predictor = Predictor(model, 5, h)
    predictor.predict(start, v, effort)
    assert predictor.horizon == pytest.approx(0.1)
    assert predictor.acceleration[:, 0] == pytest.approx(np.full(5, a))
    assert predictor.velocity[:, 0] == pytest.approx(1.5 + a * times)
    assert predictor.displacement[:, 0] == pytest.approx(1.5 * times + 0.5 * a * times**2)


@pytest.mark.parametrize(
    ("gravity", "damping", "friction", "start", "error"),
    [
        (9.81, 5.0, 0.0, 0.0, 3e-3),  # of 4 m/s: the implicit method of Euler
        (9.81, 500.0, 0.0, -0.05, 1e-3),
        (9.81, 0.0, 25.0, -0.05, 1e-3),  # stops within the first step
        (0.0, 0.0, 0.3, 0.4, 1e-8),
        (0.0, 0.0, 3.0, 0.4, 1e-8),
        (0.0, 0.0, 30.0, 0.4, 1e-8),
        (0.0, 0.5, 3.0, 0.4, 1e-4),
        (0.0, 50.0, 3.0, 0.4, 3e-3),
        (0.0, 5000.0, 3.0, 0.4, 1e-3),
    ],
)
def test_friction_is_predicted_in_closed_form(
    gravity: float, damping: float, friction: float, start: float, error: float
) -> None:
    """``m v' = -m g - b v + f`` until a mass on a rail stops, where dry friction holds it."""
    losses = f'<dynamics friction="{friction}" damping="{damping}"/><limit'
    model = dyn_core.Model.from_urdf(FALLING.replace("<limit", losses))
    smoothed = dyn_core.friction_efforts.request(smoothing=1e-4)
    predictor = Predictor(model.with_gravity((0.0, 0.0, -gravity)), 250, 0.016, friction=smoothed)
    predictor.predict(np.zeros(1), np.array([start]), np.zeros(1))
    times, push = 0.016 * np.arange(1, 251), -2.0 * gravity - friction * np.sign(start)
    expected = start + push / 2.0 * times
    if damping:
        expected = push / damping + (start - push / damping) * np.exp(-damping / 2.0 * times)
    if friction:
        expected = np.maximum(0.0, expected * np.sign(start)) * np.sign(start)
    assert predictor.velocity[:, 0] == pytest.approx(expected, abs=error)
    assert (predictor.velocity * start >= 0.0).all()  # it never turns back
    assert predictor.unsolved == 0
    if friction > 1.0:
        assert (predictor.velocity[-1, 0], predictor.acceleration[-1, 0]) == (0.0, 0.0)
    if friction > 1.0 and not gravity and not damping:
        stopped = friction / 2.0 * SUBSTEP**2 / 8.0  # perhaps in the middle of a substep
        way = start**2 * 2.0 / (2.0 * friction)
        assert predictor.displacement[-1, 0] == pytest.approx(way, abs=1.01 * stopped)


def test_joints_that_stick_and_slip_are_predicted_as_in_steps_that_are_much_shorter() -> None:
    """Within 1 % of a speed of 1 rad/s over 0.2 s, with damping that takes it within 10 ms."""
    text = ARM.replace("<limit", '<dynamics friction="3" damping="20"/><limit')
    model, random = dyn_core.Model.from_urdf(text), np.random.default_rng(3)
    losses = dyn_core.friction_efforts.request(smoothing=0.01)
    long, short = (Predictor(model, n, 0.2 / n, friction=losses) for n in (25, 1600))
    for _ in range(5):
        state = random.normal(size=2), 0.5 * random.normal(size=2)
        effort = dyn_core.generalized_gravity(model, state[0]) + 4.0 * random.normal(size=2)
        for predictor in (long, short):
            predictor.predict(*state, effort)
        assert long.velocity == pytest.approx(short.velocity[63::64], abs=1e-2)
        assert long.displacement == pytest.approx(short.displacement[63::64], abs=1e-3)


def test_predicted_accelerations_obey_the_law_of_friction() -> None:
    """``M a + h + b v' + f = tau`` in the middle of a substep from v to v'.

    f acts against v', or within bounds where a joint sticks.
    """
    text = ARM.replace("<limit", '<dynamics friction="3" damping="0.5"/><limit')
    model = dyn_core.Model.from_urdf(text)
    losses = dyn_core.friction_efforts.request(smoothing=0.01)
    predictor, random = Predictor(model, 2, SUBSTEP, friction=losses), np.random.default_rng(1)
    stuck = 0
    for _ in range(200):
        q, v = random.normal(size=2), random.normal(size=2) * 10.0 ** random.uniform(-4.0, 0.0)
        tau = random.normal(size=2) * 10.0
        predictor.predict(q, v, tau)
        q, (v, after), a = predictor.configuration[0], predictor.velocity, predictor.acceleration[0]
        drive = dyn_core.rnea(model, q + 0.5 * SUBSTEP * v, v, a)
        friction = tau - drive - model.damping * after
        stuck += int((after == 0.0).sum())
        for force, speed in zip(friction, after, strict=True):
            if speed == 0.0:
                assert abs(force) <= 3.0 * (1.0 + 1e-9)
            else:
                assert force == pytest.approx(3.0 * np.sign(speed), abs=1e-6)
    assert stuck > 20


def test_a_swinging_arm_is_predicted_to_fourth_order() -> None:
    """Half the step, a sixteenth of the error."""
    model = dyn_core.Model.from_urdf(ARM)
    q, v, effort = np.array([0.3, -0.8]), np.array([1.0, 2.0]), np.array([1.0, -0.5])

    def end(steps: int) -> np.ndarray:
        predictor = Predictor(model, steps, 0.4 / steps)
        predictor.predict(q, v, effort)
        return np.concatenate([predictor.displacement[-1], predictor.velocity[-1]])

    exact = end(320)
    coarse, fine = (np.linalg.norm(end(steps) - exact) for steps in (10, 20))
    assert 10.0 < coarse / fine < 24.0


def test_a_prediction_is_compared_with_what_happens_at_its_end() -> None:
    model = dyn_core.Model.from_urdf(FALLING)
    predictor, check = Predictor(model, 4, 0.025), PredictionCheck(model)
    reported = []
    for time in 0.03 * np.arange(12):  # no sample falls on the end of a horizon
        position, velocity = np.array([2.0 * time]), np.array([2.0])  # held at speed by a stranger
        predictor.predict(position, velocity, np.zeros(1))
        if check.update(time, position, velocity, predictor):
            reported.append(check.start)
            assert check.velocity == pytest.approx(9.81 * 0.1)
            assert check.position == pytest.approx(0.5 * 9.81 * 0.01)
    assert reported == pytest.approx([0.0, 0.12])


def test_a_base_that_lands_elsewhere_than_predicted() -> None:
    """The error of its pose is the way from the predicted one, in its own axes."""
    body = FALLING[FALLING.index("<inertial>") : FALLING.index("</link>")]
    heavy = FALLING.replace('"rail"/>', f'"rail">{body}</link>', 1)
    model = dyn_core.Model.from_urdf(heavy, root_joint="free_flyer")
    predictor, check = Predictor(model, 4, 0.025), PredictionCheck(model)
    q = dyn_core.integrate(model, dyn_core.neutral(model), np.linspace(-1.0, 1.0, 7))
    v = np.linspace(2.0, -1.0, 7)
    predictor.predict(q, v, np.zeros(7))
    assert not check.update(0.0, q, v, predictor)
    off = 0.1 * np.arange(7.0)
    landed = dyn_core.integrate(model, predictor.configuration[-1], off)
    assert check.update(0.1, landed, v, None)
    assert check.position == pytest.approx(off)
    assert check.velocity == pytest.approx(v - predictor.velocity[-1])


def test_hardware_that_compensates_gravity_leaves_uniform_motion() -> None:
    """Gravity as an effort of the state cancels itself, at every step anew."""
    model = dyn_core.Model.from_urdf(ARM)
    efforts = (dyn_core.generalized_gravity.request(),)
    predictor = Predictor(model, 5, 0.1, efforts)
    q = np.array([0.3, -0.8])
    predictor.predict(q, np.zeros(2), np.zeros(2))
    assert predictor.configuration == pytest.approx(np.tile(q, (5, 1)))
    assert predictor.acceleration == pytest.approx(np.zeros((5, 2)), abs=1e-12)


def test_a_prediction_that_ends_in_a_gap_is_dropped() -> None:
    model = dyn_core.Model.from_urdf(FALLING)
    predictor, check = Predictor(model, 1, 0.1), PredictionCheck(model)
    still = np.zeros(1)
    assert not any(check.update(time, still, still, predictor) for time in (0.0, 0.05, 0.3))
    assert check.update(0.4, still, still, predictor)
    check.reset()
    assert not check.update(9.0, still, still, None)
    assert not check.update(9.1, still, still, predictor)
    assert check.update(9.2, still, still, None)
