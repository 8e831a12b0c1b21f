# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""dynamics.launch.py nodes:=inverse_dynamics for a robot whose base floats."""

from __future__ import annotations

import unittest

import launch_testing
from launch_testing.asserts import assertExitCodes
from ros_system import checks
from ros_system.launching import LaunchTestCase, dynamics
from ros_system.processes import CONFIG, QUADRUPED

from dyn_ros.process.domain import DomainReservation
from launch import LaunchDescription

RESERVATION = DomainReservation()


def generate_test_description() -> LaunchDescription:
    return dynamics(
        RESERVATION,
        urdf_file=str(QUADRUPED),
        params_file=str(CONFIG / "quadruped.yaml"),
        nodes="inverse_dynamics",
    )


class TestDynamics(LaunchTestCase):
    reservation = RESERVATION

    def test_services_agree_with_pinocchio(self) -> None:
        checks.check_services_agree_with_pinocchio(self.client, QUADRUPED, floating=True)


@launch_testing.post_shutdown_test()
class TestExit(unittest.TestCase):
    def test_all_ended_cleanly(self, proc_info: object) -> None:
        assertExitCodes(proc_info)
