# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A real ROS 2 for one test: context, executor and the thread that spins it."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import cache, partial
from pathlib import Path
from typing import Any

import rclpy
from geometry_msgs.msg import WrenchStamped
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dyn_ros.clock import CLOCK, Clock
from dyn_ros.kernels.robot import load_model
from dyn_ros.messages.geometry import write_xyz
from dyn_ros.messages.stamp import duration_message
from dyn_ros.node.dynamics_node import DynamicsNode
from dyn_ros.node.settings import Values
from dyn_ros.node.shared_topics import SharedTopics
from dyn_ros.nodes.robot_sim_settings import create_simulation
from dyn_ros.process.domain import DomainReservation
from dyn_ros.runtime import create_executor

UR5 = Path(__file__).parents[1] / "config" / "robots" / "ur5.urdf"
PATIENCE = 90.0  # s; on a computer that has other things to do
RESPONSE_TIMEOUT = 3.0  # s; a robot's description compiles in less
stepped: list[Clock] = []  # the clocks of called nodes, which a wait steps
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


def trajectory(names: list[str], *points: dict[str, Any], **fields: Any) -> JointTrajectory:
    """Return a message; each point has a `time`, s after the start, and vectors."""
    message = JointTrajectory(joint_names=names, **fields)
    for point in points:
        vectors = {field: list(map(float, x)) for field, x in point.items() if field != "time"}
        at = duration_message(point["time"])
        message.points.append(JointTrajectoryPoint(time_from_start=at, **vectors))
    return message


def wrench(frame: str, numbers: Any) -> WrenchStamped:
    """Return a message of force and torque at a frame."""
    message = WrenchStamped()
    message.header.frame_id = frame
    write_xyz(message.wrench.force, numbers[:3])
    write_xyz(message.wrench.torque, numbers[3:])
    return message


NOT_BESIDE_CALLBACKS = (  # what belongs into the thread that spins a node
    "set_parameters",
    *(f"trigger_{x}" for x in ("configure", "activate", "deactivate", "cleanup", "shutdown")),
)


