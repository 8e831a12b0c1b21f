# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""dynamics.launch.py urdf_file:=…: the nodes for a robot that publishes its joint states."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lifecycle_msgs.msg import State
from ros_helpers import arm
from ros_system import checks
from ros_system.launching import LaunchTestCase, TestExit, dynamics  # noqa: F401

from launch import LaunchDescription

FOLDER = tempfile.TemporaryDirectory()


def generate_test_description() -> LaunchDescription:
    urdf_file = Path(FOLDER.name, "arm.urdf")
    urdf_file.write_text(arm())
    return dynamics(urdf_file=str(urdf_file), autostart="false")


class TestDynamics(LaunchTestCase):
    def test_lifecycle(self) -> None:
        checks.check_lifecycle(self.client, "inverse_dynamics")

    def test_joint_states(self) -> None:
        self.client.be_the_robot()
        self.client.wait_for_state("gravity_compensation", State.PRIMARY_STATE_UNCONFIGURED)
        checks.bring_up(self.client, "gravity_compensation")
        assert any(self.client.torque(["first", "second"], [0.0, 0.0]).effort)
