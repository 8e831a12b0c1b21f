# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What is watched while efforts are commanded: overspeed, and where commands arrive."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dyn_ros.safety.overspeed import Echo, VelocityGuard

NAMES = ("pan", "lift", "elbow")


def overspeed(
    motion: Callable[[float], float],
    measured: Callable[[float], float | None],
    rate: float = 250.0,
    duration: float = 0.5,
) -> tuple[str, float]:
    """What a guard reports of an elbow, and when, s: `motion` gives its position at a time.

    It is at rest before time 0, and then its sensor measures another velocity; None: none.
    """
    guard = VelocityGuard(NAMES, np.array([3.0, 0.0, 3.0]), [])
    guard.scale = 1.5
    for time in np.arange(-0.2, duration, 1.0 / rate):
        elbow, velocity = motion(max(0.0, time)), measured(time) if time >= 0.0 else 0.0
        position = np.array([0.0, 99.0 * time, elbow])
        velocities = None if velocity is None else np.array([0.0, 99.0, velocity])
        if how := guard.overspeed(velocities, position, 7.0 + time, 3.0 + time):
            return how, float(time)
    return "", np.inf


@pytest.mark.parametrize("measured", [5.0, -5.0, 40.0, 1e160])
@pytest.mark.parametrize("lasts", [0.05, 0.5])
@pytest.mark.parametrize("speed", [0.0, 1.0, -2.9])
def test_a_velocity_that_positions_contradict_is_no_overspeed(
    measured: float, lasts: float, speed: float
) -> None:
    """A sensor that errs for 50 ms at a joint at rest deactivated a node, and the arm fell."""
    spike = lambda t: measured if t < lasts else speed  # noqa: E731
    assert overspeed(lambda t: speed * t, spike)[0] == ""


@pytest.mark.parametrize("rate", [50.0, 250.0, 1000.0])
@pytest.mark.parametrize("acceleration", [10.0, 50.0, -200.0])
def test_overspeed_names_its_joint_in_time(rate: float, acceleration: float) -> None:
    """Noise is over within 20 ms; windows of positions and samples come on top of that."""
    limit = 1.5 * 3.0
    how, when = overspeed(
        lambda t: 0.5 * acceleration * t * t, lambda t: acceleration * t, rate, duration=1.0
    )
    assert "joint 'elbow' at overspeed" in how
    assert limit / abs(acceleration) < when < limit / abs(acceleration) + 0.05 + 1.0 / rate


def test_a_joint_whose_velocity_is_nan_is_watched_by_its_positions() -> None:
    how, when = overspeed(lambda t: 6.0 * t, lambda t: np.nan)
    assert "joint 'elbow' at overspeed: 6" in how
    assert when < 0.2
    assert overspeed(lambda t: 1.0 * t, lambda t: np.nan)[0] == ""


def test_velocities_count_alone_where_positions_are_of_no_use() -> None:
    """As where stamps stand still, which a parameter allows."""
    guard = VelocityGuard(NAMES, np.full(3, 3.0), [])
    guard.scale = 1.5
    fast = np.array([0.0, 0.0, -5.0])
    texts = [guard.overspeed(fast, np.zeros(3), 7.0, 0.005 * k) for k in range(20)]
    assert texts[0] == ""
    assert "joint 'elbow' at overspeed: -5" in texts[-1]


@pytest.mark.parametrize("turning", [[], ["elbow"]])
@pytest.mark.parametrize("stamped", [False, True])
def test_without_velocities_the_way_in_a_time_counts(turning: list[str], stamped: bool) -> None:
    """A joint without an end may report the same angle with 2 pi more or less; others may not."""
    guard = VelocityGuard(NAMES, np.array([3.0, 0.0, 3.0]), turning)
    guard.scale = 1.5
    texts = []
    for k in range(450):
        time = 0.001 * k
        elbow = (5.0 if k > 300 else 1.0) * time + (k > 150)  # put elsewhere once
        wrapped = elbow - 2.0 * np.pi * (k == 50 and bool(turning))
        position = np.array([0.0, 99.0 * time, wrapped])
        texts.append(guard.overspeed(None, position, 7.0 + time if stamped else 0.0, 3.0 + time))
    assert not guard.has_velocities
    assert not any(texts[:330])
    assert "joint 'elbow' at overspeed: 5" in texts[-1]
    guard = VelocityGuard(NAMES, np.array([3.0, 0.0, 3.0]), turning)
    assert guard.overspeed(np.zeros(3), np.zeros(3), 0.0, 4.0) == ""
    assert guard.has_velocities


