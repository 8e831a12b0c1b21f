# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How frames are turned against each other by TF, where tf2_ros is installed."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rclpy.time import Time

from dyn_core.spatial import Matrix3
from dyn_ros.messages.geometry import unit_quaternion
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS


def refuse_without_tf() -> None:
    """Raise ValueError, worded, if tf2_ros is not installed."""
    if find_spec("tf2_ros") is None:
        raise ValueError(
            "gravity_source names a frame of TF, but tf2_ros is not installed: install it "
            "(ros-<distro>-tf2-ros-py), or choose parameter or imu"
        )


class Transforms:
    """A listener to /tf and /tf_static."""

    def __init__(self, node: Any) -> None:
        """Begin to listen."""
        self._tf: Any = import_module("tf2_ros")
        self._buffer = self._tf.Buffer()
        self._listener = self._tf.TransformListener(self._buffer, node)

    def rotation(self, target: str, source: str) -> tuple[Matrix3, float]:
        """Return what turns vectors of `source` to `target`, the newest, and its time in s.

        Raises InputRefusedError if TF does not know it.
        """
        try:
            found = self._buffer.lookup_transform(target, source, Time())
        except self._tf.TransformException as error:
            raise InputRefusedError(
                "gravity absent", f"TF does not turn '{source}' to '{target}': {error}"
            ) from error
        stamp = found.header.stamp
        turn = unit_quaternion(f"TF from '{source}' to '{target}'", found.transform.rotation)
        return Matrix3.quaternion(*turn), stamp.sec + stamp.nanosec / NANOSECONDS

    def forget(self) -> None:
        """Drop all transforms that are not static; the buffer would return the latest for ever."""
        self._buffer.clear()

    def close(self) -> None:
        """Listen no more."""
        self._listener.unregister()
