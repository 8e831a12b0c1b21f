# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The parameter files for kinds of robots: nothing misspelt, nodes configure, who stands stands."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from called import Called
from robots import example_robots
from ros_helpers import UR5

from dyn_ros.kernels.robot import load_model
from dyn_ros.node.description import reading
from dyn_ros.node.settings import Values
from dyn_ros.nodes.robot_sim import RobotSim
from dyn_ros.nodes.robot_sim_settings import create_simulation
from dyn_ros.registry import NODES, node_class

CONFIG = UR5.parents[1]
FOLDER = example_robots()
ROBOTS = {
    "ur5_sim": UR5,
    "ur5e": UR5,  # joints and frames have the same names
    "panda": FOLDER / "panda_description/urdf/panda.urdf",
    "quadruped": FOLDER / "hyq_description/robots/hyq_no_sensors.urdf",
    "humanoid": FOLDER / "talos_data/robots/talos_reduced.urdf",
}
CONFIGURED = ("robot_sim", "gravity_compensation", "external_torque")


def sections(name: str) -> dict[str, dict[str, Any]]:
    """Return the parameters of a file by section."""
    file = yaml.safe_load((CONFIG / f"{name}.yaml").read_text())
    return {section: content["ros__parameters"] for section, content in file.items()}


STARTS = [f"robots/{path.stem}" for path in sorted(CONFIG.glob("robots/*.yaml"))]
"""Files for robots whose descriptions are not here."""


@pytest.mark.parametrize("name", [*ROBOTS, *STARTS])
def test_every_parameter_is_one_of_a_node(name: str) -> None:
    """Another one would have no effect: ROS 2 ignores undeclared parameters."""
    known = {node: {s.name for s in node_class(node).all_settings()} for node in NODES}
    for section, parameters in sections(name).items():
        nodes = NODES if section == "/**" else [section.removeprefix("/**/")]
        unknown = set(parameters) - set().union(*(known[node] for node in nodes))
        assert not unknown, section


@pytest.mark.thorough
def test_the_humanoid_stands_also_when_it_is_pushed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As its file puts it on its feet, held by its joints alone with the gains that it names."""
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(FOLDER.parents[1]))
    given = {}
    for section in ("/**", "/**/robot_sim"):
        given.update(sections("humanoid")[section])
    given.update(urdf_file=str(ROBOTS["humanoid"]), brake_release_time=-1.0)
    given["command_timeout"] = 0.1  # s, of the push
    values = Values(given)
    model = load_model(
        Path(ROBOTS["humanoid"]).read_text(), *reading(values, RobotSim.MASSLESS_LINKS)
    )
    simulation = create_simulation(model, values)
    strong = np.array([name.startswith(("leg", "torso")) for name in simulation.joint_names])
    stiffness, damping = np.where(strong, 3000.0, 50.0), np.where(strong, 30.0, 3.0)
    state = simulation.advance()
    assert state is not None
    start, height = state.position.copy(), state.base[2]
    for step in range(2500):
        if step == 1000:
            simulation.push("torso_2_link", (60.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        simulation.command(stiffness * (start - state.position) - damping * state.velocity)
        state = simulation.advance()
        assert state is not None
        assert state.base[2] > height - 0.02
        assert state.base[6] > 0.999  # of the quaternion: upright
    assert not simulation.failure


@pytest.mark.quick("ur5_sim", "panda", "quadruped")
@pytest.mark.parametrize("name", ROBOTS)
def test_nodes_configure(called: Called, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Joints and frames that the file names are the robot's."""
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(FOLDER.parents[1]))
    arguments = ["--ros-args", "--params-file", str(CONFIG / f"{name}.yaml")]
    for kind in CONFIGURED:
        create = partial(node_class(kind), cli_args=arguments)
        node = called.create(create, robot_description=Path(ROBOTS[name]).read_text())
        node.trigger_configure()
        assert node.configured, node._fault
