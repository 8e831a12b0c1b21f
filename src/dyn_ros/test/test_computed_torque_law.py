# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The law of computed_torque: gains that the rate of states carries, velocities it believes."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_two_link import ARM

import dyn_core
from dyn_ros.clock import ManualClock
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Values
from dyn_ros.outputs.computed_torque_law import Tracking
from dyn_ros.outputs.effort_commands import EffortCommands
from dyn_ros.outputs.feedback import MOST_TOLERANCE, VelocityCheck
from dyn_ros.tracking.gains import DELAY_MARGIN, StateRate, excess, needed_rate
from dyn_ros.tracking.motion import DesiredMotion

MODEL = dyn_core.Model.from_urdf(ARM)


def growth(natural_frequency: float, damping_ratio: float, rate: float) -> float:
    """By how much errors grow in a period; commands act one period late and are held for one."""
    T = 1.0 / rate
    loop = np.array([[1.0, T, 0.5 * T**2], [0.0, 1.0, T], [0.0, 0.0, 0.0]])  # q, v, command
    loop[2, :2] = -(natural_frequency**2), -2.0 * damping_ratio * natural_frequency
    return float(np.abs(np.linalg.eigvals(loop)).max())


@pytest.mark.parametrize("frequency", [3.0, 10.0, 200.0])
@pytest.mark.parametrize("damping_ratio", [0.1, 0.5, 1.0, 3.0, 100.0])
def test_the_needed_rate_leaves_a_margin_and_without_it_the_loop_is_unstable(
    frequency: float, damping_ratio: float
) -> None:
    needed = needed_rate(frequency, damping_ratio)
    assert growth(frequency, damping_ratio, needed) < 1.0
    assert growth(frequency, damping_ratio, 0.9 * 1.5 / DELAY_MARGIN * needed) > 1.0


def test_no_feedback_needs_no_rate_and_no_damping_has_none() -> None:
    assert needed_rate(0.0, 1.0) == 0.0
    assert "set it to 0.5 or more" in excess(10.0, 0.0, 1000.0)


@pytest.mark.parametrize(
    ("gains", "numbers"),
    [
        ((10.0, 1.0), ()),
        ((60.0, 1.0), ()),
        ((1000.0, 1.0), ("natural_frequency 1000", "3862 Hz", "at 250 Hz", "64.7 rad/s")),
        ((10.0, 100.0), ("damping_ratio 100", "3183 Hz", "at 250 Hz", "0.785 rad/s")),
    ],
)
def test_a_refusal_names_gains_rate_and_what_would_do(
    gains: tuple[float, float], numbers: tuple[str, ...]
) -> None:
    found = excess(*gains, 250.0)
    assert bool(found) == bool(numbers)
    for number in numbers:
        assert number in found


def test_a_rate_is_a_mean_that_gaps_and_steps_of_time_do_not_enter() -> None:
    rate = StateRate()
    short, good, back = (
        np.arange(0.0, x, dt) for x, dt in ((0.2, 0.004), (1.0, 0.01), (0.2, 0.02))
    )
    times = [*short, *(5.0 + good), *(2.0 + back)]
    assert [rate.hertz for t in times if rate.add(t, 0.1)] == pytest.approx([100.0] * 3)


def test_the_rate_that_gains_are_for_falls_at_once_and_rises_slowly() -> None:
    """Gains that returned in a step after a gap of 0.06 s made a wrist jump at 7 rad/s."""
    rate, held = StateRate(), []
    for now in (*np.arange(0.0, 1.0, 0.004), *np.arange(1.06, 4.0, 0.004)):
        rate.add(now, 0.1)
        held.append(rate.held)
    steps = np.diff(held[100:])
    assert min(held[100:]) == pytest.approx(1.0 / 0.064)
    assert (steps < 0.01 * np.array(held[100:-1])).all()
    assert held[-1] == pytest.approx(250.0, rel=0.01)