class Spinner:
    """An executor and the thread that spins it until it is closed."""

    def __init__(self, executor: Any) -> None:
        self.executor = executor
        self._stop = False
        self._thread = threading.Thread(target=self._spin)

    def start(self) -> None:
        """Begin to spin."""
        self._thread.start()

    def close(self) -> None:
        """End the thread, then the executor."""
        self._stop = True
        self.executor.wake()
        if self._thread.is_alive():
            self._thread.join()
        self.executor.shutdown()

    def call(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Return what a function returns between two callbacks, in their thread."""
        if not self._thread.is_alive() or threading.current_thread() is self._thread:
            return function(*arguments, **named)
        future: Future[Any] = Future()
        called = partial(function, *arguments, **named)

        def answer() -> None:
            try:
                future.set_result(called())
            except BaseException as error:
                future.set_exception(error)

        # Not by `wake`: EventsExecutor would crash where an event comes after it for something that
        # the function destroys, for it drops such an event without holding the GIL.
        self.executor.create_task(answer)
        return future.result(timeout=60.0)

    def _spin(self) -> None:
        while not self._stop:
            self.executor.spin_once(timeout_sec=0.05)


@cache
def compile_simulator() -> None:
    """Put what all simulated robots run into the cache: half a minute of work where it is in none.

    A test would wait for its first robot_sim until its patience ends.
    """
    create_simulation(load_model(arm(), massless=True), Values({}))


def begin(domain: int) -> rclpy.Context:
    """Return a context in a domain, which leaves signals to the tests."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
    return context


@cache
def set_imports_aside() -> None:
    """Let no collection look at what all tests share, which took 0.1 s of each.

    Nodes freeze the collector for the same reason, and thaw it when they are cleaned up. Here that
    would bring all of it back, so that they do neither.
    """
    gc.collect()
    gc.freeze()
    gc.freeze = gc.unfreeze = lambda: None


class Ros:
    """One context: nodes of the suite in the executor they are made for, a tester in another.

    Its domain is not that of the test before: jazzy takes a service for absent as long as it knows
    half of a server of the same name that is gone.
    """

    def __init__(self, reservation: DomainReservation | None = None, namespace: str = "") -> None:
        compile_simulator()
        set_imports_aside()
        self.reservation = reservation or DomainReservation()
        self.domain = self.reservation.domain
        self.context = begin(self.domain)
        self._nodes: list[Any] = []
        self._options: dict[str, Any] = {}  # of nodes
        self._clients: dict[str, Any] = {}
        self._spinner = Spinner(create_executor(self.context))
        self._tester_spinner = Spinner(SingleThreadedExecutor(context=self.context))
        self.tester = rclpy.create_node("tester", context=self.context, namespace=namespace)
        self._tester_spinner.executor.add_node(self.tester)
        self._tester_spinner.start()

    def create(self, kind: Callable[..., Any], **parameters: Any) -> Any:
        """Create a node of the suite with these parameters."""
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = kind(context=self.context, parameter_overrides=overrides, **self._options)
        for name in NOT_BESIDE_CALLBACKS:
            if hasattr(node, name):
                setattr(node, name, partial(self._spinner.call, getattr(node, name)))
        self._spinner.executor.add_node(node)
        self._nodes.append(node)
        return node

    def share_topics(self) -> None:
        """Let nodes from now on share subscriptions, as those of a composed process do."""
        self._options["shared"] = SharedTopics.of_process(self.context)
        node = self._options["shared"].node
        self._spinner.executor.add_node(node)
        self._nodes.append(node)

    def action_client(self, kind: Any, name: str) -> ActionClient:
        """A client of an action.

        rclpy shows a client to its executor before it is whole: meanwhile its node is not spun.
        And an answer that comes before the client has noted its question is ignored, so that it
        asks in the thread that takes the answers.
        """
        spinner = self._tester_spinner
        spinner.executor.remove_node(self.tester)
        try:
            client = ActionClient(self.tester, kind, name)
        finally:
            spinner.executor.add_node(self.tester)
        for asking in ("send_goal_async", "_get_result_async", "_cancel_goal_async"):
            setattr(client, asking, partial(spinner.call, getattr(client, asking)))
        return client

    def start(self) -> None:
        """Begin to spin the nodes."""
        self._spinner.start()

    def collect(self, kind: Any, topic: str, qos: Any = 10) -> list[Any]:
        """Return a list to which every message of a topic is appended."""
        messages: list[Any] = []
        self.tester.create_subscription(kind, topic, messages.append, qos)
        return messages

    def settle(self) -> None:
        """Let what was published before be taken: both threads have had their turn."""
        for spinner in (self._spinner, self._tester_spinner) * 3:
            spinner.call(lambda: None)

    def call(self, kind: Any, service: str, timeout: float = PATIENCE, **request: Any) -> Any:
        """Return the response of a service.

        The first response gets lost if the server has not yet found the client when it answers;
        then the request is sent again. A late answer to the first is as good.
        """
        if service not in self._clients:
            self._clients[service] = self.tester.create_client(kind, service)
        client = self._clients[service]
        # rclpy's own wait looks four times a second, which was an eighth of a second of most tests.
        assert wait_for(client.service_is_ready, timeout), f"{service} did not appear"
        deadline = CLOCK.now() + timeout
        asked: list[Any] = []

        def answered() -> Any:
            return next((future for future in asked if future.done()), None)

        while CLOCK.now() < deadline:
            asked.append(client.call_async(kind.Request(**request)))
            if wait_for(answered, RESPONSE_TIMEOUT):
                break
        found = answered()
        for future in asked:
            client.remove_pending_request(future)
        assert found, f"{service} did not answer within {timeout} s"
        return found.result()

    def close(self) -> None:
        """Stop spinning, then take everything down; done once."""
        if not self.context.ok():
            return
        self._spinner.close()
        self._tester_spinner.close()
        self.tester.destroy_node()
        while self._nodes:
            node = self._nodes.pop()
            DynamicsNode.active_nodes.discard(node)  # a fixture may still keep it
            node.destroy_node()
        self.context.try_shutdown()
        gc.collect()
        self.reservation.close()


def until(condition: Callable[[], Any], timeout: float = PATIENCE) -> Any:
    """Wait for a condition and return its value; fail after `timeout` s."""
    value = wait_for(condition, timeout)
    assert value, f"nothing after {timeout} s"
    return value


def wait_for(condition: Callable[[], Any], timeout: float) -> Any:
    """Return the value of a condition once it is true, or the last one after `timeout` s."""
    deadline = clock().now() + timeout
    while True:
        value = condition()
        if value or clock().now() > deadline:
            return value
        clock().sleep(0.005)


def status_with(reports: list[Any], words: str) -> Any:
    """Return a DiagnosticStatus whose message has some words, if there is one."""
    statuses = (status for report in list(reports) for status in report.status)
    return next((status for status in statuses if words in status.message), None)


def reported(reports: list[Any], words: str) -> Any:
    """Wait for a DiagnosticStatus whose message has some words."""
    return until(lambda: status_with(reports, words))


def clock() -> Clock:
    """Return the clock by which a test waits."""
    return stepped[-1] if stepped else CLOCK


def values_of(status: Any) -> Mapping[str, str]:
    """Return the key values of a DiagnosticStatus."""
    return {value.key: value.value for value in status.values}
