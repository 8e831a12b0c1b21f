# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Fixtures: an isolated ROS 2 for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from ros_helpers import Ros


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
