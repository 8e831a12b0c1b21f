"""A real ROS 2 for one test: context, executor and the thread that spins it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import rclpy
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

from dyn_ros.runtime import create_executor

UR5 = Path(__file__).parents[1] / "config" / "robots" / "ur5.urdf"
NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)

ARM = """<robot name="{name}">
  <link name="base"/>
  <joint name="{first}" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" velocity="2" effort="{effort}"/>
  </joint>
  <link name="upper"><inertial>
    <origin xyz="0.5 0 0"/><mass value="{mass}"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <joint name="second" type="{type}">
    <parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" velocity="2" effort="{effort}"/>
  </joint>
  <link name="lower"><inertial>
    <origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
</robot>"""


def arm(**changes: Any) -> str:
    """Return the URDF of a planar arm: joints first and second, links of 1 m and 1 kg."""
    standard = {"name": "arm", "first": "first", "type": "revolute", "effort": 100, "mass": 1}
    return ARM.format(**{**standard, **changes})


def joint_state(names: list[str], position: list[float], **fields: Any) -> JointState:
    """Return a message; `time` is its stamp in whole seconds."""
    time = fields.pop("time", 0)
    message = JointState(name=names, position=position, **fields)
    message.header.stamp.sec = time
    return message


class Ros:
    """One context whose nodes spin in a thread until the test ends."""

    def __init__(self) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self._executor = create_executor(self.context)
        self._nodes: list[Any] = []
        self._stop = False
        self._thread: threading.Thread | None = None
        self.tester = self.add(rclpy.create_node("tester", context=self.context))

    def add(self, node: Any) -> Any:
        """Spin a node, too."""
        self._executor.add_node(node)
        self._nodes.append(node)
        return node

    def create(self, kind: Callable[..., Any], **parameters: Any) -> Any:
        """Create and spin a node of the suite with these parameters."""
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        return self.add(kind(context=self.context, parameter_overrides=overrides))

    def start(self) -> None:
        """Begin to spin."""
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def collect(self, kind: Any, topic: str, qos: Any = 10) -> list[Any]:
        """Return a list to which every message of a topic is appended."""
        messages: list[Any] = []
        self.tester.create_subscription(kind, topic, messages.append, qos)
        return messages

    def call(self, kind: Any, service: str, timeout: float = 10.0, **request: Any) -> Any:
        """Return the response of a service."""
        client = self.tester.create_client(kind, service)
        assert client.wait_for_service(timeout), f"{service} did not appear"
        future = client.call_async(kind.Request(**request))
        until(future.done, timeout)
        return future.result()

    def close(self) -> None:
        """Stop spinning, then take everything down."""
        self._stop = True
        self._executor.wake()
        if self._thread is not None:
            self._thread.join()
        self._executor.shutdown()
        for node in self._nodes:
            node.destroy_node()
        self.context.try_shutdown()

    def _spin(self) -> None:
        while not self._stop:
            self._executor.spin_once(timeout_sec=0.05)


def until(condition: Callable[[], Any], timeout: float = 10.0) -> Any:
    """Wait for a condition and return its value; fail after `timeout` s."""
    deadline = monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        assert monotonic() < deadline, f"nothing after {timeout} s"
        sleep(0.005)


def values_of(status: Any) -> Mapping[str, str]:
    """Return the key values of a DiagnosticStatus."""
    return {value.key: value.value for value in status.values}
