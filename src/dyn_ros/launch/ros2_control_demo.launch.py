# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Launches ros2_control with mock hardware, and gravity compensation as a node or controller.

ros2 launch dyn_ros ros2_control_demo.launch.py                  # a node and an effort controller
ros2 launch dyn_ros ros2_control_demo.launch.py controller:=cpp  # inside the controller manager
ros2 topic echo /joint_states --field effort        # what the motors are told to give: gravity

Mock hardware does not move; the efforts that it is commanded come back in joint_states.
"""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory, get_packages_with_prefixes
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from dyn_ros.demo.mock_hardware import CONTROLLERS, PACKAGES, with_mock_hardware
from dyn_ros.demo.pose import START_POSITIONS
from dyn_ros.launch_arguments import LOG_LEVELS, refuse_missing_packages
from launch import Action, LaunchContext, LaunchDescription

CONFIG = Path(get_package_share_directory("dyn_ros"), "config")
DYNAMICS = Path(__file__).with_name("dynamics.launch.py")
ARGUMENTS = {
    "controller": (
        "node",
        "source of gravity efforts: node, gravity_compensation of dyn_ros; cpp, the controller of "
        "dyn_controllers",
    ),
    "controllers_file": (str(CONFIG / "ros2_control_demo.yaml"), "parameters of the controllers"),
    "params_file": (
        str(CONFIG / "ros2_control_demo.yaml"),
        "parameters of gravity_compensation",
    ),
    "log_level": ("info", f"one of {', '.join(LOG_LEVELS)}"),
}


def generate_launch_description() -> LaunchDescription:
    """Return arguments and nodes."""
    arguments = [
        DeclareLaunchArgument(name, default_value=default, description=meaning)
        for name, (default, meaning) in ARGUMENTS.items()
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=create_actions)])


def create_actions(context: LaunchContext) -> list[Action]:
    """Return the controller manager with its controllers, and gravity_compensation."""
    who = LaunchConfiguration("controller").perform(context)
    if who not in CONTROLLERS:
        raise ValueError(f"argument controller is '{who}': choose among {', '.join(CONTROLLERS)}")
    refuse_missing_packages("this launch file", PACKAGES[who], get_packages_with_prefixes())
    urdf = (CONFIG / "robots" / "ur5.urdf").read_text(encoding="utf-8")
    description = ParameterValue(with_mock_hardware(urdf, START_POSITIONS), value_type=str)
    publisher = Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        parameters=[{"robot_description": description}],
        output="screen",
    )
    manager = Node(
        package="controller_manager",
        executable="ros2_control_node",
        parameters=[LaunchConfiguration("controllers_file")],
        output="screen",
    )
    spawner = Node(
        package="controller_manager",
        executable="spawner",
        arguments=[*CONTROLLERS[who], "--param-file", LaunchConfiguration("controllers_file")],
        output="screen",
    )
    arguments = {
        "nodes": "gravity_compensation",
        "command_topic": "/effort_controller/commands",
        "params_file": LaunchConfiguration("params_file"),
        "log_level": LaunchConfiguration("log_level"),
    }
    dynamics = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(DYNAMICS)), launch_arguments=arguments.items()
    )
    return [publisher, manager, spawner, *([dynamics] if who == "node" else [])]