class Bench:
    """The part of tracking, its states at a rate, beside parts that note what they are asked."""

    def __init__(self, **values: Any) -> None:
        self.time, self.commands, self.waits, self.warned = 0.0, 0, "", False
        self.desired = np.zeros(2), np.zeros(2), np.zeros(2)
        self.values = Values(values)
        rest, self.slower = np.zeros(2), 1
        self.reader = SimpleNamespace(
            joint_names=MODEL.dof_names,
            came=np.zeros(2),
            stamps=np.zeros(2, dtype=np.int64),
            velocity=rest.copy(),
            age=0.0,
        )
        clock = SimpleNamespace(
            ros_time_is_active=True, now=lambda: SimpleNamespace(nanoseconds=1e9 * self.time)
        )
        self.node: Any = SimpleNamespace(
            clock=ManualClock(),
            values=self.values,
            get_clock=lambda: clock,
            part=lambda kind: parts.get(kind, self.trajectory),
            state=SimpleNamespace(
                position=rest,
                velocity=rest,
                reader=self.reader,
                nanoseconds=0,
            ),
            warn_seldom=lambda *x: setattr(self, "warned", True),
            results=SimpleNamespace(values=lambda: (rest, rest)),
        )
        self.trajectory = SimpleNamespace(
            desired=lambda: self.desired,
            refuse_distance=lambda *x: None,
            wait_for=lambda why: setattr(self, "waits", why),
        )
        self.output = SimpleNamespace(
            publish=self._publish, sustain=str, hardware_compensates=False, waits_for=""
        )
        inputs = SimpleNamespace(reader=self.reader)
        parts = {EffortCommands: self.output, JointStateInput: inputs}
        self.part = Tracking(self.node)
        self.part.install(MODEL)
        self.part.start()

    def _publish(self, *_: Any, **__: Any) -> None:
        self.commands += 1

    def states(self, rate: float, seconds: float) -> str:
        """Let states come, one of `slower` with the second joint; return why one was refused."""
        for k in range(round(rate * seconds)):
            self.time += 1.0 / rate
            self.reader.came[: 2 if k % self.slower == 0 else 1] = self.time
            try:
                self.part.inputs()
                self.part.command()
            except InputRefusedError as refusal:
                return f"{refusal.reason}: {refusal}"
        return ""

    def objection(self, model: dyn_core.Model = MODEL, **values: Any) -> str:
        """Why a change of parameters is refused, empty if it is not."""
        try:
            self.part.check(model, self.values.replaced(values))
        except ValueError as error:
            return str(error)
        return ""


def test_commands_begin_once_the_rate_is_known() -> None:
    bench = Bench()
    assert bench.states(250.0, 0.2) == ""
    assert not bench.commands
    assert "rate of joint states" in bench.waits
    assert bench.states(250.0, 0.3) == ""
    assert bench.commands
    assert not bench.waits


@pytest.mark.parametrize("gains", [{"natural_frequency": 1000.0}, {"damping_ratio": 100.0}])
def test_gains_over_the_rate_are_refused_before_the_first_command_and_when_set(
    gains: dict[str, float],
) -> None:
    bench = Bench(**gains)
    assert "at 250 Hz" in bench.states(250.0, 1.0)
    assert not bench.commands
    bench = Bench()
    assert bench.states(250.0, 1.0) == ""
    assert "at 250 Hz" in bench.objection(**gains)
    assert bench.objection(natural_frequency=60.0) == ""
    bench.part.stop()
    assert bench.objection(**gains) == ""


def test_gains_need_efforts_that_change_fast_enough() -> None:
    """With limits that take a second, a push of 0.5 rad/s made simulated arms reach 42 rad/s."""
    bench, rate = Bench(), float(np.max(MODEL.effort_limit)) / 1.0
    assert bench.objection(natural_frequency=15.0, **{"limits.effort_rate": rate}) == ""
    slow = bench.objection(natural_frequency=25.0, **{"limits.effort_rate": rate})
    assert "within 0.6 s, and limits.effort_rate takes 1 s" in slow
    assert bench.objection(natural_frequency=25.0) == ""


def test_higher_gains_are_refused_where_friction_keeps_an_arm_away() -> None:
    """The wrist of a resting arm jumped at 11 rad/s."""
    bench, limited = Bench(), MODEL.with_limits("elbow", velocity=3.0)
    bench.desired[0][:] = 0.4
    assert bench.states(250.0, 1.0) == ""
    assert bench.objection(limited, natural_frequency=12.0) == ""
    words = "'elbow', which is 0.4 rad or m from where it shall be"
    assert words in bench.objection(limited, natural_frequency=60.0)
    bench.desired[0][:] = 0.0
    assert bench.states(250.0, 1.0) == ""
    assert bench.objection(limited, natural_frequency=60.0) == ""


