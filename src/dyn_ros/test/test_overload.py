# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A process that gets its processor late: what it commands stays within its limits all the same."""

from __future__ import annotations

from time import monotonic, sleep

import numpy as np
from bench import NAMES, Bench
from ros_helpers import Ros, arm, until

from dyn_ros.outputs.effort_commands import EffortCommands

RATE = 50.0  # N m/s
INTERRUPTED = 0.01  # s


def test_no_command_leaps_where_the_process_was_interrupted_before_it_was_sent(ros: Ros) -> None:
    """Two commands leave it right after each other then: one was late, the next is in time."""
    bench = Bench(ros, robot_description=arm(), **{"limits.effort_rate": RATE})
    bench.connect()
    bench.answer(NAMES, [0.0, 0.0])
    until(lambda: bench.commands)
    ros.settle()
    part = bench.node.part(EffortCommands)
    give_out, sent = part._give_out, []

    def late(message: bytes) -> None:
        """Publish; every other time the process is interrupted before."""
        sleep(INTERRUPTED * (len(sent) % 2))
        sent.append(monotonic())
        give_out(message)

    part._give_out = late
    count = len(bench.commands)
    for k in range(30):
        bench.answer(NAMES, [0.0, 2.0 * (k // 5 % 2)])
    until(lambda: len(bench.commands) >= count + len(sent))
    ros.settle()
    commands = np.array([x.data for x in bench.commands[-len(sent) :]])
    changes = np.abs(np.diff(commands, axis=0)).max(axis=1)
    assert changes.max() > 0.1
    assert (changes <= RATE * np.diff(sent) + 1e-9).all()
