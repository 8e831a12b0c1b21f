# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The C++ controllers in a real controller manager on mock hardware, beside one that forwards.

Needs ros2_control and dyn_controllers in the environment; without them the figures stay.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from ament_index_python.packages import get_package_share_directory

import dyn_core
from dyn_ros.demo.mock_hardware import with_mock_hardware
from dyn_ros.demo.pose import START_POSITIONS

sys.path.append(str(Path(__file__).parents[1] / "src" / "dyn_controllers" / "test"))

from real_manager import ControllerManager

SECONDS = 20.0
RATE = 1000  # Hz
GOAL = {"update_us": 10.0, "over_forward": 2.0}
UR5 = Path(get_package_share_directory("dyn_ros"), "config", "robots", "ur5.urdf")
OURS = ("GravityCompensation", "ComputedTorque", "CartesianImpedance")
FORWARD = "forward_controller"


def measure(repetitions: int) -> list[dict[str, Any]]:
    """Mean times of update() of all controllers, in turn in one run; with limiters and without."""
    del repetitions
    return [row for limited in (True, False) for row in measured(limited)]


def measured(limited: bool) -> list[dict[str, Any]]:
    """What controllers take, and how far the efforts of a resting arm are from Python's."""
    description = with_mock_hardware(UR5.read_text(), START_POSITIONS)
    model = dyn_core.Model.from_urdf(description)
    q = np.array([START_POSITIONS.get(name, 0.0) for name in model.dof_names])
    gravity = dyn_core.compile(model, ["gravity"], ["gravity"])(q, np.array(model.gravity))
    controllers: dict[str, dict[str, Any]] = {
        name: {
            "type": f"dyn_controllers/{name}",
            "hardware_compensates_gravity": False,
            "codegen_command": ["dyn-core"],
            "start_effort": "zero",
        }
        for name in OURS
    }
    controllers["CartesianImpedance"]["tool"] = "tool0"
    controllers[FORWARD] = {
        "type": "forward_command_controller/ForwardCommandController",
        "joints": list(model.dof_names),
        "interface_name": "effort",
    }
    times: dict[str, list[float]] = {name: [] for name in controllers}
    with (
        TemporaryDirectory() as folder,
        ControllerManager(
            description, controllers, Path(folder), limited=limited, rate=RATE
        ) as manager,
    ):
        command = manager.forwarder(FORWARD)
        for name in controllers:
            if not manager.load(name):
                raise RuntimeError(manager.output())
        for name in 2 * tuple(controllers):
            manager.switch([name])
            manager.spin(2.0)
            command(gravity)
            manager.spin(SECONDS / 2)
            activity = manager.values["controller_manager: Controllers Activity"]
            times[name].append(float(activity[f"{name}.execution_time"].split()[1]))
            manager.switch(off=[name])
    return [
        {
            "controller": name,
            "limiters": limited,
            "goal": GOAL,
            "ours_us": min(times[name]),
            "forward_us": min(times[FORWARD]),
            "error": float(np.max(np.abs(manager.efforts[name] - gravity))),
            "cycles": int(SECONDS * RATE),
        }
        for name in OURS
    ]
