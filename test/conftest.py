"""Fixtures of the system tests: a domain, a client in it, and processes that end with the test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from ros_helpers import Ros
from ros_system.client import Client
from ros_system.processes import NodeProcess


@pytest.fixture
def ros() -> Iterator[Ros]:
    """A ROS 2 in a domain of this test's own."""
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    ros = Ros()
    yield ros
    ros.close()


@pytest.fixture
def client(ros: Ros) -> Client:
    """A program that watches the robot and calls its services."""
    return Client(ros)


@pytest.fixture
def start(ros: Ros) -> Iterator[Callable[..., NodeProcess]]:
    """Start executables of dyn_ros in the domain of the test; kill what is left at its end."""
    processes: list[NodeProcess] = []

    def start(executable: str, *arguments: str, **options: object) -> NodeProcess:
        processes.append(NodeProcess(executable, ros.domain, *arguments, **options))
        return processes[-1]

    yield start
    for process in processes:
        process.close()
