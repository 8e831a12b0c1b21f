"""What an operator does with the robot and its nodes: services, lifecycle, pushes, trajectories."""

from collections.abc import Generator
from time import monotonic
from typing import Any

from builtin_interfaces.msg import Duration, Time
from dyn_msgs.msg import Payload
from dyn_msgs.srv import SetPayload
from geometry_msgs.msg import WrenchStamped
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.node import Node
from rclpy.parameter import Parameter
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dyn_ros.adapters.stamp import NANOSECONDS
from dyn_ros.demo.errors import DemoError
from dyn_ros.demo.motion import Motion

RESPONSE_TIMEOUT = 3.0  # s; the first response gets lost if its server does not know us yet
PATIENCE = 20.0  # s

Steps = Generator[None, None, None]  # pauses after each of which the demo looks at what has come


class Operator:
    """Acts through a node; whatever has to wait is an iterator of pauses."""

    def __init__(self, node: Node) -> None:
        """Create the publishers."""
        self._node = node
        self._clients: dict[str, Any] = {}
        self._pushes = node.create_publisher(WrenchStamped, "robot_sim/wrench", 10)
        self._motions = node.create_publisher(
            JointTrajectory, "computed_torque/joint_trajectory", 10
        )

    def configure(self, name: str) -> Steps:
        """Configure a node."""
        yield from self._bring(name, Transition.TRANSITION_CONFIGURE, State.PRIMARY_STATE_INACTIVE)

    def activate(self, name: str) -> Steps:
        """Activate a node."""
        yield from self._bring(name, Transition.TRANSITION_ACTIVATE, State.PRIMARY_STATE_ACTIVE)

    def deactivate(self, name: str) -> Steps:
        """Deactivate a node."""
        yield from self._bring(name, Transition.TRANSITION_DEACTIVATE, State.PRIMARY_STATE_INACTIVE)

    def hang(self, name: str, payload: Payload) -> Steps:
        """Hang a payload on the simulated robot, or tell a node of it."""
        yield from self._ask(SetPayload, f"{name}/set_payload", payloads=[payload])

    def set(self, name: str, parameter: str, value: bool | float | str) -> Steps:
        """Set a parameter of a node."""
        change = [Parameter(parameter, value=value).to_parameter_msg()]
        kind = SetParametersAtomically
        yield from self._ask(kind, f"{name}/set_parameters_atomically", parameters=change)

    def push(self, frame: str, force: tuple[float, float, float]) -> None:
        """Push the robot at a frame with a force in its axes, N, for a short while."""
        message = WrenchStamped()
        message.header.frame_id = frame
        linear = message.wrench.force
        linear.x, linear.y, linear.z = force
        self._pushes.publish(message)

    def follow(self, names: list[str], motion: Motion, start: int) -> None:
        """Let computed_torque follow a motion from the time `start` in ns."""
        seconds, nanoseconds = divmod(start, NANOSECONDS)
        message = JointTrajectory(joint_names=names)
        message.header.stamp = Time(sec=seconds, nanosec=nanoseconds)
        for time in motion.times:
            position, velocity, acceleration = motion.at(time)
            whole, part = divmod(round(time * NANOSECONDS), NANOSECONDS)
            message.points.append(
                JointTrajectoryPoint(
                    positions=list(position),
                    velocities=list(velocity),
                    accelerations=list(acceleration),
                    time_from_start=Duration(sec=whole, nanosec=part),
                )
            )
        self._motions.publish(message)

    def _bring(self, name: str, transition: int, goal: int) -> Steps:
        """Bring a node into a state, also where its description has not come yet."""
        given_up = monotonic() + PATIENCE
        change, service = Transition(id=transition), f"{name}/change_state"
        while True:
            response = yield from self._call(ChangeState, service, transition=change)
            if response.success:
                return
            state = yield from self._call(GetState, f"{name}/get_state")
            if state.current_state.id == goal:  # by a request whose response got lost
                return
            if monotonic() > given_up:
                raise DemoError(f"{service} was refused")
            yield

    def _ask(self, kind: Any, service: str, **request: Any) -> Steps:
        """Call a service of ours. Raises DemoError if it refuses."""
        response = yield from self._call(kind, service, **request)
        result = getattr(response, "result", response)  # of parameters
        if not (result.successful if hasattr(result, "successful") else result.success):
            reason = getattr(result, "reason", "") or getattr(result, "message", "")
            raise DemoError(f"{service} was refused: {reason}")

    def _call(self, kind: Any, service: str, **request: Any) -> Generator[None, None, Any]:
        """Return the response of a service. Raises DemoError if none comes."""
        client = self._clients.get(service)
        if client is None:
            client = self._clients[service] = self._node.create_client(kind, service)
        given_up = monotonic() + PATIENCE
        while monotonic() < given_up:
            if not client.service_is_ready():
                yield
                continue
            future, asked = client.call_async(kind.Request(**request)), monotonic()
            while not future.done() and monotonic() < asked + RESPONSE_TIMEOUT:
                yield
            if future.done():
                return future.result()
            client.remove_pending_request(future)
        raise DemoError(f"{service} did not answer within {PATIENCE:g} s")
