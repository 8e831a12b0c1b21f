# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""dynamics.launch.py nodes:=inverse_dynamics for a robot whose base floats."""

from __future__ import annotations

from ros_system import checks
from ros_system.launching import LaunchTestCase, TestExit, dynamics  # noqa: F401
from ros_system.processes import CONFIG, QUADRUPED

from launch import LaunchDescription


def generate_test_description() -> LaunchDescription:
    return dynamics(
        urdf_file=str(QUADRUPED),
        params_file=str(CONFIG / "quadruped.yaml"),
        nodes="inverse_dynamics",
    )


class TestDynamics(LaunchTestCase):
    def test_services_agree_with_pinocchio(self) -> None:
        checks.check_services_agree_with_pinocchio(self.client, QUADRUPED, floating=True)
