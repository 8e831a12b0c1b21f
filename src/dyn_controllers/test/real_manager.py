# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A real controller manager on mock hardware, in a process of its own, for tests and benchmarks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic
from typing import Any

import numpy as np
import rclpy
import yaml
from ament_index_python.packages import get_package_prefix
from controller_manager_msgs.srv import (
    CleanupController,
    ConfigureController,
    ListControllers,
    LoadController,
    SwitchController,
)
from diagnostic_msgs.msg import DiagnosticArray
from dyn_msgs.msg import JointEfforts
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Float64MultiArray, String

from dyn_ros.process.domain import DomainReservation, isolate

PATIENCE = 60.0  # s
LIBRARY = "controller_manager"


class ControllerManager:
    """The manager, and a node that asks it and hears what controllers say.

    `controllers` are parameters by name, one of them `type`; nothing is loaded yet.
    """

    def __init__(
        self,
        description: str,
        controllers: dict[str, dict[str, Any]],
        folder: Path,
        *,
        limited: bool = False,
        rate: int = 1000,
    ) -> None:
        self.description = description
        own: dict[str, Any] = {"update_rate": rate, "enforce_command_limits": limited}
        own |= {name: {"type": values["type"]} for name, values in controllers.items()}
        sections = {
            name: {key: value for key, value in values.items() if key != "type"}
            for name, values in controllers.items()
        }
        self._file = folder / "controllers.yaml"
        parameters = {LIBRARY: own, **{k: v for k, v in sections.items() if v}}
        self._file.write_text(
            yaml.safe_dump({name: {"ros__parameters": x} for name, x in parameters.items()})
        )
        self.values: dict[str, dict[str, str]] = {}
        """Of diagnostics, by name of the status."""
        self.efforts: dict[str, np.ndarray] = {}
        """What controllers commanded last, by name, in the order of their joints."""

    def __enter__(self) -> ControllerManager:
        self._reservation = DomainReservation()
        environment = dict(os.environ)
        isolate(environment, self._reservation.domain)
        self._context = rclpy.Context()
        self._context.init(domain_id=self._reservation.domain)
        node = Path(get_package_prefix(LIBRARY), "lib", LIBRARY, "ros2_control_node")
        # A library of a wheel wants Python's symbols without saying so.
        environment["LD_PRELOAD"] = os.environ.get("PRELOAD", "")
        self._output = TemporaryFile("w+")
        self.process = subprocess.Popen(
            [node, "--ros-args", "--params-file", self._file],
            env=environment,
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )
        self.node = rclpy.create_node("asking", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._publisher = self.node.create_publisher(String, "robot_description", latched)
        self._publisher.publish(String(data=self.description))
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._diagnose, 10)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self._executor.shutdown()
            self.node.destroy_node()
            self._context.try_shutdown()
            self._reservation.close()
            self._output.close()

    def output(self) -> str:
        """What the process has written."""
        self._output.seek(0)
        return self._output.read()

    def load(self, name: str) -> bool:
        """Load and configure a controller; whether that went well."""
        self.node.create_subscription(
            JointEfforts, f"/{name}/state", lambda message: self._keep(name, message), 10
        )
        loaded = self.ask(LoadController, "load_controller", name=name).ok
        return loaded and self.configure(name)

    def configure(self, name: str) -> bool:
        """Whether a controller that is loaded could be configured."""
        return self.ask(ConfigureController, "configure_controller", name=name).ok

    def clean_up(self, name: str) -> bool:
        """Whether a controller that is not active could be cleaned up."""
        return self.ask(CleanupController, "cleanup_controller", name=name).ok

    def switch(self, on: Sequence[str] = (), off: Sequence[str] = ()) -> bool:
        """Activate controllers in place of others."""
        return self.ask(
            SwitchController,
            "switch_controller",
            activate_controllers=list(on),
            deactivate_controllers=list(off),
            strictness=SwitchController.Request.STRICT,
        ).ok

    def states(self) -> dict[str, str]:
        """The states of all controllers."""
        answer = self.ask(ListControllers, "list_controllers")
        return {one.name: one.state for one in answer.controller}

    def forwarder(self, name: str) -> Callable[[Sequence[float]], None]:
        """Publishes the commands of a forwarding controller."""
        publisher = self.node.create_publisher(Float64MultiArray, f"/{name}/commands", 1)
        return lambda values: publisher.publish(Float64MultiArray(data=[float(x) for x in values]))

    def ask(self, kind: Any, service: str, **fields: Any) -> Any:
        """Call a service of the manager, or one whose name begins with a slash."""
        name = service if service.startswith("/") else f"/{LIBRARY}/{service}"
        client = self.node.create_client(kind, name)
        if not client.wait_for_service(PATIENCE):
            raise TimeoutError(f"{name} is not there: {self.output()[-1000:]}")
        future = client.call_async(kind.Request(**fields))
        self._executor.spin_until_future_complete(future, PATIENCE)
        self.node.destroy_client(client)
        if not future.done():
            raise TimeoutError(f"{name} does not answer: {self.output()[-1000:]}")
        return future.result()

    def spin(self, seconds: float) -> None:
        """Listen."""
        end = monotonic() + seconds
        while monotonic() < end:
            self._executor.spin_once(timeout_sec=0.02)

    def wait(self, condition: Callable[[], bool], seconds: float = 10.0) -> bool:
        """Listen until a condition holds; whether it does."""
        end = monotonic() + seconds
        while not condition() and monotonic() < end:
            self._executor.spin_once(timeout_sec=0.02)
        return condition()

    def commands(self, name: str, efforts: np.ndarray, tolerance: float = 0.0) -> bool:
        """Whether a controller comes to command these efforts."""

        def holds() -> bool:
            found = self.efforts.get(name)
            return found is not None and bool(np.max(np.abs(found - efforts)) <= tolerance)

        return self.wait(holds)

    def _diagnose(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.values[status.name] = {x.key: x.value for x in status.values}

    def _keep(self, name: str, message: JointEfforts) -> None:
        self.efforts[name] = np.array(message.effort)