LIMIT = np.full(3, 150.0)  # N m


def test_commands_at_other_joints_are_noticed_and_friction_is_not() -> None:
    sent = np.array([0.5, -40.0, -12.0])
    echo = Echo(NAMES, LIMIT)
    for now in (0.0, 0.1, 0.3):
        assert echo.misplaced(sent, sent + np.array([1.0, 18.0, -5.0]), now) == ""
    assert echo.difference == 18.0
    for now in (0.4, 0.5):
        assert echo.misplaced(sent, sent[::-1], now) == ""
    assert "joint 'pan' is -12, its command 0.5" in echo.misplaced(sent, sent[::-1], 0.65)


def test_commands_at_other_joints_are_noticed_where_a_motor_gives_all_it_has() -> None:
    """A wrist that got the command of a shoulder ran away until states were lost."""
    sent, limit = np.array([0.5, -40.0, -12.0]), np.array([150.0, 150.0, 28.0])
    measured = np.array([-12.0, 0.5, -28.0])

    def found(names: list[str], limit: np.ndarray, sent: np.ndarray, measured: np.ndarray) -> str:
        return Echo(names, limit).misplaced(sent, measured, 0.0, 0.0)

    assert found(NAMES, LIMIT, sent, measured) == ""
    assert "command_joints" in found(NAMES, limit, sent, measured)
    limit[2] = np.inf
    assert "command_joints" in found(NAMES, limit, sent, sent[[2, 0, 1]])
    limit = np.array([22.3, 17.9, 17.9, 3.0, 6.6, 6.6, 1.0])  # of an arm of TALOS
    sent = np.array([19.8, 6.47, -7.06, -0.84, 0.89, -1.43, 0.0])
    measured = np.array([0.89, -1.43, 0.0, 3.0, 6.47, -6.6, -0.84])
    assert "command_joints" in found(list("abcdefg"), limit, sent, measured)


def test_one_state_shows_other_joints_only_if_efforts_equal_the_commands() -> None:
    """Light wrists that got a shoulder's command reached 30 to 780 rad/s in a second state."""
    sent = np.array([17.28, -1.5, 0.02, 0.04])
    exact, near = sent[[0, 2, 1, 3]], sent[[0, 2, 1, 3]] + np.array([0.0, 0.05, 0.05, 0.0])

    def echo() -> Echo:
        return Echo(list("abcd"), np.array([300.0, 300.0, 300.0, 300.0]))

    assert "joint 'b' is 0.02, its command -1.5" in echo().misplaced(sent, exact, 0.0, 0.0)
    assert echo().misplaced(sent, exact, 0.0) == echo().misplaced(sent, near, 0.0, 0.0) == ""
    for lag in (0.99, 1.2):  # numbers that are nearly the same, and efforts that lag
        pair = np.array([10.0, 10.2, 1e-5, 0.0])
        assert echo().misplaced(pair, lag * pair[[1, 0, 3, 2]], 0.0, 0.0) == ""


def test_commands_at_other_wrists_of_a_heavy_arm_are_noticed_once_some_count() -> None:
    """Their difference is 3 % of all efforts: an iiwa's wrist reached 84 rad/s."""
    echo = Echo(["lift", "pan", "roll"], np.array([320.0, 40.0, 40.0]))
    sent, measured = np.array([-54.0, -1.2, 0.3]), np.array([-52.0, 0.25, -1.15])
    assert echo.misplaced(sent, measured, 0.0, 0.0, some=True) == ""  # friction, for a moment
    for now in (0.1, 0.3):
        assert echo.misplaced(sent, measured, now) == ""
    found = echo.misplaced(sent, measured, 0.4, 0.02, some=True)
    assert "joint 'pan' is 0.25, its command -1.2" in found
    rubbed = sent + np.array([5.0, 0.6, -0.4])
    assert Echo(["lift", "pan", "roll"], LIMIT).misplaced(sent, rubbed, 0.4, 0.0, some=True) == ""


def test_motors_that_keep_an_old_command_are_not_taken_for_other_joints() -> None:
    """A controller was killed: commands passed by the old one in another order, by chance."""
    echo, kept = Echo(NAMES, LIMIT), np.array([-12.0, -40.0, 0.5])
    for k in range(100):
        assert echo.misplaced(kept[::-1] * (1.0 + 1e-3 * k), kept, 0.01 * k) == ""
