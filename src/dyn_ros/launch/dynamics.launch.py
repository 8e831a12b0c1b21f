"""Launches the dynamics nodes, for a real robot or with a simulated one.

A robot that runs already, with joint_states and an effort controller:
    ros2 launch dyn_ros dynamics.launch.py command_topic:=/effort_controller/commands
A simulated UR5:
    ros2 launch dyn_ros dynamics.launch.py robot_sim:=true
"""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument
from launch.conditions import IfCondition
from launch.substitutions import (
    AndSubstitution,
    FileContent,
    IfElseSubstitution,
    LaunchConfiguration,
    NotEqualsSubstitution,
    NotSubstitution,
)
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterFile, ParameterValue

from launch import Action, LaunchDescription

CONFIG = Path(get_package_share_directory("dyn_ros"), "config")
RESPAWN_DELAY = 2.0  # s

ARGUMENTS = {
    "namespace": ("", "namespace of all nodes and topics"),
    "use_sim_time": ("false", "take the time from /clock"),
    "params_file": (str(CONFIG / "dynamics.yaml"), "parameters of the nodes"),
    "autostart": ("true", "configure and activate the nodes once there is a description"),
    "use_respawn": ("false", "start a node again that has ended"),
    "log_level": ("info", "debug, info, warn, error or fatal"),
    "urdf_file": (
        "",
        "URDF of the robot; empty: the topic robot_description, or a UR5 for robot_sim",
    ),
    "robot_sim": ("false", "simulate the robot"),
    "composed": ("false", "run all nodes in one process"),
    "command_topic": (
        "",
        "where gravity_compensation sends efforts; empty: robot_sim, or ~/commands without it",
    ),
}

robot_sim = LaunchConfiguration("robot_sim")
composed = LaunchConfiguration("composed")
urdf_file = LaunchConfiguration("urdf_file")
command_topic = LaunchConfiguration("command_topic")
urdf_is_given = NotEqualsSubstitution(urdf_file, "")

DYNAMICS = ("inverse_dynamics", "gravity_compensation")
NODES_IN_ONE_PROCESS = IfElseSubstitution(
    robot_sim, ",".join(("robot_sim", *DYNAMICS)), ",".join(DYNAMICS)
)
COMMAND_TOPIC = IfElseSubstitution(
    NotEqualsSubstitution(command_topic, ""),
    command_topic,
    IfElseSubstitution(robot_sim, "robot_sim/commands", "~/commands"),
)
DESCRIPTION = IfElseSubstitution(
    AndSubstitution(urdf_is_given, NotSubstitution(robot_sim)), FileContent(urdf_file), ""
)
URDF_OF_SIM = IfElseSubstitution(urdf_is_given, urdf_file, str(CONFIG / "robots" / "ur5.urdf"))


def generate_launch_description() -> LaunchDescription:
    """Return arguments and nodes."""
    arguments = [
        DeclareLaunchArgument(name, default_value=default, description=meaning)
        for name, (default, meaning) in ARGUMENTS.items()
    ]
    nodes = [node(name, NotSubstitution(composed)) for name in DYNAMICS]
    return LaunchDescription(
        [
            *arguments,
            node("robot_sim", AndSubstitution(robot_sim, NotSubstitution(composed))),
            *nodes,
            node("composed", composed, "--nodes", NODES_IN_ONE_PROCESS),
        ]
    )


def node(executable: str, condition: object, *arguments: object) -> Action:
    """Return the action that runs an executable if `condition` holds."""
    flags = ("autostart", "use_sim_time")
    parameters = {
        **{flag: ParameterValue(LaunchConfiguration(flag), value_type=bool) for flag in flags},
        "robot_description": ParameterValue(DESCRIPTION, value_type=str),
        "urdf_file": ParameterValue(URDF_OF_SIM, value_type=str),
    }
    to_sim = [("~/commands", COMMAND_TOPIC)]
    return Node(
        package="dyn_ros",
        executable=executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=[
            ParameterFile(LaunchConfiguration("params_file"), allow_substs=True),
            parameters,
        ],
        remappings=[] if executable == "robot_sim" else to_sim,
        arguments=[*arguments, "--ros-args", "--log-level", LaunchConfiguration("log_level")],
        respawn=LaunchConfiguration("use_respawn"),
        respawn_delay=RESPAWN_DELAY,
        output="screen",
        condition=IfCondition(condition),
    )
