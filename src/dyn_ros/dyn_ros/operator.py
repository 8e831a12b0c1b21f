# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Actions of an operator on the robot and its nodes: services, lifecycle, pushes."""

from collections.abc import Generator, Sequence
from typing import Any

from dyn_msgs.msg import Payload
from dyn_msgs.srv import SetPayload
from geometry_msgs.msg import PoseStamped, WrenchStamped
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger

from dyn_ros.clock import CLOCK
from dyn_ros.messages.geometry import write_quaternion, write_xyz

RESPONSE_TIMEOUT = 3.0  # s; the first response gets lost if its server does not know us yet
ANSWER_TIMEOUT_S = 20.0  # s


class OperatorError(RuntimeError):
    """What could not be done, worded for the operator."""


Steps = Generator[None, None, None]  # pauses after each of which what has come is looked at


class Operator:
    """Acts through a node; an action that has to wait is an iterator of pauses."""

    def __init__(self, node: Node) -> None:
        """Create the publisher of pushes; those of targets come with the first."""
        self._node = node
        self._clients: dict[str, Any] = {}
        self._aims: dict[str, Any] = {}  # publishers of targets, by topic
        self._pushes = node.create_publisher(WrenchStamped, "robot_sim/wrench", 10)

    def configure(self, name: str) -> Steps:
        """Configure a node."""
        yield from self._bring(name, Transition.TRANSITION_CONFIGURE, State.PRIMARY_STATE_INACTIVE)

    def activate(self, name: str) -> Steps:
        """Activate a node."""
        yield from self._bring(name, Transition.TRANSITION_ACTIVATE, State.PRIMARY_STATE_ACTIVE)

    def deactivate(self, name: str) -> Steps:
        """Deactivate a node."""
        yield from self._bring(name, Transition.TRANSITION_DEACTIVATE, State.PRIMARY_STATE_INACTIVE)

    def attach(self, name: str, payload: Payload) -> Steps:
        """Attach a payload to the simulated robot, or set it in a node."""
        yield from self._ask(SetPayload, f"{name}/set_payload", payloads=[payload])

    def reset(self) -> Steps:
        """Put the simulated robot back to where it started."""
        yield from self._ask(Trigger, "robot_sim/reset")

    def set(self, name: str, parameter: str, value: bool | float | str) -> Steps:
        """Set a parameter of a node."""
        change = [Parameter(parameter, value=value).to_parameter_msg()]
        kind = SetParametersAtomically
        yield from self._ask(kind, f"{name}/set_parameters_atomically", parameters=change)

    def push(self, frame: str, force: tuple[float, float, float]) -> None:
        """Push the robot at a frame with a force in its axes, N, until it is zero or too old."""
        message = WrenchStamped()
        message.header.frame_id = frame
        write_xyz(message.wrench.force, force)
        self._pushes.publish(message)

    def aim(self, topic: str, frame: str, position: Sequence[float], wxyz: Sequence[float]) -> None:
        """Publish the target of a tool, in a frame, m."""
        if topic not in self._aims:
            self._aims[topic] = self._node.create_publisher(PoseStamped, topic, 10)
        message = PoseStamped()
        message.header.frame_id = frame
        write_xyz(message.pose.position, position)
        write_quaternion(message.pose.orientation, [*wxyz[1:], wxyz[0]])
        self._aims[topic].publish(message)

    def _bring(self, name: str, transition: int, goal: int) -> Steps:
        """Bring a node into a state, also where its description has not come yet."""
        given_up = CLOCK.now() + ANSWER_TIMEOUT_S
        change, service = Transition(id=transition), f"{name}/change_state"
        while True:
            response = yield from self._call(ChangeState, service, transition=change)
            if response.success:
                return
            state = yield from self._call(GetState, f"{name}/get_state")
            if state.current_state.id == goal:  # by a request whose response got lost
                return
            if CLOCK.now() > given_up:
                raise OperatorError(f"{service} was refused")
            yield

    def _ask(self, kind: Any, service: str, **request: Any) -> Steps:
        """Call a service of ours. Raises OperatorError if it refuses."""
        response = yield from self._call(kind, service, **request)
        result = getattr(response, "result", response)  # of parameters
        if not (result.successful if hasattr(result, "successful") else result.success):
            reason = getattr(result, "reason", "") or getattr(result, "message", "")
            raise OperatorError(f"{service} was refused: {reason}")

    def _call(self, kind: Any, service: str, **request: Any) -> Generator[None, None, Any]:
        """Return the response of a service. Raises OperatorError if none comes."""
        client = self._clients.get(service)
        if client is None:
            client = self._clients[service] = self._node.create_client(kind, service)
        given_up = CLOCK.now() + ANSWER_TIMEOUT_S
        while CLOCK.now() < given_up:
            if not client.service_is_ready():
                yield
                continue
            future, asked = client.call_async(kind.Request(**request)), CLOCK.now()
            while not future.done() and CLOCK.now() < asked + RESPONSE_TIMEOUT:
                yield
            if future.done():
                return future.result()
            client.remove_pending_request(future)
        raise OperatorError(
            f"{service} did not answer within {ANSWER_TIMEOUT_S:g} s: is the computer overloaded?"
        )
