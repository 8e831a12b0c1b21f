# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads effort commands: std_msgs/Float64MultiArray in the model's order."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dyn_ros.adapters.checked_vector import CheckedVector

if TYPE_CHECKING:
    from std_msgs.msg import Float64MultiArray


class CommandReader:
    """The last good command: `effort` in the model's order."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Expect one effort for each of these joints, in this order."""
        self._vector = CheckedVector("data", joint_names)
        self._in_order = np.arange(len(joint_names))

    @property
    def effort(self) -> NDArray[np.float64]:
        """[n] N m or N, overwritten by every accepted message; zeros before the first."""
        return self._vector.values

    def read(self, message: "Float64MultiArray") -> None:
        """Take a message. Raises InputRefusedError and keeps the old effort if it is unusable."""
        self._vector.check(message.data, self._in_order, len(self._in_order))
        self._vector.accept()
