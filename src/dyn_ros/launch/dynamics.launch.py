"""Launches the dynamics nodes, for a real robot or with a simulated one.

A robot that runs already, with joint_states and an effort controller:
    ros2 launch dyn_ros dynamics.launch.py command_topic:=/effort_controller/commands
A simulated UR5:
    ros2 launch dyn_ros dynamics.launch.py robot_sim:=true
"""

from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnShutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterFile, ParameterValue

from dyn_core.formats.xacro_text import expand_xacro, is_xacro
from dyn_ros.registry import NODES, USUAL_NODES, refuse_rivals
from launch import Action, LaunchContext, LaunchDescription

CONFIG = Path(get_package_share_directory("dyn_ros"), "config")
SIM = "robot_sim"
UR5 = str(CONFIG / "robots" / "ur5.urdf")
RESPAWN_DELAY = 2.0  # s
FLAG = {"true": True, "false": False, "1": True, "0": False}

ARGUMENTS = {
    "namespace": ("", "namespace of all nodes and topics"),
    "use_sim_time": ("false", f"take the time from /clock, which {SIM} publishes then"),
    "params_file": (str(CONFIG / "dynamics.yaml"), "parameters of the nodes"),
    "autostart": ("true", "configure and activate the nodes once there is a description"),
    "use_respawn": ("false", "start a node again that has ended"),
    "log_level": ("info", "debug, info, warn, error or fatal"),
    "robot_description": ("", "URDF text of the robot, in place of urdf_file"),
    "urdf_file": (
        "",
        "URDF of the robot, or xacro if its name ends so; empty: the topic robot_description, or "
        f"a UR5 for {SIM}",
    ),
    "xacro_args": ("", "for a xacro file: 'name:=value name:=value'"),
    "nodes": (
        ",".join(name for name in USUAL_NODES if name != SIM),
        f"which nodes to start, of {', '.join(NODES)}",
    ),
    SIM: ("false", f"simulate the robot: {SIM} is one of the nodes"),
    "start_position": (
        "",
        f"where {SIM} starts: 'joint=position, joint=position' in rad or m, or a state of its "
        "srdf_file; empty: as params_file says",
    ),
    "composed": ("false", "run all nodes in one process"),
    "command_topic": (
        "",
        f"where efforts are sent to; empty: to {SIM}, or ~/commands of each node without it",
    ),
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
    values = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    flags = {
        name: read_flag(name, values[name])
        for name, (default, _) in ARGUMENTS.items()
        if default in FLAG
    }
    names = chosen_nodes(values["nodes"], flags[SIM])
    if values["command_topic"] or SIM in names:
        refuse_rivals(names)
    description = read_description(values, simulated=SIM in names)
    file = own_file(values, flags, names, description)
    create = NodeFactory(values, flags, names, file)
    if flags["composed"]:
        nodes = [create("composed", names, "--nodes", ",".join(names))]
    else:
        nodes = [create(name, [name]) for name in names]
    tidy = RegisterEventHandler(OnShutdown(on_shutdown=lambda *_: file.unlink(missing_ok=True)))
    return [tidy, *nodes, *(viewers(values, description) if flags["rviz"] else [])]


def read_flag(name: str, text: str) -> bool:
    """Return the value of an argument that is true or false."""
    if text.lower() not in FLAG:
        raise ValueError(f"argument {name} is '{text}': say true or false")
    return FLAG[text.lower()]


def chosen_nodes(text: str, robot_sim: bool) -> list[str]:
    """Return the nodes to start, in the order of the registry."""
    chosen = {name.strip() for name in text.split(",") if name.strip()}
    unknown = chosen - set(NODES)
    if unknown:
        raise ValueError(f"argument nodes names '{min(unknown)}': choose among {', '.join(NODES)}")
    return [name for name in NODES if name in chosen or (name == SIM and robot_sim)]


def read_description(values: dict[str, str], *, simulated: bool) -> str:
    """Return the URDF text that the arguments give; empty: that of the topic."""
    path = values["urdf_file"]
    if values["robot_description"] or not (path or simulated):
        return values["robot_description"]
    if is_xacro(path):
        pairs = (word.partition(":=") for word in values["xacro_args"].split())
        return expand_xacro(path, {name: value for name, _, value in pairs})
    try:
        return Path(path or UR5).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"urdf_file '{path}' cannot be read: {error}") from error


class NodeFactory:
    """Creates the actions that run executables of the suite with the arguments' values."""

    def __init__(
        self, values: dict[str, str], flags: dict[str, bool], names: list[str], file: Path
    ) -> None:
        """Take the values of the arguments, the names of all nodes and the file of `own_file`."""
        self._values, self._flags, self._file = values, flags, file
        self._simulated = SIM in names

    def __call__(self, executable: str, names: list[str], *arguments: str) -> Node:
        """Return the action that runs an executable with the nodes `names` in it."""
        return Node(
            package="dyn_ros",
            executable=executable,
            namespace=self._values["namespace"],
            parameters=[
                ParameterFile(self._values["params_file"], allow_substs=True),
                ParameterFile(str(self._file)),
            ],
            remappings=self._remappings(names),
            arguments=[*arguments, "--ros-args", "--log-level", self._values["log_level"]],
            respawn=self._flags["use_respawn"],
            respawn_delay=RESPAWN_DELAY,
            output="screen",
        )

    def _remappings(self, names: list[str]) -> list[tuple[str, str]]:
        topic = self._values["command_topic"] or (f"{SIM}/commands" if self._simulated else "")
        return [(f"{name}:~/commands", topic) for name in names if name != SIM] if topic else []


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
    with NamedTemporaryFile("w", prefix="dyn_ros_", suffix=".yaml", delete=False) as file:
        yaml.safe_dump(sections, file)
    return Path(file.name)


def viewers(values: dict[str, str], description: str) -> list[Node]:
    """Return RViz, and what tells it where the links are unless the robot brings that along."""
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
