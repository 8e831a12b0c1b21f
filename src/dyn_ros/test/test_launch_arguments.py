# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the launch files make of their arguments; wrong ones are refused before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyn_ros.inputs.command_settings import CommandSettings
from dyn_ros.launch_arguments import (
    DDS_SHUTDOWN,
    LONGEST_DURATION,
    SHUTDOWN_DURATIONS,
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
    xacro_arguments,
)
from dyn_ros.process.deadline import MAX_SHUTDOWN_S
from dyn_ros.runtime import LONGEST_DELIVERY

XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="mass" default="1"/><link name="base"/>
  <!-- $(arg mass) kg --><link name="of_$(arg mass)_kg"/>
</robot>"""
VALUES = {
    "robot_description": "",
    "urdf_file": "",
    "xacro_args": "",
    "start_position": "",
    "log_level": "info",
    "controller": "node",
}


@pytest.fixture
def xacro_file(tmp_path: Path) -> str:
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(XACRO)
    return str(path)


def test_flags() -> None:
    assert [read_flag("rviz", word) for word in ("True", "1", "false")] == [True, True, False]
    with pytest.raises(ValueError, match="argument rviz is 'maybe': write true or false"):
        read_flag("rviz", "maybe")


def test_a_file_of_parameters_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    with pytest.raises(ValueError, match=f"argument params_file is '{path}', which is no file"):
        refuse_absent_file("params_file", str(path))
    path.touch()
    refuse_absent_file("params_file", str(path))


def test_a_misspelt_argument_is_reported_and_one_of_another_launch_file_is_not() -> None:
    """The launch file that includes ours has its own."""
    with pytest.warns(UserWarning, match="ignore has no effect: set the parameter ignore in"):
        warn_of_misspelt(["ignore"], ["robot_sim"])
    given = ["robot_simm", "robot_smi", "urdf_flie", "robot_sim", "robot_ip"]
    with pytest.warns(UserWarning, match="has no effect") as warned:
        warn_of_misspelt(given, ["robot_sim", "nodes", "urdf_file"])
    assert [str(one.message).partition(": ")[2] for one in warned] == [
        "is robot_sim meant?",
        "is robot_sim meant?",
        "is urdf_file meant?",
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("", 2.0),
        ("/**: {ros__parameters: {damp.duration: 0.1}}", 2.0),
        ("/**: {ros__parameters: {damp.duration: 12}}", 12.0),
        ("arm: {ik: {ros__parameters: {ramp.duration: 30.0}}}", 30.0),
        ("arm: {ik: {ros__parameters: {damp: {duration: 4.0, time_constant: 9.0}}}}", 4.0),
        ("/**/ik: {ros__parameters: {damp.duration: $(var damp)}}", 60.0),
    ],
)
def test_launch_waits_for_the_longest_shutdown_of_its_nodes(
    tmp_path: Path, text: str, seconds: float
) -> None:
    """Its own 5 s until SIGTERM and 5 more until SIGKILL would end a node that still damps."""
    file = tmp_path / "parameters.yaml"
    file.write_text(text)
    assert shutdown_time(str(file)) == seconds + DDS_SHUTDOWN


def test_a_node_ends_within_the_time_that_a_launch_allows() -> None:
    """Durations of the nodes' parameters, and what ends DDS if it hangs."""
    settings = {x.name: x for x in CommandSettings.settings().values()}
    for name, default in SHUTDOWN_DURATIONS.items():
        assert settings[name].default == default
        assert settings[name].limits[1] <= LONGEST_DURATION
    assert MAX_SHUTDOWN_S + LONGEST_DELIVERY < DDS_SHUTDOWN


def test_nodes_come_in_the_order_of_the_registry() -> None:
    names = chosen_nodes("mass_matrix, inverse_dynamics", robot_sim=True)
    assert names == ["robot_sim", "inverse_dynamics", "mass_matrix"]
    with pytest.raises(ValueError, match="argument nodes names 'gravity': choose among"):
        chosen_nodes("gravity", robot_sim=False)


def test_xacro_arguments_reach_the_description(xacro_file: str) -> None:
    values = {**VALUES, "urdf_file": xacro_file, "xacro_args": "mass:=3"}
    assert '"of_3_kg"' in read_description(values, usual="")
    assert xacro_arguments("a:=1 b:='two words' c:=") == {"a": "1", "b": "two words", "c": ""}


@pytest.mark.parametrize(
    ("text", "words"),
    [("mass=3", "has 'mass=3': write name:=value"), ("mas:=3", "asks for no argument 'mas'")],
)
def test_xacro_arguments_that_would_change_nothing_are_refused(
    xacro_file: str, text: str, words: str
) -> None:
    """The robot would have its usual mass, without a warning."""
    values = {**VALUES, "urdf_file": xacro_file, "xacro_args": text}
    with pytest.raises(ValueError, match=words):
        read_description(values, usual="")


def test_the_description_is_text_a_file_the_usual_one_or_none(tmp_path: Path) -> None:
    path = tmp_path / "a.urdf"
    path.write_text("<robot/>")
    values = {**VALUES, "urdf_file": str(path)}
    assert read_description({**values, "robot_description": "<x/>"}, usual="") == "<x/>"
    assert read_description(values, usual="") == "<robot/>"
    assert read_description(VALUES, usual=str(path)) == "<robot/>"
    assert read_description(VALUES, usual="") == ""
    with pytest.raises(ValueError, match="urdf_file '/nowhere' cannot be read"):
        read_description({**values, "urdf_file": "/nowhere"}, usual="")
    path.write_text("\n")
    with pytest.raises(ValueError, match=r"a\.urdf' is empty"):
        read_description(values, usual="")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start_position": "elbow_joint=0.5"}, "start_position is for the node robot_sim"),
        ({"xacro_args": "mass:=3"}, "urdf_file '' is no file that ends in .xacro"),
        ({"log_level": "loud"}, "log_level is 'loud': choose one of debug, info"),
        ({"controller": "c++"}, r"controller is 'c\+\+': choose node or cpp"),
    ],
)
def test_arguments_without_effect_are_refused(change: dict[str, str], words: str) -> None:
    refuse_without_effect({**VALUES, "log_level": "rcl:=DEBUG"}, simulated=False)
    with pytest.raises(ValueError, match=words):
        refuse_without_effect({**VALUES, **change}, simulated=False)


def test_a_controller_takes_the_place_of_the_node() -> None:
    names = ["gravity_compensation", "mass_matrix"]
    assert nodes_beside_controller(names, command_topic="") == ["mass_matrix"]
    with pytest.raises(ValueError, match="under ros2_control, which robot_sim is not"):
        nodes_beside_controller([*names, "robot_sim"], command_topic="")
    with pytest.raises(ValueError, match="would both command the robot"):
        nodes_beside_controller(["computed_torque"], command_topic="/commands")


def test_missing_packages_are_named_with_what_installs_them() -> None:
    refuse_missing_packages("rviz:=true", VIEWER_PACKAGES, [*VIEWER_PACKAGES, "dyn_ros"])
    words = r"rviz:=true needs the packages rviz2, .*sudo apt install ros-\S+-rviz2$"
    with pytest.raises(RuntimeError, match=words):
        refuse_missing_packages("rviz:=true", VIEWER_PACKAGES, set(VIEWER_PACKAGES) - {"rviz2"})
