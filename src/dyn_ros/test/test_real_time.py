# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Real-time priority: what the system grants takes effect, is reported, and is given back."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from ros_helpers import Ros, arm

from dyn_ros.node import real_time
from dyn_ros.node.real_time import RealTime, fast_threads
from dyn_ros.node.report import Report
from dyn_ros.nodes.mass_matrix import MassMatrix


def granted() -> bool:
    """Whether this user may ask for a priority."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        return False
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return True


def policies() -> set[tuple[int, int]]:
    """Policy and priority of the threads that have to be fast."""
    found = set()
    for thread in fast_threads():
        with suppress(ProcessLookupError):  # it has ended since it was found
            policy = os.sched_getscheduler(thread) & ~os.SCHED_RESET_ON_FORK
            found.add((policy, os.sched_getparam(thread).sched_priority))
    return found


def report_of(node: Any) -> Report:
    report = Report()
    node.part(RealTime).report(report)
    return report


@pytest.fixture
def node(ros: Ros) -> Iterator[Any]:
    """A node that asks for everything; its transitions run in this thread."""
    asked = {"real_time_priority": 3, "robot_description": arm()}
    node = MassMatrix(
        context=ros.context,
        parameter_overrides=[Parameter(name, value=value) for name, value in asked.items()],
    )
    yield node
    node.destroy_node()


@pytest.mark.wiring
def test_what_is_granted_holds_until_cleanup(node: Any) -> None:
    if not granted():
        pytest.skip("this user may not ask for a real-time priority")
    waiting = threading.Event()
    other = threading.Thread(target=waiting.wait)
    other.start()
    try:
        assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert policies() == {(os.SCHED_FIFO, 3)}
        assert os.sched_getscheduler(other.native_id) == os.SCHED_OTHER  # as one that compiles
        assert not gc.isenabled()
        assert "priority 3" in report_of(node).values["real_time"]
    finally:
        node.trigger_cleanup()
        waiting.set()
        other.join()
    assert policies() == {(os.SCHED_OTHER, 0)}
    assert gc.isenabled()


@pytest.mark.wiring
def test_what_is_not_granted_is_reported_and_the_node_works(
    node: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    for name in ("set_priority", "lock_memory"):
        monkeypatch.setattr(real_time, name, refuse)
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    report = report_of(node)
    assert report.values["real_time"] == "no garbage collection"
    words = "priority 3 is not granted, Operation not permitted: docs/real_time.md"
    assert words in " ".join(report.messages)
    monkeypatch.undo()
    node.trigger_cleanup()
