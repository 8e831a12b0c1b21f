# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Launches the dynamics nodes, for a real robot or with a simulated one.

A robot that runs already, with joint_states and an effort controller:
    ros2 launch dyn_ros dynamics.launch.py command_topic:=/effort_controller/commands
A simulated UR5:
    ros2 launch dyn_ros dynamics.launch.py robot_sim:=true
A robot under ros2_control, gravity compensated in its controller manager:
    ros2 launch dyn_ros dynamics.launch.py controller:=cpp
"""

from os import getpid
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_directory, get_packages_with_prefixes
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnShutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode, Node
from launch_ros.parameter_descriptions import ParameterFile, ParameterValue

from dyn_ros.launch_arguments import (
    BOOLEANS,
    CONTROLLER,
    CONTROLLER_PACKAGES,
    CONTROLLER_TYPE,
    LOG_LEVELS,
    SIM,
    VIEWER_PACKAGES,
    chosen_nodes,
    nodes_beside_controller,
    read_description,
    read_flag,
    refuse_absent_file,
    refuse_missing_packages,
    refuse_without_effect,
    shutdown_time,
    warn_of_misspelt,
)
from dyn_ros.process.signals import LAUNCHER_VARIABLE
from dyn_ros.registry import NODES, USUAL_NODES, connections, refuse_competing
from launch import Action, LaunchContext, LaunchDescription

CONFIG = Path(get_package_share_directory("dyn_ros"), "config")
UR5 = str(CONFIG / "robots" / "ur5.urdf")
RESPAWN_DELAY = 2.0  # s
WITH_LAUNCH = {LAUNCHER_VARIABLE: str(getpid())}

ARGUMENTS = {
    "namespace": ("", "namespace of all nodes and topics"),
    "use_sim_time": ("false", f"use the time of /clock, which {SIM} publishes"),
    "params_file": (str(CONFIG / "dynamics.yaml"), "YAML file of parameters"),
    "autostart": ("true", "configure and activate the nodes once there is a description"),
    "use_respawn": ("false", "restart a node that has ended"),
    "log_level": ("info", f"one of {', '.join(LOG_LEVELS)}"),
    "robot_description": ("", "URDF text of the robot, in place of urdf_file"),
    "urdf_file": (
        "",
        "URDF file of the robot, or a .xacro file; empty: the topic robot_description, or "
        f"a UR5 for {SIM}",
    ),
    "xacro_args": ("", "arguments of a xacro file: 'name:=value name:=value'"),
    "nodes": (
        ",".join(name for name in USUAL_NODES if name != SIM),
        f"nodes to start, separated by commas, of {', '.join(NODES)}",
    ),
    SIM: ("false", f"start {SIM} too"),
    "start_position": (
        "",
        f"start position of {SIM}: 'joint=position, joint=position' in rad or m, or a state of its "
        "srdf_file; empty: as in params_file",
    ),
    "controller": (
        "node",
        "source of gravity efforts: node, gravity_compensation; cpp, the controller of "
        f"dyn_controllers, started as {CONTROLLER} in the running controller manager with the "
        "parameters of that section of params_file",
    ),
    "composed": ("false", "run all nodes in one process"),
    "command_topic": (
        "",
        f"topic of effort commands; empty: {SIM}'s, or ~/commands of each node without {SIM}",
    ),
    "trajectory_topic": (
        "",
        "topic of ik's motion; empty: computed_torque's if that is started, or ~/joint_trajectory "
        "of ik",
    ),
    "view": ("false", "show the robot in the browser, at http://127.0.0.1:8080 if that is free"),
    "rviz": ("false", "show the robot in RViz: needs the packages rviz2 and robot_state_publisher"),
}


def generate_launch_description() -> LaunchDescription:
    """Return arguments and nodes."""
    arguments = [
        DeclareLaunchArgument(name, default_value=default, description=meaning)
        for name, (default, meaning) in ARGUMENTS.items()
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=create_actions)])


def create_actions(context: LaunchContext) -> list[Action]:
    """Return what the arguments ask for."""
    warn_of_misspelt(context.launch_configurations, ARGUMENTS)
    values = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    flags = {
        name: read_flag(name, values[name])
        for name, (default, _) in ARGUMENTS.items()
        if default in BOOLEANS
    }
    names = chosen_nodes(values["nodes"], flags[SIM])
    if values["command_topic"] or SIM in names:
        refuse_competing(names)
    refuse_absent_file("params_file", values["params_file"])
    refuse_without_effect(values, simulated=SIM in names)
    in_manager = values["controller"] == "cpp"
    if in_manager:
        names = nodes_beside_controller(names, values["command_topic"])
        refuse_missing_packages(
            "controller:=cpp", CONTROLLER_PACKAGES, get_packages_with_prefixes()
        )
    if flags["rviz"]:
        refuse_missing_packages("rviz:=true", VIEWER_PACKAGES, get_packages_with_prefixes())
    description = read_description(values, usual=UR5 if SIM in names else "")
    file = own_file(values, flags, names, description)
    create = NodeOptions(values, flags, names, file)
    if flags["composed"] and names:
        nodes = [Node(**create("composed", names, "--nodes", ",".join(names)))]
    else:
        nodes = [LifecycleNode(name=name, **create(name, [name])) for name in names]
    tidy = RegisterEventHandler(OnShutdown(on_shutdown=lambda *_: file.unlink(missing_ok=True)))
    if in_manager:
        nodes.append(controller_spawner(values, file))
    if flags["view"]:
        nodes.append(browser_view(values, flags))
    return [tidy, *nodes, *(viewers(values, description) if flags["rviz"] else [])]


class NodeOptions:
    """What the actions that run executables of the suite have in common."""

    def __init__(
        self, values: dict[str, str], flags: dict[str, bool], names: list[str], file: Path
    ) -> None:
        """Take the values of the arguments, the names of all nodes and the file of `own_file`."""
        self._values, self._flags, self._file = values, flags, file
        topics = values["command_topic"], values["trajectory_topic"]
        self._connections = connections(names, *topics)
        self._shutdown_time = str(shutdown_time(values["params_file"]))

    def __call__(self, executable: str, names: list[str], *arguments: str) -> dict[str, Any]:
        """Return the options of an executable with the nodes `names` in it."""
        return {
            "package": "dyn_ros",
            "executable": executable,
            "namespace": self._values["namespace"],
            "parameters": [
                ParameterFile(self._values["params_file"], allow_substs=True),
                ParameterFile(str(self._file)),
            ],
            "remappings": [x for x in self._connections if x[0].partition(":")[0] in names],
            "arguments": [*arguments, "--ros-args", "--log-level", self._values["log_level"]],
            "respawn": self._flags["use_respawn"],
            "respawn_delay": RESPAWN_DELAY,
            "additional_env": WITH_LAUNCH,
            "output": "screen",
            "sigterm_timeout": self._shutdown_time,
            "sigkill_timeout": self._shutdown_time,
        }


def controller_spawner(values: dict[str, str], file: Path) -> Node:
    """Return what loads and activates the controller; `file` names its type."""
    files = [values["params_file"], str(file)]
    return Node(
        package="controller_manager",
        executable="spawner",
        namespace=values["namespace"],
        arguments=[CONTROLLER, *(word for path in files for word in ("--param-file", path))],
        output="screen",
    )


def browser_view(values: dict[str, str], flags: dict[str, bool]) -> Node:
    """Return the program that shows the robot in the browser."""
    return Node(
        package="dyn_ros",
        executable="view",
        namespace=values["namespace"],
        parameters=[
            ParameterFile(values["params_file"], allow_substs=True),
            {"use_sim_time": flags["use_sim_time"]},
        ],
        additional_env=WITH_LAUNCH,
        output="screen",
    )


def own_file(
    values: dict[str, str], flags: dict[str, bool], names: list[str], description: str
) -> Path:
    """Write the parameters that the arguments give into a file for all nodes; return its path.

    Each node has a section there: a section for all would yield to what params_file says of one.
    The simulator publishes the description for the others.
    """
    sections: dict[str, dict[str, Any]] = {}
    for name in names:
        own: dict[str, Any] = {flag: flags[flag] for flag in ("autostart", "use_sim_time")}
        if description and (name == SIM or SIM not in names):
            own["robot_description"] = description
        if values["start_position"] and name == SIM:
            own["start_position"] = values["start_position"]
        sections[f"/**/{name}"] = {"ros__parameters": own}
    controller = {"type": CONTROLLER_TYPE, "codegen_command": ["dyn-core"]}  # without a kernel
    sections[f"/**/{CONTROLLER}"] = {"ros__parameters": controller}
    with NamedTemporaryFile("w", prefix="dyn_ros_", suffix=".yaml", delete=False) as file:
        yaml.safe_dump(sections, file)
    return Path(file.name)


def viewers(values: dict[str, str], description: str) -> list[Node]:
    """Return RViz, and a robot_state_publisher unless the robot has one."""
    common = {"namespace": values["namespace"], "output": "screen"}
    rviz = Node(
        package="rviz2",
        executable="rviz2",
        arguments=["-d", str(CONFIG / "dynamics.rviz")],
        **common,
    )
    if not description:
        return [rviz]
    text = ParameterValue(description, value_type=str)
    transforms = Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        parameters=[{"robot_description": text}],
        **common,
    )
    return [transforms, rviz]