def test_a_rate_that_falls_takes_the_natural_frequency_with_it() -> None:
    """The arm is held less stiffly, and all the time."""
    bench = Bench(natural_frequency=60.0)  # needs 232 Hz
    for rate, frequency in ((250.0, 60.0), (116.0, 30.0), (58.0, 15.0), (250.0, 60.0)):
        assert bench.states(rate, 2.0) == ""
        before, bench.warned = bench.commands, False
        assert bench.states(rate, 1.0) == ""
        assert bench.commands == before + rate
        bench.desired[0][:] = 1.0
        assert bench.part.inputs()[0] == pytest.approx([frequency**2] * 2, rel=0.01)
        bench.desired[0][:] = 0.0
        report = Report()
        bench.part.report(report)
        assert report.level == (b"\0" if rate == 250.0 else b"\1")
        assert bench.objection(feed_forward=False, natural_frequency=59.0) == ""
        higher = bench.objection(natural_frequency=64.0)
        assert ("needs joint states at" in higher) == (rate != 250.0)
        assert bench.warned == (rate != 250.0)


def test_states_are_refused_until_gains_are_set_that_they_carry() -> None:
    bench = Bench(natural_frequency=60.0)
    assert "at 100 Hz" in bench.states(100.0, 1.0)
    assert "at 100 Hz" in bench.states(100.0, 1.0)
    bench.node.values = Values({"natural_frequency": 20.0})
    bench.part.changed()
    assert bench.states(100.0, 1.0) == ""


# Measured velocities, as far as positions show them -------------------------------------------

MEASURED = lambda time, velocity: velocity  # noqa: E731


def motion(
    bench: Bench,
    sensor: Callable[[float, float], float],
    wanted: Callable[[float], tuple[float, float, float]],
    rate: float = 250.0,
) -> np.ndarray:
    """Return position, velocity and what is believed of it, [k, 3], of the first joint.

    It accelerates as the law says, one period later; `sensor` is its velocity by its sensor.
    """
    period, before = 1.0 / rate, 0.0
    state, way = bench.node.state, []
    state.position, velocity = np.array([wanted(0.0)[0], 0.0]), np.array([wanted(0.0)[1], 0.0])
    for k in range(round(1.5 * rate)):
        time = k * period
        bench.reader.stamps[:] = round(1e9 * (7.0 + time))
        state.reader.velocity = np.array([sensor(time, velocity[0]), 0.0])
        bench.desired = tuple(np.array([x, 0.0]) for x in wanted(time))
        acceleration = bench.part.inputs()[0][0]
        way.append((state.position[0], velocity[0], state.velocity[0]))
        state.position = state.position + period * velocity
        velocity = velocity + np.array([period * before, 0.0])
        before = acceleration
    return np.array(way)


@pytest.mark.parametrize("rate", [100.0, 250.0, 1000.0])
@pytest.mark.parametrize("false", [3.2, 8.0, -20.0])
@pytest.mark.parametrize(("lasts", "most"), [(0.004, 0.01), (0.1, 0.07), (1.0, 0.13)])
def test_a_false_velocity_of_an_arm_at_rest_moves_it_hardly(
    rate: float, false: float, lasts: float, most: float
) -> None:
    """An arm went 2 rad because its sensor measured 8 rad/s for 0.1 s.

    If that lasts, the error is where stiffness balances 2 damping_ratio natural_frequency times
    the tolerance: 2 * 0.5 / 10 rad.
    """
    sensor = lambda t, v: false if 0.2 <= t < 0.2 + lasts else v  # noqa: E731
    way = motion(Bench(), sensor, lambda t: (0.3, 0.0, 0.0), rate)
    assert np.abs(way[:, 0] - 0.3).max() < most
    assert np.abs(way[:, 1]).max() < 0.7


@pytest.mark.parametrize("rate", [100.0, 250.0, 1000.0])
@pytest.mark.parametrize("frequency", [10.0, 25.0])
def test_true_velocities_of_fast_motion_are_believed(rate: float, frequency: float) -> None:
    """From rest with 10 rad/s^2 at once, and up to 1 rad/s."""
    sine = lambda t: (-0.1 * np.cos(10.0 * t), np.sin(10.0 * t), 10.0 * np.cos(10.0 * t))  # noqa: E731
    way = motion(Bench(natural_frequency=frequency), MEASURED, sine, rate)
    assert np.abs(way[:, 1]).max() > 0.9
    assert np.array_equal(way[:, 1], way[:, 2])


