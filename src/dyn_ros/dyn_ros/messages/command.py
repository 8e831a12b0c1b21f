# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads effort commands: std_msgs/Float64MultiArray in the model's order."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dyn_ros.messages.checked_vector import finite_vector

if TYPE_CHECKING:
    from std_msgs.msg import Float64MultiArray


class CommandReader:
    """The last good command: `effort` in the model's order."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Expect one effort for each of these joints, in this order."""
        self._joint_names = tuple(joint_names)
        self.effort: NDArray[np.float64] = np.zeros(len(joint_names))
        """[n] N m or N; zeros before the first command."""

    def read(self, message: "Float64MultiArray") -> None:
        """Take a message. Raises InputRefusedError and keeps the old effort if it is unusable."""
        self.effort = finite_vector("data", self._joint_names, message.data)
