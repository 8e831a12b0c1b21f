"""Copies a message's float64[] field into the model's order, checking size and values."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dyn_ros.adapters.refusal import InputRefusedError


class CheckedVector:
    """A vector in the model's order with room for the candidate that is being checked.

    `values` only ever holds finite numbers that were accepted; it is overwritten in place.
    """

    def __init__(self, field: str, joint_names: Sequence[str]) -> None:
        """Name the message's `field` (for errors) and the joints, in the order of `values`."""
        self.field = field
        self.values = np.zeros(len(joint_names))
        self._joint_names = tuple(joint_names)
        self._candidate = np.zeros(len(joint_names))
        self._finite = np.zeros(len(joint_names), dtype=bool)

    def check(self, data: array, indices: NDArray[np.intp], size: int) -> None:
        """Take `data[indices]` as candidate; `data` must have `size` numbers.

        Raises InputRefusedError on a wrong size or a non-finite number of one of the joints.
        """
        if len(data) != size:
            raise InputRefusedError(
                "length mismatch",
                f"{self.field} has {len(data)} numbers but should have {size}, "
                "one for each joint name",
            )
        np.frombuffer(data).take(indices, out=self._candidate, mode="clip")
        if not np.isfinite(self._candidate, out=self._finite).all():
            raise self._not_finite()

    def accept(self) -> None:
        """Make the checked candidate the value."""
        np.copyto(self.values, self._candidate)

    def _not_finite(self) -> InputRefusedError:
        index = int(np.argmin(self._finite))
        return InputRefusedError(
            "not finite",
            f"{self.field} of joint '{self._joint_names[index]}' is {self._candidate[index]}: "
            "send a finite number for every joint of the model",
        )
