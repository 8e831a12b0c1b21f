# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Arguments of the launch files: parsing and checks, without importing launch."""

import os
import warnings
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from dyn_core.readers.xacro import expand_xacro, is_xacro, xacro_arguments
from dyn_ros.arguments import file_values, misspelt
from dyn_ros.registry import nodes_named, refuse_competing

SIM = "robot_sim"
BOOLEANS = {"true": True, "false": False, "1": True, "0": False}
LOG_LEVELS = ("debug", "info", "warn", "error", "fatal")
SHUTDOWN_DURATIONS = {"damp.duration": 2.0, "ramp.duration": 0.5}  # s, parameters and defaults
LONGEST_DURATION = 60.0  # s that these may be
DDS_SHUTDOWN = 6.0  # s for the last messages and the end of DDS, see deadline.py, and one to spare
EARLIER = {
    "controllers_file": "write the controller's section into params_file",
    "ignore": "set the parameter ignore in params_file",
    "layouts": "change the names in those of the folder config",
    "real_time_priority": "set the parameter real_time_priority in params_file",
}
"""Arguments of earlier versions, and what to do instead."""

CONTROLLER = "gravity_controller"
"""In the controller manager, in place of the node that it replaces."""

REPLACED = "gravity_compensation"
CONTROLLER_TYPE = "dyn_controllers/GravityCompensation"
CONTROLLER_PACKAGES = {
    "controller_manager": "ros2-control",
    "dyn_controllers": "dyn-controllers",
}
VIEWER_PACKAGES = {"rviz2": "rviz2", "robot_state_publisher": "robot-state-publisher"}


def read_flag(name: str, text: str) -> bool:
    """Return the value of an argument that is true or false."""
    if text.lower() not in BOOLEANS:
        raise ValueError(f"argument {name} is '{text}': write true or false")
    return BOOLEANS[text.lower()]


def chosen_nodes(text: str, robot_sim: bool) -> list[str]:
    """Return the nodes to start, in the order of the registry."""
    return nodes_named("argument nodes", text, *[SIM] * robot_sim)


def nodes_beside_controller(names: Collection[str], command_topic: str) -> list[str]:
    """Return the nodes that run where a controller of ros2_control compensates gravity.

    Raises ValueError if the simulator is one of them, or a node that commands the robot too.
    """
    if SIM in names:
        raise ValueError(
            f"controller:=cpp is for a robot under ros2_control, which {SIM} is not: leave one out"
        )
    if command_topic:
        refuse_competing({REPLACED, *names})
    return [name for name in names if name != REPLACED]


def refuse_without_effect(values: Mapping[str, str], *, simulated: bool) -> None:
    """Raise ValueError if an argument belongs to a node that is not started, or is no log level."""
    if values["start_position"] and not simulated:
        raise ValueError(f"argument start_position is for the node {SIM}: add {SIM}:=true")
    if values["xacro_args"] and (values["robot_description"] or not is_xacro(values["urdf_file"])):
        raise ValueError(
            f"argument xacro_args is given, but urdf_file '{values['urdf_file']}' is no file that "
            "ends in .xacro, or robot_description is used in its place"
        )
    if values["controller"] not in ("node", "cpp"):
        raise ValueError(f"argument controller is '{values['controller']}': choose node or cpp")
    level = values["log_level"]
    if level.rpartition(":=")[2].lower() not in LOG_LEVELS:
        raise ValueError(
            f"argument log_level is '{level}': choose one of {', '.join(LOG_LEVELS)}, or one "
            "logger's, 'NAME:=LEVEL'"
        )


def warn_of_misspelt(given: Iterable[str], known: Collection[str]) -> None:
    """Warn of arguments that nothing reads, whose names are of before or nearly those of known."""
    for name in EARLIER.keys() & set(given):
        warnings.warn(f"argument {name} has no effect: {EARLIER[name]}", stacklevel=2)
    for name, near in misspelt(given, known):
        warnings.warn(f"argument {name} has no effect: is {near} meant?", stacklevel=2)


def refuse_absent_file(name: str, path: str) -> None:
    """Raise ValueError if an argument names a file of parameters that is not there."""
    if not Path(path).is_file():
        raise ValueError(
            f"argument {name} is '{path}', which is no file: give the path of a YAML file of "
            "parameters, such as those in the folder config of dyn_ros"
        )


def shutdown_time(params_file: str) -> float:
    """Return how long, s, a node may take to end with the parameters of a YAML file.

    That is the longest of its SHUTDOWN_DURATIONS, of any node, and DDS_SHUTDOWN.
    """
    ends, seconds = tuple(f".{x}" for x in SHUTDOWN_DURATIONS), list(SHUTDOWN_DURATIONS.values())
    for value in (value for names, value in file_values(params_file) if names.endswith(ends)):
        try:
            seconds.append(float(value))
        except (TypeError, ValueError):  # a substitution of launch
            seconds.append(LONGEST_DURATION)
    return max(seconds) + DDS_SHUTDOWN


def read_description(values: Mapping[str, str], usual: str) -> str:
    """Return the URDF text that the arguments give; empty: that of the topic.

    `usual` is the path where they name no file. Raises ValueError, worded, if it cannot be read.
    """
    if values["robot_description"]:
        return values["robot_description"]
    path = values["urdf_file"] or usual
    if not path:
        return ""
    if is_xacro(path):
        return _expanded(path, xacro_arguments(values["xacro_args"]))
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"urdf_file '{path}' cannot be read: {error}") from error
    if not text.strip():
        raise ValueError(f"urdf_file '{path}' is empty: give a file with a robot's description")
    return text


def _expanded(path: str, arguments: Mapping[str, str]) -> str:
    """Return the URDF of a xacro file; one that asks for none of the arguments is refused."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*asks for no argument", category=UserWarning)
        try:
            return expand_xacro(Path(path).expanduser(), arguments)
        except UserWarning as warning:
            raise ValueError(f"argument xacro_args: {warning}".replace("; ignored", "")) from None


def refuse_missing_packages(
    who: str, packages: Mapping[str, str], installed: Collection[str]
) -> None:
    """Raise RuntimeError if ROS packages are missing that `who` needs.

    `packages` says of each what installs it.
    """
    missing = [name for name in packages if name not in installed]
    if missing:
        distribution = os.environ.get("ROS_DISTRO", "<distribution>")
        sources = dict.fromkeys(f"ros-{distribution}-{packages[name]}" for name in missing)
        raise RuntimeError(
            f"{who} needs the packages {', '.join(missing)}, which are not installed: "
            f"sudo apt install {' '.join(sources)}"
        )
