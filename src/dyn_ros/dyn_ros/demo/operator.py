"""The operator of the demo, who lets the arm follow a motion too."""

from builtin_interfaces.msg import Duration, Time
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dyn_ros.adapters.stamp import NANOSECONDS
from dyn_ros.demo.motion import Motion
from dyn_ros.operator import Operator


class DemoOperator(Operator):
    """Acts through a node; whatever has to wait is an iterator of pauses."""

    def __init__(self, node: Node) -> None:
        """Create the publishers."""
        super().__init__(node)
        self._motions = node.create_publisher(
            JointTrajectory, "computed_torque/joint_trajectory", 10
        )

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
