# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A node that is configured and cleaned up again and again takes no more than it took at first.

LONG_TESTS=1 takes every node through a thousand cycles.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from called import Called
from lifecycle_msgs.msg import State
from rclpy.logging import LoggingSeverity, set_logger_level
from ros_helpers import Ros, arm

from dyn_ros.nodes.computed_torque import ComputedTorqueNode
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.registry import NODES, node_class

WARM, CYCLES = 200, 1000
PAGE = os.sysconf("SC_PAGE_SIZE") // 1024  # KiB
ALLOWED = 512  # KiB in CYCLES cycles; 80 bytes that a cycle leaves behind are 80 000


class Taken(NamedTuple):
    """What the process holds."""

    memory: int  # KiB
    threads: int
    files: int


def taken() -> Taken:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Taken(pages * PAGE, threading.active_count(), len(os.listdir("/proc/self/fd")))


def cycle(node: Any) -> None:
    node.trigger_configure()
    node.trigger_activate()
    assert node.active
    node.trigger_deactivate()
    node.trigger_cleanup()


def leaves_nothing_behind(node: Any) -> None:
    set_logger_level(node.get_logger().name, LoggingSeverity.FATAL)  # for the whole process
    try:
        for _ in range(WARM):
            cycle(node)
        before = taken()
        for _ in range(CYCLES):
            cycle(node)
        after = taken()
    finally:
        set_logger_level(node.get_logger().name, LoggingSeverity.UNSET)
    assert after.threads == before.threads
    assert after.files == before.files
    assert after.memory - before.memory < ALLOWED


def test_a_thousand_cycles_leave_nothing_behind(ros: Ros) -> None:
    leaves_nothing_behind(ros.create(GravityCompensation, robot_description=arm()))


@pytest.mark.skipif(os.environ.get("LONG_TESTS") != "1", reason="minutes: LONG_TESTS=1 asks for it")
@pytest.mark.parametrize("name", [name for name in NODES if name != "cop_filter"])  # not for arms
def test_a_thousand_cycles_of_every_node_leave_nothing_behind(ros: Ros, name: str) -> None:
    leaves_nothing_behind(ros.create(node_class(name), robot_description=arm()))


def state(node: Any) -> int:
    return int(node._state_machine.current_state[0])


HOOKS = ["check", "install", "open", "start", "stop", "close", "report"]


@pytest.mark.parametrize("hook", HOOKS)
def test_a_part_that_fails_ends_in_unconfigured_and_the_node_works_again(
    called: Called, hook: str
) -> None:
    """Error processing closes all other parts; nothing stays open."""
    node = called.create(ComputedTorqueNode, robot_description=arm())
    cycle(node)
    files = taken().files
    part = node.parts[len(node.parts) // 2]
    healthy = getattr(part, hook)

    def fail(*arguments: Any) -> None:
        raise RuntimeError(f"{hook} fails")

    setattr(part, hook, fail)
    node.trigger_configure()
    if node.configured:
        node.trigger_activate()
    if node.active:
        node.trigger_deactivate()
    if state(node) == State.PRIMARY_STATE_INACTIVE:
        node.trigger_cleanup()
    setattr(part, hook, healthy)
    if state(node) == State.PRIMARY_STATE_FINALIZED:
        assert hook == "close"  # what could not be closed cannot be opened again
        return
    assert state(node) == State.PRIMARY_STATE_UNCONFIGURED
    cycle(node)
    assert taken().files == files
