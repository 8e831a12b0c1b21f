# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Gains that the rate of joint states cannot carry are refused, before and while they are used."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_two_link import ARM

import dyn_core
from dyn_ros.clock import ManualClock
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Values
from dyn_ros.outputs.computed_torque_law import Tracking
from dyn_ros.outputs.effort_commands import EffortCommands
from dyn_ros.tracking.gains import DELAY_MARGIN, StateRate, excess, needed_rate

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


class Bench:
    """The part of tracking, its states at a rate, beside parts that note what they are asked."""

    def __init__(self, **values: Any) -> None:
        self.time, self.commands, self.waits, self.warned = 0.0, 0, "", False
        self.desired = np.zeros(2), np.zeros(2), np.zeros(2)
        self.values = Values(values)
        rest = np.zeros(2)
        clock = SimpleNamespace(
            ros_time_is_active=True, now=lambda: SimpleNamespace(nanoseconds=1e9 * self.time)
        )
        self.node: Any = SimpleNamespace(
            clock=ManualClock(),
            values=self.values,
            get_clock=lambda: clock,
            part=lambda kind: self.output if kind is EffortCommands else self.trajectory,
            state=SimpleNamespace(
                position=rest,
                velocity=rest,
                reader=SimpleNamespace(velocity=rest.copy(), age=0.0),
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
        self.part = Tracking(self.node)
        self.part.install(MODEL)
        self.part.start()

    def _publish(self, *_: Any, **__: Any) -> None:
        self.commands += 1

    def states(self, rate: float, seconds: float) -> str:
        """Let states come; return why one was refused, empty if none was."""
        for _ in range(round(rate * seconds)):
            self.time += 1.0 / rate
            try:
                self.part.inputs()
                self.part.command()
            except InputRefusedError as refusal:
                return f"{refusal.reason}: {refusal}"
        return ""

    def objection(self, **values: Any) -> str:
        """Why a change of parameters is refused, empty if it is not."""
        try:
            self.part.check(MODEL, self.values.replaced(values))
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
        assert bench.warned == (rate != 250.0)


def test_states_are_refused_until_gains_are_set_that_they_carry() -> None:
    bench = Bench(natural_frequency=60.0)
    assert "at 100 Hz" in bench.states(100.0, 1.0)
    assert "at 100 Hz" in bench.states(100.0, 1.0)
    bench.node.values = Values({"natural_frequency": 20.0})
    bench.part.changed()
    assert bench.states(100.0, 1.0) == ""
