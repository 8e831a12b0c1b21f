"""config/dynamics.yaml says of every parameter what the node says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dyn_ros.nodes.dynamics_node import AUTOSTART, DynamicsNode
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.inverse_dynamics import InverseDynamics
from dyn_ros.nodes.robot_sim import RobotSim

FILE = Path(__file__).parents[1] / "config" / "dynamics.yaml"
NODES = {
    "gravity_compensation": GravityCompensation,
    "inverse_dynamics": InverseDynamics,
    "robot_sim": RobotSim,
}


@pytest.mark.parametrize("name", NODES)
def test_every_parameter_has_its_default(name: str) -> None:
    kind: type[DynamicsNode] = NODES[name]
    settings = {
        setting.name: setting for setting in (AUTOSTART, *kind.DESCRIPTION_SETTINGS, *kind.SETTINGS)
    }
    text = re.split(r"^/", FILE.read_text(), flags=re.MULTILINE)
    section = next(part for part in text if part.startswith(f"**/{name}:"))
    written: dict[str, Any] = yaml.safe_load("/" + section)[f"/**/{name}"]["ros__parameters"]
    defaults = {name: setting.default for name, setting in settings.items() if not setting.kind}
    assert written == defaults
    lists = {name for name, setting in settings.items() if setting.kind}
    assert lists == set(re.findall(r"^    # (\w+): \[", section, flags=re.MULTILINE))
