"""A message with names of joints and numbers, allocated once and filled in place."""

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray


class JointMessage:
    """Vectors and matrices of a robot's joints, in a message of some kind with a header."""

    def __init__(
        self, kind: Any, joint_names: Sequence[str], *, names_field: str = "joint_names"
    ) -> None:
        """Name the joints."""
        self.message = kind(**{names_field: list(joint_names)})
        self._arrays: dict[str, NDArray[np.float64]] = {}

    def fill(self, stamp: Time, **fields: Any) -> Any:
        """Write fields and the stamp of the joint state that they come from.

        Arrays of float64 go to float64[] fields in C order and keep their size from the first
        message on; everything else is assigned.
        """
        for field, value in fields.items():
            if isinstance(value, np.ndarray):
                self._array(field, value.size)[:] = value.flat
            else:
                setattr(self.message, field, value)
        self.message.header.stamp = stamp
        return self.message

    def _array(self, field: str, size: int) -> NDArray[np.float64]:
        if field not in self._arrays:
            setattr(self.message, field, array("d", bytes(8 * size)))
            self._arrays[field] = np.frombuffer(getattr(self.message, field))
        return self._arrays[field]
