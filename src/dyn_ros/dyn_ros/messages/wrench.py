# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads and writes geometry_msgs/WrenchStamped."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dyn_ros.arrays import Vector
from dyn_ros.messages.frame_topic import frame_topic
from dyn_ros.messages.joint_message import StampedMessage
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.vectors import refuse_not_finite, xyz

if TYPE_CHECKING:
    from geometry_msgs.msg import WrenchStamped


def read_wrench(message: "WrenchStamped") -> tuple[str, tuple[float, ...]]:
    """Return the frame and the wrench [force, torque] (N, N m) in its axes, at its origin.

    Raises InputRefusedError if a number is not finite or the frame has no name.
    """
    frame = message.header.frame_id
    wrench = (*xyz(message.wrench.force), *xyz(message.wrench.torque))
    if not frame:
        raise InputRefusedError(
            "no frame", "header.frame_id is empty: name the link or frame where the wrench acts"
        )
    refuse_not_finite(f"the wrench at frame '{frame}'", wrench)
    return frame, wrench


def wrench_topic(frame: str) -> str:
    """Return the topic of the wrench at a frame."""
    return frame_topic("~/wrench", frame)


class WrenchMessage:
    """A WrenchStamped message at a frame."""

    def __init__(self, kind: Any, joint_names: Sequence[str], *, frame: str) -> None:
        """Name the frame whose origin and axes the wrench has."""
        self._message = StampedMessage(kind, joint_names)
        self._frame = frame

    def fill(self, stamp: int, wrench: Vector) -> Any:
        """Return it with force (N) and torque (N m), [6], and the stamp of the joint state."""
        fields = {"wrench.force": wrench[:3], "wrench.torque": wrench[3:]}
        return self._message.fill(stamp, **{"header.frame_id": self._frame, **fields})
