# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What nodes are compared with, in rclpy: nothing computed.

ros_relay.py relay NAMESPACE    joint_states in, Float64MultiArray on commands out
ros_relay.py counted NAMESPACE  the same; prints at its end how many came, and how many were lost
ros_relay.py service NAMESPACE  answers compute_inverse_dynamics with as many zeros
"""

from __future__ import annotations

import atexit
import sys
from array import array
from typing import Any

import rclpy
from dyn_msgs.srv import ComputeInverseDynamics
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.experimental import EventsExecutor
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

NEWEST = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


def relay(node: Any) -> None:
    """Publish the positions of every joint state."""
    publisher = node.create_publisher(Float64MultiArray, "commands", 10)
    commands = Float64MultiArray()

    def take(state: JointState) -> None:
        commands.data = state.position
        publisher.publish(commands)

    node.create_subscription(JointState, "joint_states", take, NEWEST)


def counted(node: Any) -> None:
    """Publish the positions of every joint state, and count by the numbers of the messages."""
    publisher = node.create_publisher(Float64MultiArray, "commands", 10)
    numbers: list[int] = []

    def take(state: JointState, info: dict[str, Any]) -> None:
        numbers.append(info["publication_sequence_number"])
        publisher.publish(Float64MultiArray(data=state.position))

    node.create_subscription(JointState, "joint_states", take, NEWEST)
    atexit.register(lambda: print(len(numbers), numbers[-1] - numbers[0] + 1 - len(numbers)))


def service(node: Any) -> None:
    """Answer at once."""

    def answer(request: Any, response: Any) -> Any:
        response.success = True
        response.effort = array("d", bytes(8 * len(request.position)))
        return response

    node.create_service(ComputeInverseDynamics, "compute_inverse_dynamics", answer)


def main(what: str, namespace: str) -> None:
    """Spin until a signal comes."""
    rclpy.init()
    node = rclpy.create_node("py_relay", namespace=namespace)
    {"relay": relay, "counted": counted, "service": service}[what](node)
    # EventsExecutor crashes by callbacks that want to know the number of a message.
    executor = SingleThreadedExecutor() if what == "counted" else EventsExecutor()
    executor.add_node(node)
    try:
        while rclpy.ok():
            executor.spin_once(timeout_sec=0.1)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == "__main__":
    main(*sys.argv[1:3])
