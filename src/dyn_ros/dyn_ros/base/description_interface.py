"""The parameters and the topic that a robot description comes by."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from dyn_ros.base.settings import Setting

AUTOSTART = Setting(
    "autostart", False, "configure and activate without being asked, once there is a description"
)
DESCRIPTION = (
    Setting(
        "robot_description",
        "",
        "URDF text of the robot; empty: taken from the topic robot_description",
    ),
    Setting(
        "description_timeout",
        10.0,
        "s without a robot description after which that is reported as an error; the node goes "
        "on waiting",
        limits=(0.1, 3600.0),
    ),
)


def description_qos() -> QoSProfile:
    """Return the QoS of robot_description: the last one is kept for those who come later."""
    return QoSProfile(
        depth=1,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )
