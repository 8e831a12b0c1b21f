# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Copies a message's float64[] field into the model's order, checking size and values."""

from array import array
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.arrays import Vector

LARGEST = float(np.finfo(np.float64).max)


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
        self.values: Vector = np.zeros(len(joint_names))
        self._joint_names = tuple(joint_names)
        self._candidate = np.zeros(len(joint_names))
        self._usable = np.zeros(len(joint_names), dtype=bool)
        self._unread = np.array([name in unread for name in joint_names])
        self._has_unread = bool(unread)
        self._all: NDArray[np.intp] = np.arange(len(joint_names))
        self._joints: NDArray[np.intp] = self._all
        self.bound(-LARGEST, LARGEST)

    def bound(self, lower: Vector | float, upper: Vector | float) -> None:
        """Refuse numbers beyond these from now on, by "implausible"; one for all, or [n]."""
        self.lower, self.upper = np.broadcast_arrays(lower, upper, self.values)[:2]

    def check(
        self,
        data: array,
        indices: NDArray[np.intp],
        size: int,
        joints: NDArray[np.intp] | None = None,
    ) -> None:
        """Take `data[indices]` as candidate; `data` must have `size` numbers.

        They are those of all joints, or of `joints` alone; the others keep their values.

        Raises InputRefusedError on a wrong size, or a number of one of the joints that is not
        finite or out of bounds.
        """
        if len(data) != size:
            raise InputRefusedError(
                "length mismatch",
                f"{self.field} has {len(data)} numbers but should have {size}, "
                "one for each joint name",
            )
        usable = self._take(data, indices, self._all if joints is None else joints)
        if not usable.all():
            raise self._unusable(int(np.argmin(usable)))

    @property
    def step(self) -> Vector:
        """How far the candidate is from the values, of those joints that it has."""
        return self._candidate[: len(self._joints)] - self.values[self._joints]

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Which numbers of the candidate may be values, of those joints that it has."""
        return self._usable[: len(self._joints)]

    def offer(
        self, data: array, indices: NDArray[np.intp], size: int, joints: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Take the numbers that `check` would let through at once; return of which joints."""
        if len(data) != size:
            return np.zeros(len(joints), dtype=bool)
        usable = self._take(data, indices, joints)
        self.values[joints[usable]] = self._candidate[: len(joints)][usable]
        return usable

    def accept(self) -> None:
        """Make the checked candidate the value."""
        self.values[self._joints] = self._candidate[: len(self._joints)]

    def _take(
        self, data: array, indices: NDArray[np.intp], joints: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Make `data[indices]` the candidate of `joints`; return which of them are usable."""
        self._joints, count = joints, len(indices)
        candidate = np.frombuffer(data).take(indices, out=self._candidate[:count], mode="clip")
        if self._has_unread:
            candidate[self._unread[joints]] = 0.0
        usable = self._usable[:count]
        np.less_equal(self.lower[joints], candidate, out=usable)
        usable &= candidate <= self.upper[joints]  # neither holds for NaN
        return usable

    def _unusable(self, index: int) -> InputRefusedError:
        joint, number = self._joints[index], self._candidate[index]
        what = f"{self.field} of joint '{self._joint_names[joint]}' is {number:.6g}"
        if not np.isfinite(number):
            return InputRefusedError(
                "not finite", f"{what}: send a finite number for every joint of the model"
            )
        return InputRefusedError(
            "implausible",
            f"{what}, but by its limits nothing beyond {self.lower[joint]:.6g} and "
            f"{self.upper[joint]:.6g} can be: check units and sensors, or set "
            "bad_input.implausible to ignore",
        )