def test_no_velocity_is_believed_to_be_larger_than_measured() -> None:
    """Positions that step do not add one. Another sign it has where a larger one is false only."""
    random = np.random.default_rng(5)
    check = VelocityCheck(np.array([3.0, 0.0, np.inf, 1e-9]), [1])
    for k in range(1000):
        velocity, position = random.normal(size=(2, 4))
        shown = check.checked_velocity(velocity, position, np.full(4, 0.004 * k))
        assert (np.abs(shown) <= np.abs(velocity)).all()
        other = shown * velocity < 0.0
        assert (np.abs(velocity) > np.abs(shown) + 0.05)[other].all()


def test_a_false_velocity_against_a_motion_does_not_hide_it() -> None:
    """3 rad/s against 0.5 for 0.08 s left nothing of it: a Gen3 had 93 rad/s soon after."""
    check = VelocityCheck(np.array([3.0]), [])
    for k in range(60):
        velocity = np.array([-2.5 if k > 40 else 0.5])
        shown = check.checked_velocity(velocity, np.array([0.002 * k]), np.full(1, 0.004 * k))
        assert shown == pytest.approx([0.5]) or k < 3
    assert check.wrong is None


def test_joints_without_a_limit_or_an_end_and_states_without_a_stamp_are_checked() -> None:
    check = VelocityCheck(np.array([0.0, 0.0]), [1])
    for k in range(200):  # the second joint turns, and its angle is wrapped
        time = 0.004 * k
        angle = (3.0 * time + np.pi) % (2.0 * np.pi) - np.pi
        position = np.array([0.1, angle])
        shown = check.checked_velocity(np.array([9.0, 3.0]), position, np.full(2, time))
        assert k == 0 or k == 1 or list(shown) == [MOST_TOLERANCE, 3.0]
    bench = Bench()
    bench.node.state.reader.velocity = np.array([9.0, 0.0])
    assert bench.part.inputs()[0][0] == pytest.approx(-180.0)  # no position before
    assert MODEL.velocity_limit[0] > 0.0


def desired_after(before: float, after: float, most: float = inf, turning: bool = False) -> float:
    """Where a joint shall be that was to be at 1 rad, and was somewhere before and after a gap."""
    motion = DesiredMotion()
    motion.turning = [0] if turning else []
    motion.rest(np.array([1.0]))
    motion.at(0, np.array([before]))
    motion.stay(np.array([after]), most)
    return float(motion.state[0][0])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (0.95, 0.95, 1.0),  # it did not move: the desired position stays
        (0.95, 0.5, 0.55),  # it has been moved: no further from it than before
        (0.7, 0.9, 1.0),  # it has come nearer: not beyond what was asked for
        (0.7, 1.2, 1.0),  # it has gone beyond
        (1.0, 1.3, 1.3),
    ],
)
def test_after_a_gap_the_robot_is_as_far_from_what_is_desired_as_before_at_most(
    before: float, after: float, expected: float
) -> None:
    assert desired_after(before, after) == pytest.approx(expected)


def test_gap_after_gap_takes_nothing_beyond_what_was_asked_for() -> None:
    """The robot moves in each gap, because something else moves it."""
    motion, random = DesiredMotion(), np.random.default_rng(1)
    motion.rest(np.array([1.0]))
    position = np.array([0.5])
    for _ in range(100):
        motion.at(0, position)
        position = position + random.uniform(0.0, 0.2)
        motion.stay(position, inf)
        assert 0.5 <= motion.state[0][0] <= max(1.0, position[0])
        position = motion.state[0] - 0.3


def test_what_was_refused_as_too_far_is_not_carried_over() -> None:
    assert desired_after(0.4, 0.4, most=0.5) == pytest.approx(0.4)


def test_joints_without_end_wrap_their_position_error() -> None:
    assert desired_after(0.9, 0.9 - 2.0 * pi, turning=True) == pytest.approx(1.0 - 2.0 * pi)
