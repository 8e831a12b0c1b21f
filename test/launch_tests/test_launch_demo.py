# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""demo.launch.py as it is: arguments precede the default parameter file."""

from __future__ import annotations

from lifecycle_msgs.msg import State
from ros_system.launching import LaunchTestCase, TestExit, launch_file  # noqa: F401

from dyn_ros.demo.pose import START_POSITIONS
from launch import LaunchDescription


def generate_test_description() -> LaunchDescription:
    return launch_file("demo.launch.py")


class TestDemo(LaunchTestCase):
    def test_the_robot_comes_and_starts_where_it_shall(self) -> None:
        position = self.client.position()
        first = dict(zip(self.client.state.name, position, strict=True))
        assert {name: round(first[name], 1) for name in START_POSITIONS} == START_POSITIONS
        self.client.wait_for_state("gravity_compensation", State.PRIMARY_STATE_ACTIVE)
