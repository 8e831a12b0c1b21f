# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Every robot of example-robot-data starts and falls in the simulation, or is refused in words."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from robots import example_robots

import dyn_core
from dyn_core.configuration import position_limits
from dyn_ros.kernels.robot import joints_without_inertia, load_model
from dyn_ros.node.settings import Values
from dyn_ros.nodes.robot_sim_settings import create_simulation
from dyn_ros.simulator import Simulation
from dyn_ros.simulator.start import start_position

FILES = {str(p.relative_to(example_robots())): p for p in example_robots().rglob("*.urdf")}
STEPS = 200


def expected_refusal(path: Path) -> str:
    """Return why a robot cannot be simulated, from its file alone; empty if it can."""
    root = ET.parse(path).getroot()
    joints = {joint.get("name"): joint for joint in root.findall("joint")}
    if root.find("link") is None:
        return "has no link"
    for joint in joints.values():
        mimic = joint.find("mimic")
        if mimic is not None and mimic.get("joint") not in joints:
            return "which does not exist"
    if all(joint.get("type") == "fixed" for joint in joints.values()):
        return "has no moving joint"
    return ""


def start(path: Path, massless_armature: float = 0.0) -> Simulation:
    values = Values({"brake_release_time": -1.0})
    model = load_model(path.read_text(), massless=True, armature=massless_armature)
    return create_simulation(model, values)


def joints_at_start_without_inertia(path: Path) -> list[str]:
    model = load_model(path.read_text(), massless=True)
    position = start_position(model, "")
    return joints_without_inertia(
        model, dyn_core.integrate(model, dyn_core.neutral(model), position)
    )


@pytest.mark.quick("/ur5_robot.urdf", "/panda.urdf", "/go2.urdf")
@pytest.mark.parametrize("name", sorted(FILES))
def test_it_starts_within_its_limits_and_falls(name: str) -> None:
    refusal = expected_refusal(FILES[name])
    if refusal:
        with pytest.raises(ValueError, match=refusal):
            start(FILES[name], massless_armature=1e-3)
        return
    needs_rotor = joints_at_start_without_inertia(FILES[name])
    if needs_rotor:
        with pytest.raises(ValueError, match=f"'{needs_rotor[0]}'.* massless_armature"):
            start(FILES[name])
    simulation = start(FILES[name], massless_armature=1e-3)  # others than those it leaves alone
    robot = simulation.robot
    lower, upper = position_limits(robot.model)
    assert abs(robot.position - np.clip(0.0, lower, upper)).max() == 0.0
    for _ in range(STEPS):
        simulation.advance()
        assert (lower <= robot.position).all()
        assert (robot.position <= upper).all()
    assert not simulation.failure
    assert abs(robot.velocity).max() < 100.0
    q = dyn_core.integrate(robot.model, dyn_core.neutral(robot.model), robot.position)
    assert robot.q == pytest.approx(q, abs=1e-9)
