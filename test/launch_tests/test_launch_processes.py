# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""dynamics.launch.py robot_sim:=true: a simulated UR5 and each node in a process of its own."""

from __future__ import annotations

import unittest

import launch_testing
from launch_testing.asserts import assertExitCodes
from ros_system import checks
from ros_system.launching import LaunchTestCase, dynamics

from dyn_ros.process.domain import DomainReservation
from launch import LaunchDescription

RESERVATION = DomainReservation()


def generate_test_description() -> LaunchDescription:
    return dynamics(RESERVATION, robot_sim="true")


class TestDynamics(LaunchTestCase):
    reservation = RESERVATION

    def test_1_arm_is_held(self) -> None:
        checks.check_arm_is_held(self.client, seconds=3.0)

    def test_2_services_agree_with_pinocchio(self) -> None:
        checks.check_services_agree_with_pinocchio(self.client)

    def test_3_arm_falls_when_the_node_is_deactivated(self) -> None:
        checks.check_arm_falls_without_node(self.client)


@launch_testing.post_shutdown_test()
class TestExit(unittest.TestCase):
    def test_all_ended_cleanly(self, proc_info: object) -> None:
        assertExitCodes(proc_info)
