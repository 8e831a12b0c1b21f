# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Who has nothing to look after soon is looked after less often, and never too late."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest
from bench import NAMES, Bench
from called import Called
from ros_helpers import Ros, arm, clock, until
from std_msgs.msg import Float64MultiArray

from dyn_ros.inputs.joint_states import Freshness
from dyn_ros.node.supervision import PERIOD, PERIODS_S, Supervision
from dyn_ros.outputs.command_subscribers import CommandSubscribers


class Watchman:
    """Says for how long all is calm."""

    def __init__(self) -> None:
        self.calm: float | None = None
        self.looks = 0

    def look(self) -> float | None:
        self.looks += 1
        return self.calm


@pytest.mark.wiring
def test_the_most_restless_says_how_often_it_ticks(ros: Ros) -> None:
    first, second = watchmen = Watchman(), Watchman()
    supervision = Supervision(ros.tester, [x.look for x in watchmen])
    ros.start()

    def period() -> float:
        before = second.looks
        until(lambda: second.looks > before + 1)
        return supervision._timer.timer_period_ns / 1e9

    assert period() == PERIOD
    first.calm = inf
    assert period() == PERIOD
    second.calm = inf
    assert period() == PERIODS_S[0]
    for calm in (1.0, 0.1, 0.05, -1.0):
        first.calm = calm
        assert period() <= max(calm, PERIOD)
    second.calm = None
    assert period() == PERIOD


def test_joint_states_that_stop_are_noticed_though_the_timer_has_slowed_down(
    called: Called,
) -> None:
    bench = Bench(called, robot_description=arm(), joint_state_timeout=0.3)
    bench.connect(NAMES)
    bench.answer(NAMES, [0.1, 0.1])
    supervision = bench.node.supervision
    until(lambda: bench.send(NAMES, [0.1, 0.1]) and supervision._now > PERIOD)
    bench.report("no usable joint state")
    until(lambda: supervision._now == PERIOD)


def test_who_takes_the_place_of_a_listener_to_commands_is_seen_at_the_next_state(
    called: Called,
) -> None:
    """Though there are as many as before, and nobody looks otherwise."""
    bench = Bench(called, robot_description=arm())
    bench.connect(NAMES)
    node, subscribers = bench.node, bench.node.part(CommandSubscribers)
    commands = f"{node.get_name()}/commands"

    def listen() -> Any:
        number = node.count_subscribers(commands)
        listener = called.tester.create_subscription(Float64MultiArray, commands, print, 10)
        until(lambda: node.count_subscribers(commands) == number + 1)
        return listener

    listener = listen()
    until(lambda: bench.answer(NAMES, [0.1, 0.1]) and not subscribers.has_newcomer(clock().now()))
    node.supervision.end()
    before = subscribers.come
    called.tester.destroy_subscription(listener)
    until(lambda: node.count_subscribers(commands) == 1)
    listen()
    bench.answer(NAMES, [0.1, 0.1])
    assert subscribers.come == before + 1


def test_time_that_is_left_ends_when_samples_are_stale() -> None:
    state = Freshness()
    state.set(0.1, 1, 0.0)
    state.start(0.0)
    assert state.left(0.0) is None  # no sample yet: nobody knows
    state.accept(1.0)
    assert state.left(1.04) == pytest.approx(0.06)
    left = state.left(1.0)
    assert left is not None
    assert not state.expire(1.0 + 0.999 * left)
    assert state.expire(1.0 + 1.001 * left)
    assert state.left(1.2) is None
