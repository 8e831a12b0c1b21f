# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where a robot is by its joint states, for nodes that command whole motions."""

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from dyn_core.control import wrap_differences
from dyn_core.model import Model
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.inputs.joint_state_bytes import JOINT_STATES
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.inputs.robot_state import scalar_coordinates, scalar_names
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.interfaces import Interfaces
from dyn_ros.node.part import Host
from dyn_ros.safety.plausible_limits import MARGIN, Plausible

MAX_STATE_AGE_S = 1.0  # since the last joint state, before a motion begins, and during it
MAX_UNREAD_STATES = 4000  # joint states that are kept until it matters where the robot is
MAX_LAG_S = 0.2  # s that a robot may be behind its trajectory, and its state be old at a stop
# rad or m from the first half of MAX_LAG_S to the second, of the mean of noisy positions at rest
MAX_DRIFT = 0.1 * MARGIN
NO_DRIVER = "is the robot driver running?"


class RobotPosition:
    """Positions [n] of the joints of one degree of freedom.

    Joint states are kept with the times when they came, and read when it matters where the robot
    is. Their stamps are not compared with a clock. Times `when` are of ROS, in s.
    """

    def __init__(self, node: Host, use: Callable[[JointState], Any] = lambda message: None) -> None:
        """Listen for a node, and hand it each joint state that is used."""
        self.reader = JointStateReader(())
        self._node, self._use = node, use
        self._unread: deque[tuple[float, bytes]] = deque(maxlen=MAX_UNREAD_STATES)  # s, states
        self._trail: deque[tuple[float, Vector]] = deque()  # s, positions in the last MAX_LAG_S
        self._why = NO_DRIVER  # there may be no usable joint state
        self._heard: dict[str, float] = {}  # s of ROS time, when a joint's position came

    def open(self, opened: Interfaces) -> None:
        """Subscribe to joint_states."""
        qos = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
        subscribe = self._node.topics.subscribe
        end = subscribe(self._node, JointState, "joint_states", self._keep, qos, raw=True)
        opened.callback(end)

    def install(self, model: Model) -> None:
        """Wait for the joints of another robot."""
        self._trail.clear()
        self.reader = JointStateReader(scalar_names(model))
        self.reader.expect(Plausible.of(model, scalar_coordinates(model)))
        self.reader.repeats, self.reader.most_age = True, round(MAX_STATE_AGE_S * NANOSECONDS)

    def command(self, moves: bool) -> None:
        """Doubt positions that jump, or stop dead, while the node moves the robot."""
        self.reader.commanded = self.reader.joint_names if moves else ()

    def read(self) -> None:
        """Read the joint states that were kept."""
        while self._unread:
            came, data = self._unread.popleft()
            if (message := JOINT_STATES.read(data)) is None:
                continue
            try:
                used = self.reader.read(message, came)
            except InputRefusedError as refusal:
                self._why, used = f"the last joint state was refused: {refusal}", False
                self._node.warn_seldom("joint state", f"joint state refused: {refusal}")
            if used:
                self._why = NO_DRIVER
                self._heard |= dict.fromkeys(message.name, self._now())
                self._follow(came)
                self._use(message)

    def absence(self, most: float = MAX_STATE_AGE_S) -> str:
        """Return why it has not been known for `most` s where the robot is, empty if it has."""
        self.read()
        now = self._node.clock.now()
        for name, came in zip(self.reader.joint_names, self.reader.came, strict=True):
            if now - came > most:
                since = f" for {now - came:.1f} s" if np.isfinite(came) else ""
                return f"no position of joint '{name}' has come on joint_states{since}: {self._why}"
        return ""

    def silence(self, begun: float) -> str:
        """Return which joint's position has not come for MAX_STATE_AGE_S, empty if all have.

        Time counts from `begun`, s of ROS time, on.
        """
        last, name = min((self._heard.get(name, 0.0), name) for name in self.reader.joint_names)
        if self._now() - max(last, begun) > MAX_STATE_AGE_S:
            return f"no position of joint '{name}' for {MAX_STATE_AGE_S:g} s: {self._why}"
        return ""

    def motion(self) -> str:
        """Return which joint moves by the joint states that were read, empty if none does."""
        was = self._since(self._positions())
        half, way = len(was) // 2, np.ptp(was, axis=0)
        drift = np.abs(was[half:].mean(axis=0) - was[: max(half, 1)].mean(axis=0))
        if not (drift > MAX_DRIFT).any() and not (way > MARGIN).any():
            return ""
        worst = int(np.argmax(way))
        return (
            f"the robot moves (joint '{self.reader.joint_names[worst]}' by {way[worst]:.2g} rad or "
            f"m within {MAX_LAG_S:g} s): end other motions first, and begin at rest"
        )

    def distance(self, wanted: Matrix, tolerance: Vector | float) -> str:
        """Return which joint has been far from where it should be, empty if none has.

        That is by more than a `tolerance`, rad or m, in all of the last MAX_LAG_S, from all of the
        `wanted` positions [k, n], of which the last is named.
        """
        was, wished = self._since(self._positions()), self._since(wanted)
        below, above = wished.min(axis=0) - was.max(axis=0), was.min(axis=0) - wished.max(axis=0)
        away = np.maximum(below, above)
        if not (away > tolerance).any():
            return ""
        worst = int(np.argmax(away - tolerance))
        return (
            f"joint '{self.reader.joint_names[worst]}' is at {self.reader.position[worst]:.3f} rad "
            f"or m, and should be at {wanted[-1, worst]:.3f}"
        )

    def at_stop(
        self, wanted: Callable[[float], tuple[Matrix, Matrix]], tolerance: Vector | float
    ) -> tuple[Vector, Vector]:
        """Return position and velocity [n] from which the robot is stopped.

        They are the last of those [k, n] that `wanted` returns for a time. If the robot rests, or
        is further away than the `tolerance`, it does not follow: it stays where it is.
        """
        why, here = self.absence(MAX_LAG_S), self.reader.position.copy()
        last = min(self._heard.get(name, self._now()) for name in self.reader.joint_names)
        position, velocity = wanted(last)
        if self.distance(position, tolerance) or not (why or self.motion()):
            return here, 0.0 * here
        if why:
            error = f"{why}; the motion is stopped where the robot should be"
            self._node.get_logger().error(error)
            position, velocity = wanted(self._now())
        return position[-1], velocity[-1]

    def _keep(self, data: bytes, info: dict[str, Any]) -> None:
        """Keep a joint state until it is read. Called by the thread of nodes that command."""
        if self._node.active:
            self._unread.append((self._node.clock.now(), data))

    def _follow(self, came: float) -> None:
        """Take the position to the trail, as soon as all joints are known."""
        if np.isfinite(self.reader.came).all():
            self._trail.append((came, self.reader.position.copy()))
            while len(self._trail) > 1 and self._trail[1][0] < came - MAX_LAG_S:
                self._trail.popleft()  # the first one left is where the robot was MAX_LAG_S ago

    def _positions(self) -> Matrix:
        """Return the positions [k, n] of the last MAX_LAG_S; the present one before any came."""
        return np.array([position for _, position in self._trail] or [self.reader.position])

    def _since(self, positions: Matrix) -> Matrix:
        """Return positions [k, n] relative to the present one."""
        away: Matrix = positions - self.reader.position
        if (plausible := self.reader.plausible) is not None:
            wrap_differences(away.T, np.flatnonzero(plausible.turning).tolist())
        return away

    def _now(self) -> float:
        return 1e-9 * self._node.ros_time()
