# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What ros2_control_demo.launch.py needs: packages, and a description with mock hardware."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping

CONTROLLERS = {  # by who computes
    "node": ("joint_state_broadcaster", "effort_controller"),
    "cpp": ("joint_state_broadcaster", "gravity_controller"),
}
NEEDED_PACKAGES = {  # packages, and what installs them
    "controller_manager": "ros2-control",
    "hardware_interface": "ros2-control",
    "joint_state_broadcaster": "ros2-controllers",
    "robot_state_publisher": "robot-state-publisher",
}
PACKAGES = {
    "node": {**NEEDED_PACKAGES, "forward_command_controller": "ros2-controllers"},
    "cpp": {**NEEDED_PACKAGES, "dyn_controllers": "dyn-controllers"},
}
PLUGIN = "mock_components/GenericSystem"  # it stays where it is and mirrors commands to states
STATES = ("position", "velocity", "effort")


def with_mock_hardware(description: str, position: Mapping[str, float]) -> str:
    """Return a URDF whose joints ros2_control commands by effort, on hardware that is not there.

    The joints stay at `position` (rad, m), those without one at 0. Joints that follow others have
    no command. Raises ValueError if the URDF has no joint of a name.
    """
    root = ET.fromstring(description)
    joints = [
        joint.get("name", "")
        for joint in root.findall("joint")
        if joint.get("type") != "fixed" and joint.find("mimic") is None
    ]
    unknown = position.keys() - set(joints)
    if unknown:
        raise ValueError(
            f"a position is given for joint '{min(unknown)}', which is not in the description: "
            f"choose among {', '.join(joints)}"
        )
    system = ET.SubElement(root, "ros2_control", name="mock_hardware", type="system")
    ET.SubElement(ET.SubElement(system, "hardware"), "plugin").text = PLUGIN
    for name in joints:
        joint = ET.SubElement(system, "joint", name=name)
        ET.SubElement(joint, "command_interface", name="effort")
        for state in STATES:
            interface = ET.SubElement(joint, "state_interface", name=state)
            initial = position.get(name, 0.0) if state == "position" else 0.0
            ET.SubElement(interface, "param", name="initial_value").text = repr(initial)
    return ET.tostring(root, encoding="unicode")
