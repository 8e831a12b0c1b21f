# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Launches a simulated UR5 that gravity compensation holds; every argument is one of dynamics'.

ros2 launch dyn_ros demo.launch.py
ros2 launch dyn_ros demo.launch.py rviz:=true start_position:="elbow_joint=0.5"
"""

from pathlib import Path

from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

from dyn_ros.demo.pose import START_POSITION
from launch import LaunchDescription

DYNAMICS = Path(__file__).with_name("dynamics.launch.py")
PRESET = {"robot_sim": "true", "start_position": START_POSITION}


def generate_launch_description() -> LaunchDescription:
    """Return dynamics.launch.py with a robot and a position; the user's arguments win."""
    arguments = [
        DeclareLaunchArgument(name, default_value=value, description="see dynamics.launch.py")
        for name, value in PRESET.items()
    ]
    include = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(DYNAMICS)),
        launch_arguments=[(name, LaunchConfiguration(name)) for name in PRESET],
    )
    return LaunchDescription([*arguments, include])
