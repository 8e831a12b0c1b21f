"""Copies a message's float64[] field into the model's order, checking size and values."""

from array import array
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from dyn_ros.adapters.refusal import InputRefusedError


class CheckedVector:
    """A vector in the model's order with room for the candidate that is being checked.

    `values` only ever holds finite numbers that were accepted; it is overwritten in place.
    """

    def __init__(
        self, field: str, joint_names: Sequence[str], *, unread: Collection[str] = ()
    ) -> None:
        """Name the message's `field` (for errors) and the joints, in the order of `values`.

        The numbers of joints in `unread` are not looked at: their values stay zero.
        """
        self.field = field
        self.values = np.zeros(len(joint_names))
        self._joint_names = tuple(joint_names)
        self._candidate = np.zeros(len(joint_names))
        self._finite = np.zeros(len(joint_names), dtype=bool)
        self._unread = np.array([name in unread for name in joint_names])
        self._has_unread = bool(unread)
        self._all: NDArray[np.intp] = np.arange(len(joint_names))
        self._joints: NDArray[np.intp] = self._all

    def check(
        self,
        data: array,
        indices: NDArray[np.intp],
        size: int,
        joints: NDArray[np.intp] | None = None,
    ) -> None:
        """Take `data[indices]` as candidate; `data` must have `size` numbers.

        They are those of all joints, or of `joints` alone; the others keep their values.

        Raises InputRefusedError on a wrong size or a non-finite number of one of the joints.
        """
        if len(data) != size:
            raise InputRefusedError(
                "length mismatch",
                f"{self.field} has {len(data)} numbers but should have {size}, "
                "one for each joint name",
            )
        self._joints = self._all if joints is None else joints
        count = len(indices)
        candidate = np.frombuffer(data).take(indices, out=self._candidate[:count], mode="clip")
        if self._has_unread:
            candidate[self._unread[self._joints]] = 0.0
        if not np.isfinite(candidate, out=self._finite[:count]).all():
            raise self._not_finite(count)

    def offer(
        self, data: array, indices: NDArray[np.intp], size: int, joints: NDArray[np.intp]
    ) -> bool:
        """Take what `check` would let through at once; return whether it is that."""
        if len(data) != size:
            return False
        self._joints, count = joints, len(indices)
        candidate = np.frombuffer(data).take(indices, out=self._candidate[:count], mode="clip")
        if self._has_unread:
            candidate[self._unread[joints]] = 0.0
        if not np.isfinite(candidate, out=self._finite[:count]).all():
            return False
        self.accept()
        return True

    def accept(self) -> None:
        """Make the checked candidate the value."""
        self.values[self._joints] = self._candidate[: len(self._joints)]

    def _not_finite(self, count: int) -> InputRefusedError:
        index = int(np.argmin(self._finite[:count]))
        name = self._joint_names[self._joints[index]]
        return InputRefusedError(
            "not finite",
            f"{self.field} of joint '{name}' is {self._candidate[index]}: "
            "send a finite number for every joint of the model",
        )
