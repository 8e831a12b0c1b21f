"""The parameter files for kinds of robots: nothing misspelt, and the nodes configure with them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from robots import example_robots
from ros_helpers import UR5, Ros

from dyn_ros.registry import NODES, node_class

CONFIG = UR5.parents[1]
FOLDER = example_robots()
ROBOTS = {
    "ur5": UR5,
    "panda": FOLDER / "panda_description/urdf/panda.urdf",
    "quadruped": FOLDER / "hyq_description/robots/hyq_no_sensors.urdf",
    "humanoid": FOLDER / "talos_data/robots/talos_reduced.urdf",
}
CONFIGURED = ("robot_sim", "gravity_compensation", "external_torque")


def sections(name: str) -> dict[str, dict[str, Any]]:
    """Return the parameters of a file by section."""
    file = yaml.safe_load((CONFIG / f"{name}.yaml").read_text())
    return {section: content["ros__parameters"] for section, content in file.items()}


@pytest.mark.parametrize("name", ROBOTS)
def test_every_parameter_is_one_of_a_node(name: str) -> None:
    """Nobody would hear of another one: ROS 2 passes over parameters that nobody declares."""
    known = {node: {s.name for s in node_class(node).all_settings()} for node in NODES}
    for section, parameters in sections(name).items():
        nodes = NODES if section == "/**" else [section.removeprefix("/**/")]
        unknown = set(parameters) - set().union(*(known[node] for node in nodes))
        assert not unknown, section


@pytest.mark.parametrize("name", ROBOTS)
def test_nodes_configure(ros: Ros, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Joints and frames that the file names are the robot's."""
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(FOLDER.parents[1]))
    arguments = ["--ros-args", "--params-file", str(CONFIG / f"{name}.yaml")]
    for kind in CONFIGURED:
        create = partial(node_class(kind), cli_args=arguments)
        node = ros.create(create, robot_description=Path(ROBOTS[name]).read_text())
        node.trigger_configure()
        assert node.configured, node._fault
