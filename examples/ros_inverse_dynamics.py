# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Calls the service compute_inverse_dynamics for a UR5 and prints the efforts.

In one terminal:  ros2 launch dyn_ros dynamics.launch.py robot_sim:=true
In another:       python3 examples/ros_inverse_dynamics.py
"""

import sys

import rclpy
from dyn_msgs.srv import ComputeInverseDynamics

SERVICE = "inverse_dynamics/compute_inverse_dynamics"
TIMEOUT = 10.0  # s
POSITION = {  # rad; every joint is named once, in any order
    "shoulder_pan_joint": 0.0,
    "shoulder_lift_joint": -1.0,
    "elbow_joint": 1.2,
    "wrist_1_joint": -0.6,
    "wrist_2_joint": 0.0,
    "wrist_3_joint": 0.0,
}


def main() -> int:
    """Ask once and print the answer; return the exit status."""
    rclpy.init()
    node = rclpy.create_node("example")
    client = node.create_client(ComputeInverseDynamics, SERVICE)
    if not client.wait_for_service(TIMEOUT):
        print(f"service {SERVICE} not found: start the launch file first", file=sys.stderr)
        return 1
    request = ComputeInverseDynamics.Request(
        joint_names=list(POSITION),
        position=list(POSITION.values()),
        velocity=[0.0] * len(POSITION),
        acceleration=[1.0] * len(POSITION),  # rad/s^2
    )
    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future, timeout_sec=TIMEOUT)
    response = future.result() if future.done() else None
    if response is None or not response.success:
        print(response.message if response else "no answer", file=sys.stderr)
        return 1
    for name, effort in zip(response.joint_names, response.effort, strict=True):
        print(f"{name:20} {effort:9.3f} N m")
    node.destroy_node()
    rclpy.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
