# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""dynamics.launch.py composed:=true robot_sim:=true command_topic:=…: the user's topic wins."""

from __future__ import annotations

from ros_system.launching import LaunchTestCase, TestExit, dynamics  # noqa: F401
from std_msgs.msg import Float64MultiArray

from launch import LaunchDescription


def generate_test_description() -> LaunchDescription:
    return dynamics(
        robot_sim="true",
        composed="true",
        nodes="gravity_compensation",
        command_topic="/relay/commands",
        start_position="elbow_joint=0.5",
    )


class TestDynamics(LaunchTestCase):
    def test_commands_go_to_the_topic_of_the_user(self) -> None:
        self.client.position()
        self.client.ros.tester.declare_parameter("joints", list(self.client.state.name))
        commands = self.client.ros.collect(Float64MultiArray, "/relay/commands")
        self.client.wait(lambda: commands)
        assert self.client.position()
        assert not any(self.client.state.effort)
        assert self.client.ros.tester.count_publishers("/robot_sim/commands") == 0

    def test_it_starts_at_the_position_of_the_user(self) -> None:
        position = dict(zip(self.client.state.name, self.client.position(), strict=True))
        assert position["elbow_joint"] == 0.5
