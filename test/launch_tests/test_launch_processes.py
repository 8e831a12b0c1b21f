# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""dynamics.launch.py robot_sim:=true: a simulated UR5 and each node in a process of its own."""

from __future__ import annotations

from ros_system import checks
from ros_system.launching import LaunchTestCase, TestExit, dynamics  # noqa: F401

from launch import LaunchDescription


def generate_test_description() -> LaunchDescription:
    return dynamics(robot_sim="true")


class TestDynamics(LaunchTestCase):
    def test_1_arm_is_held(self) -> None:
        checks.check_arm_is_held(self.client, seconds=3.0)

    def test_2_services_agree_with_pinocchio(self) -> None:
        checks.check_services_agree_with_pinocchio(self.client)

    def test_3_arm_falls_when_the_node_is_deactivated(self) -> None:
        checks.check_arm_falls_without_node(self.client)
