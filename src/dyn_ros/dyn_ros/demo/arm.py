# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The arm of the demo: a UR5 whose joints have friction, as real ones have."""

import xml.etree.ElementTree as ET
from pathlib import Path

from ament_index_python.packages import get_package_share_directory

LARGE_JOINT_LOSSES = {"damping": "20", "friction": "0.5"}  # N m s/rad, N m
SMALL_JOINT_LOSSES = {"damping": "2", "friction": "0.1"}
LARGE_JOINTS = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint")
TOOL = "tool0"


def arm_description() -> str:
    """Return the URDF of the UR5 with friction in its joints."""
    urdf = Path(get_package_share_directory("dyn_ros"), "config", "robots", "ur5.urdf")
    root = ET.parse(urdf).getroot()
    for losses in root.iterfind("joint/dynamics/.."):
        large = losses.get("name") in LARGE_JOINTS
        element = losses.find("dynamics")
        assert element is not None
        element.attrib.update(LARGE_JOINT_LOSSES if large else SMALL_JOINT_LOSSES)
    return ET.tostring(root, encoding="unicode")
