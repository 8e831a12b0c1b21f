"""Reads geometry_msgs/WrenchStamped."""

from math import isfinite
from typing import TYPE_CHECKING

from dyn_ros.adapters.refusal import InputRefusedError

if TYPE_CHECKING:
    from geometry_msgs.msg import WrenchStamped


def read_wrench(message: "WrenchStamped") -> tuple[str, tuple[float, ...]]:
    """Return the frame and the wrench [force, torque] (N, N m) in its axes, at its origin.

    Raises InputRefusedError if a number is not finite or the frame has no name.
    """
    frame = message.header.frame_id
    force, torque = message.wrench.force, message.wrench.torque
    wrench = (force.x, force.y, force.z, torque.x, torque.y, torque.z)
    if not frame:
        raise InputRefusedError(
            "no frame", "header.frame_id is empty: name the link or frame where the wrench acts"
        )
    if not all(map(isfinite, wrench)):
        raise InputRefusedError(
            "not finite",
            f"the wrench at frame '{frame}' is {list(wrench)}: send six finite numbers",
        )
    return frame, wrench
