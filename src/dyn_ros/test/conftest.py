# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Fixtures: an isolated ROS 2 for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from called import Called, CalledServer, done
from ros_helpers import Ros, stepped

from dyn_ros.inputs import joint_states
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.nodes import cop_filter, walk_plan
from dyn_ros.outputs import feedback
from dyn_ros.services import trajectory_action


@pytest.fixture(scope="session", autouse=True)
def isolated_computer() -> None:
    """Keep the tests to themselves."""
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"


@pytest.fixture
def ros() -> Iterator[Ros]:
    """A ROS 2 of this test's own; the test calls start() when its nodes are there."""
    ros = Ros()
    yield ros
    ros.close()


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> Iterator[Called]:
    """Nodes without DDS, whose time stands still but while the test waits."""
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF")
    monkeypatch.setattr(ThreadPoolExecutor, "submit", lambda _, *work: done(*work))
    monkeypatch.setattr(trajectory_action, "Server", CalledServer)
    called = Called()
    stepped.append(called.clock)
    yield called
    stepped.clear()
    called.close()


@pytest.fixture
def no_plausible_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nodes compute with states that no robot can have, as far as they are finite."""
    expect = JointStateReader.expect
    monkeypatch.setattr(JointStateReader, "expect", lambda reader, _: expect(reader, None))


@pytest.fixture
def never_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let joint states need a minute to settle after a loss."""
    monkeypatch.setattr(joint_states, "SETTLE_S", 60.0)


@pytest.fixture
def settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the first joint state after a loss be followed."""
    monkeypatch.setattr(joint_states, "SETTLE_COUNT", 1)
    monkeypatch.setattr(joint_states, "SETTLE_S", 0.0)


class EnoughStates:
    """A rate of joint states that carries all gains, and needs no time to be measured."""

    hertz = held = 1e9

    def add(self, now: float, timeout: float, age: float) -> bool:
        return False


@pytest.fixture
def enough_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let laws of feedback use all gains at once: states come as the test sends them."""
    monkeypatch.setattr(feedback, "StateRate", EnoughStates)


@pytest.fixture
def short_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let walks be short, and of few samples."""
    monkeypatch.setattr(walk_plan, "REST_S", 0.5)
    monkeypatch.setattr(walk_plan, "PERIOD_S", 0.01)
    monkeypatch.setattr(cop_filter, "PERIOD_S", 0.01)
