"""Fixtures: an isolated ROS 2 for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from ros_helpers import Ros

from dyn_ros.domain import DomainReservation, isolate


@pytest.fixture(scope="session", autouse=True)
def isolated_domain() -> Iterator[None]:
    """Keep the tests to themselves: other tests may run on this computer."""
    with DomainReservation() as reservation:
        isolate(os.environ, reservation.domain)
        yield


@pytest.fixture
def ros() -> Iterator[Ros]:
    """A ROS 2 of this test's own; the test calls start() when its nodes are there."""
    ros = Ros()
    yield ros
    ros.close()
