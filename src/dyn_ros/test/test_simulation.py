"""The simulated robot: brakes, effort limits, conservation of energy, stops."""

from __future__ import annotations

import numpy as np
import pytest
from ros_helpers import UR5, arm

from dyn_ros.robot import Robot
from dyn_ros.simulation import SimulatedRobot

STEP = 0.001


def falling(description: str, initial: dict[str, float] | None = None) -> SimulatedRobot:
    robot = SimulatedRobot(description, STEP, initial or {})
    robot.braked = False
    return robot


def energy(robot: SimulatedRobot) -> float:
    """Return kinetic and potential energy of `arm`, J; y turns z down."""
    mass_matrix = Robot(arm(), ["mass_matrix"]).mass_matrix(robot.position)
    first, second = robot.position[0], robot.position.sum()
    height = -0.5 * np.sin(first) - (np.sin(first) + 0.5 * np.sin(second))
    return float(0.5 * robot.velocity @ mass_matrix @ robot.velocity + 9.81 * height)


def test_brakes_hold_until_the_first_command() -> None:
    robot = SimulatedRobot(arm(), STEP, {"second": 0.5})
    for _ in range(100):
        robot.step()
    assert list(robot.position) == [0.0, 0.5]
    robot.apply(np.zeros(2))
    robot.step()
    assert robot.velocity.any()


def test_first_step_is_free_fall() -> None:
    """The accelerations of a horizontal arm, from M a = -g by hand."""
    robot = falling(arm())
    robot.step()
    mass = [[0.1 + 0.25 + 0.1 + 1.5**2, 0.1 + 0.75], [0.1 + 0.75, 0.1 + 0.25]]
    acceleration = np.linalg.solve(mass, [9.81 * 2, 9.81 * 0.5])
    assert robot.velocity == pytest.approx(acceleration * STEP, rel=1e-12)
    assert robot.position == pytest.approx(acceleration * STEP**2, rel=1e-12)


def test_energy_is_kept_without_friction() -> None:
    robot = falling(arm().replace('lower="-3" upper="3"', 'lower="-99" upper="99"'))
    for _ in range(2000):
        robot.step()
    assert abs(robot.position).max() > 1.0
    assert energy(robot) == pytest.approx(0.0, abs=0.3)  # of some 20 J that moved


def test_damping_and_friction_bring_it_to_rest() -> None:
    dynamics = '<dynamics damping="2" friction="0.5"/><limit'
    robot = falling(arm().replace("<limit", dynamics), {"first": 1.0})
    for _ in range(10_000):
        robot.step()
    assert abs(robot.velocity).max() < 0.01


def test_effort_is_limited() -> None:
    robot = falling(arm(effort=3))
    robot.apply(np.array([100.0, -100.0]))
    assert list(robot.effort) == [3.0, -3.0]
    robot.drop_effort()
    assert list(robot.effort) == [0.0, 0.0]


def test_stops_at_the_limits() -> None:
    robot = falling(arm())
    for _ in range(5000):
        robot.step()
        assert (abs(robot.position) <= 3.0).all()
    assert np.isfinite(robot.velocity).all()


def test_a_mimic_joint_does_not_limit_the_joint_that_it_follows() -> None:
    """The range of a follower is one of its own position, not of its primary's."""
    first, second = arm().split('<joint name="second"')
    follower = '<limit lower="0" upper="0.01" velocity="2" effort="9"/><mimic joint="first"/>'
    description = f'{first}<joint name="second"{second.replace("<limit", follower + "<unused")}'
    robot = falling(description)
    assert robot.robot.joint_names == ("first",)
    for _ in range(2000):
        robot.step()
    assert abs(robot.position[0]) > 0.5


def test_continuous_joint_keeps_its_configuration_on_the_circle() -> None:
    robot = falling(arm(type="continuous"))
    for _ in range(5000):
        robot.step()
    q = robot._q
    assert q[1] ** 2 + q[2] ** 2 == pytest.approx(1.0, abs=1e-9)
    assert np.arctan2(q[2], q[1]) == pytest.approx(
        np.arctan2(np.sin(robot.position[1]), np.cos(robot.position[1])), abs=1e-9
    )


def test_ur5_falls_for_a_minute_and_stays_finite() -> None:
    robot = falling(UR5.read_text(), {"shoulder_lift_joint": -1.0, "elbow_joint": 1.2})
    for _ in range(60_000):
        robot.step()
    assert np.isfinite(robot.position).all()
    assert abs(robot.velocity).max() < 100.0


@pytest.mark.parametrize("dynamics", ['damping="700"', 'friction="7"'])
def test_stiff_friction_takes_energy_out(dynamics: str) -> None:
    robot = falling(arm().replace("<limit", f"<dynamics {dynamics}/><limit"))
    robot.apply(np.array([-15.0, -3.0]))  # N m that help to hold the arm
    for _ in range(1000):
        robot.step()
        assert abs(robot.velocity).max() < 0.05


def test_too_much_damping_is_refused() -> None:
    with pytest.raises(ValueError, match="friction of joint 'second' is too large"):
        falling(arm().replace("<limit", '<dynamics damping="1e6"/><limit'))


def test_a_state_that_is_not_finite_is_not_passed_on() -> None:
    robot = falling(arm(effort="1e308"))
    robot.apply(np.full(2, 1e308))
    position = robot.position.copy()
    with np.errstate(over="ignore"), pytest.raises(FloatingPointError, match="'first' is not"):
        robot.step()
    assert np.isfinite(robot.position).all()
    assert (robot.position == position).all()


@pytest.mark.parametrize(
    ("initial", "word"), [({"third": 0.0}, "unknown joint 'third'"), ({"first": 9.0}, "'first'")]
)
def test_initial_positions_must_fit(initial: dict[str, float], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        SimulatedRobot(arm(), STEP, initial)
