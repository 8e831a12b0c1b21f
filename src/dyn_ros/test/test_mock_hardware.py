# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What ros2_control_demo.launch.py gives to ros2_control."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import yaml
from ros_helpers import UR5

import dyn_core
from dyn_ros.demo.mock_hardware import with_mock_hardware
from dyn_ros.demo.pose import START_POSITIONS

CONTROLLERS = UR5.parents[1] / "ros2_control_demo.yaml"


def test_every_joint_takes_efforts_and_starts_at_its_position() -> None:
    text = with_mock_hardware(UR5.read_text(), START_POSITIONS)
    system = ET.fromstring(text).find("ros2_control")
    assert system is not None
    found = {}
    for joint in system.findall("joint"):
        assert [one.get("name") for one in joint.findall("command_interface")] == ["effort"]
        states = {
            one.get("name"): one.findtext("param") for one in joint.findall("state_interface")
        }
        assert states.keys() == {"position", "velocity", "effort"}
        found[joint.get("name", "")] = float(states["position"] or "nan")
    names = dyn_core.Model.from_urdf(text).dof_names  # it is still a robot
    assert found == {name: START_POSITIONS.get(name, 0.0) for name in names}


def test_the_controller_has_the_joints_of_the_model_in_its_order() -> None:
    """gravity_compensation sends as many numbers as the model has joints, in its order."""
    file = yaml.safe_load(CONTROLLERS.read_text())
    names = dyn_core.Model.from_urdf(UR5).dof_names
    assert file["effort_controller"]["ros__parameters"]["joints"] == list(names)
    assert file["effort_controller"]["ros__parameters"]["interface_name"] == "effort"
