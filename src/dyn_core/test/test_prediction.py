"""Predictions against closed forms, and their comparison with what happens."""

from __future__ import annotations

import numpy as np
import pytest
from test_two_link import ARM

import dyn_core
from dyn_core.simulation import PredictionCheck, Predictor

FALLING = """<robot name="slide"><link name="rail"/><link name="mass"><inertial>
    <mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="mass"/><axis xyz="0 0 1"/>
    <limit lower="-9" upper="9" velocity="9" effort="99"/></joint></robot>"""


def test_a_falling_mass_is_predicted_in_closed_form() -> None:
    """Runge and Kutta's is exact for a parabola; Euler's is off by a h t / 2."""
    model = dyn_core.Model.from_urdf(FALLING)
    start, v, effort, h = np.zeros(1), np.array([1.5]), np.array([4.0]), 0.02
    a = 4.0 / 2.0 - 9.81
    times = h * np.arange(1, 6)
    for integrator, lead in (("runge_kutta_4", 0.0), ("semi_implicit_euler", 0.5 * a * h)):
        predictor = Predictor(model, 5, h, integrator)
        predictor.predict(start, v, effort)
        assert predictor.horizon == pytest.approx(0.1)
        assert predictor.acceleration[:, 0] == pytest.approx(np.full(5, a))
        assert predictor.velocity[:, 0] == pytest.approx(1.5 + a * times)
        parabola = 1.5 * times + 0.5 * a * times**2
        assert predictor.displacement[:, 0] == pytest.approx(parabola + lead * times)


def test_a_swinging_arm_is_predicted_to_fourth_order() -> None:
    """Half the step, a sixteenth of the error."""
    model = dyn_core.Model.from_urdf(ARM)
    q, v, effort = np.array([0.3, -0.8]), np.array([1.0, 2.0]), np.array([1.0, -0.5])

    def end(steps: int) -> np.ndarray:
        predictor = Predictor(model, steps, 0.4 / steps, "runge_kutta_4")
        predictor.predict(q, v, effort)
        return np.concatenate([predictor.displacement[-1], predictor.velocity[-1]])

    exact = end(320)
    coarse, fine = (np.linalg.norm(end(steps) - exact) for steps in (10, 20))
    assert 10.0 < coarse / fine < 24.0


def test_a_prediction_is_compared_with_what_happens_at_its_end() -> None:
    model = dyn_core.Model.from_urdf(FALLING)
    predictor, check = Predictor(model, 4, 0.025, "runge_kutta_4"), PredictionCheck(1)
    told = []
    for time in 0.03 * np.arange(12):  # no sample falls on the end of a horizon
        position, velocity = np.array([2.0 * time]), np.array([2.0])  # held at speed by a stranger
        predictor.predict(position, velocity, np.zeros(1))
        if check.update(time, position, velocity, predictor):
            told.append(check.start)
            assert check.velocity == pytest.approx(9.81 * 0.1)
            assert check.position == pytest.approx(0.5 * 9.81 * 0.01)
    assert told == pytest.approx([0.0, 0.12])


def test_a_prediction_that_ends_in_a_gap_is_dropped() -> None:
    model = dyn_core.Model.from_urdf(FALLING)
    predictor, check = Predictor(model, 1, 0.1, "runge_kutta_4"), PredictionCheck(1)
    still = np.zeros(1)
    assert not any(check.update(time, still, still, predictor) for time in (0.0, 0.05, 0.3))
    assert check.update(0.4, still, still, predictor)
    check.reset()
    assert not check.update(9.0, still, still, None)
    assert not check.update(9.1, still, still, predictor)
    assert check.update(9.2, still, still, None)
