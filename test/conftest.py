# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the system tests: a domain, a client in it, and processes that end with the test."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest
from ros_helpers import Ros
from ros_system.client import Client
from ros_system.processes import NodeProcess

collect_ignore = ["launch_tests"]  # `make test-launch` runs them, without pytest


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


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Remember for the fixtures whether the test has failed."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture
def start(ros: Ros, request: pytest.FixtureRequest) -> Iterator[Callable[..., NodeProcess]]:
    """Start executables of dyn_ros in the domain of the test; kill what is left at its end.

    Prints what they have printed if the test has failed.
    """
    processes: list[NodeProcess] = []

    def start(executable: str, *arguments: str, **options: object) -> NodeProcess:
        processes.append(NodeProcess(executable, ros.domain, *arguments, **options))
        return processes[-1]

    yield start
    failed = request.node.stash.get(FAILED, False)
    for process in processes:
        process.end_if_running()
        if failed:
            print(f"--- {' '.join(process.command)}\n{process.output()}")
        process.close()
