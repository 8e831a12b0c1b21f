"""The C++ controller in a real controller manager on mock hardware, beside one that only forwards.

Needs ros2_control and dyn_controllers in the environment; without them the figures stay.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic
from typing import Any

import numpy as np
import rclpy
import yaml
from ament_index_python.packages import get_package_prefix, get_package_share_directory
from controller_manager_msgs.srv import ConfigureController, LoadController, SwitchController
from diagnostic_msgs.msg import DiagnosticArray
from dyn_msgs.msg import JointEfforts
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Float64MultiArray, String

import dyn_core
from dyn_ros.demo.mock_hardware import with_mock_hardware
from dyn_ros.demo.pose import START
from dyn_ros.domain import DomainReservation, isolate

SECONDS = 20.0
RATE = 1000  # Hz
PATIENCE = 60.0  # s
GOAL = {"update_us": 10.0, "over_forward": 2.0, "kernel_us": 0.3}
UR5 = Path(get_package_share_directory("dyn_ros"), "config", "robots", "ur5.urdf")
OURS, FORWARD = "gravity_controller", "forward_controller"


def measure(repetitions: int) -> list[dict[str, Any]]:
    """Mean times of update() of both controllers, in turn in one run; with limiters and without."""
    del repetitions
    rows = []
    for limited in (True, False):
        with DomainReservation() as reservation:
            isolate(os.environ, reservation.domain)
            rclpy.init()
            try:
                with Manager(limited) as manager:
                    rows.append({"limiters": limited, "goal": GOAL, **manager.measured()})
            finally:
                rclpy.try_shutdown()
    return rows


class Manager:
    """A controller manager in a process of its own, and a node that asks it."""

    def __init__(self, limited: bool) -> None:
        self.limited = limited

    def __enter__(self) -> Manager:
        self.description = with_mock_hardware(UR5.read_text(), START)
        self.model = dyn_core.Model.from_urdf(self.description)
        manager = {"update_rate": RATE, "enforce_command_limits": self.limited}
        manager[OURS] = {"type": "dyn_controllers/GravityCompensation"}
        manager[FORWARD] = {"type": "forward_command_controller/ForwardCommandController"}
        forward = {"joints": list(self.model.dof_names), "interface_name": "effort"}
        parameters = {"controller_manager": manager, OURS: {"start_effort": "zero"}}
        sections = {**parameters, FORWARD: forward}
        with NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            yaml.safe_dump({x: {"ros__parameters": y} for x, y in sections.items()}, file)
        self.file = Path(file.name)
        node = Path(get_package_prefix("controller_manager"), "lib", "controller_manager")
        # A library of a wheel wants Python's symbols without saying so.
        python = {"LD_PRELOAD": os.environ.get("PRELOAD", "")}
        self.process = subprocess.Popen(
            [node / "ros2_control_node", "--ros-args", "--params-file", self.file],
            env={**os.environ, **python},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.node = rclpy.create_node("benchmark")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.publisher = self.node.create_publisher(String, "robot_description", latched)
        self.publisher.publish(String(data=self.description))
        self.values: dict[str, dict[str, str]] = {}
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._diagnose, 10)
        self.effort = np.zeros(0)
        self.node.create_subscription(JointEfforts, f"/{OURS}/state", self._keep, 10)
        self.command = self.node.create_publisher(
            Float64MultiArray, f"/{FORWARD}/commands", QoSProfile(depth=1)
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.node.destroy_node()
        self.file.unlink()

    def measured(self) -> dict[str, Any]:
        """What both controllers take, and whether efforts are Python's to the last bit."""
        for name in (OURS, FORWARD):
            self.ask(LoadController, "load_controller", name=name)
            self.ask(ConfigureController, "configure_controller", name=name)
        times: dict[str, list[float]] = {OURS: [], FORWARD: []}
        kernel = []
        for name, other in ((FORWARD, ""), (OURS, FORWARD), (FORWARD, OURS), (OURS, FORWARD)):
            self.switch(name, other)
            self.spin(2.0)
            self.command.publish(Float64MultiArray(data=self.gravity.tolist()))
            self.spin(SECONDS / 2)
            manager = self.values["controller_manager: Controllers Activity"]
            times[name].append(float(manager[f"{name}.execution_time"].split()[1]))
            if name == OURS:
                kernel.append(float(self.values[f"/{OURS}"]["of that the model, mean [us]"]))
        return {
            "ours_us": min(times[OURS]),
            "forward_us": min(times[FORWARD]),
            "kernel_us": min(kernel),
            "same_bits": bool(np.array_equal(self.effort, self.gravity)),
            "cycles": int(SECONDS * RATE),
        }

    @property
    def gravity(self) -> np.ndarray:
        """What Python computes at the pose of the mock hardware."""
        q = np.array([START.get(name, 0.0) for name in self.model.dof_names])
        return dyn_core.compile(self.model, ["gravity"], ["gravity"])(
            q, np.array(self.model.gravity)
        )

    def ask(self, kind: Any, service: str, **fields: Any) -> None:
        """Call a service of the manager."""
        client = self.node.create_client(kind, f"/controller_manager/{service}")
        if not client.wait_for_service(PATIENCE):
            raise TimeoutError(service)
        future = client.call_async(kind.Request(**fields))
        self.executor.spin_until_future_complete(future, PATIENCE)
        self.node.destroy_client(client)
        if not future.done() or not future.result().ok:
            raise RuntimeError(f"{service} {fields} failed")

    def switch(self, on: str, off: str) -> None:
        """Activate a controller in place of another."""
        self.ask(
            SwitchController,
            "switch_controller",
            activate_controllers=[on],
            deactivate_controllers=[off] if off else [],
            strictness=SwitchController.Request.STRICT,
        )

    def spin(self, seconds: float) -> None:
        """Listen."""
        end = monotonic() + seconds
        while monotonic() < end:
            self.executor.spin_once(timeout_sec=0.05)

    def _diagnose(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.values[status.name] = {x.key: x.value for x in status.values}

    def _keep(self, message: JointEfforts) -> None:
        self.effort = np.array(message.effort)
