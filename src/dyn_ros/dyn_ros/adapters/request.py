"""Reads vectors that travel with joint names in a service request, and answers in its order."""

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_ros.adapters.joint_order import JointOrder
from dyn_ros.adapters.refusal import InputRefusedError

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class States:
    """The states of a request, with joints in the model's order."""

    vectors: dict[str, Matrix]  # by field of the request, [k, n]
    order: NDArray[np.intp]  # [n] which joint of the model the request names where

    @property
    def count(self) -> int:
        """How many states there are."""
        return len(next(iter(self.vectors.values())))

    def in_request_order(self, values: Matrix, joint_axes: Sequence[int]) -> array:
        """Return numbers of all states, [k, ...], as they stand in a response.

        `joint_axes` are the axes that have an entry for each joint.
        """
        for axis in joint_axes:
            values = values.take(self.order, axis)
        return array("d", values.tobytes())


class RequestReader:
    """Reads float64[] fields with one number per joint, for one state after the other.

    Every joint has to be named exactly once.
    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Expect these joints."""
        self._joint_names = tuple(joint_names)
        self._order = JointOrder(joint_names, only_known=True)

    def read(
        self, request: Any, fields: Sequence[str], may_be_empty: Collection[str] = ()
    ) -> States:
        """Return the states of a request; an empty field that may be so is zero in all of them.

        Raises InputRefusedError, worded for the caller.
        """
        names = request.joint_names
        indices = self._order.indices(names)
        vectors: dict[str, Matrix] = {}
        count = 0  # until the first field says it
        for field in fields:
            numbers = np.array(getattr(request, field), dtype=np.float64)
            if not numbers.size and field in may_be_empty:
                numbers = np.zeros(count * len(names))
            self._check_size(field, numbers.size, count)
            rows = numbers.reshape(-1, len(names))
            count = len(rows)
            vectors[field] = rows.take(indices, axis=1)
            self._refuse_nan(field, vectors[field])
        return States(vectors, np.argsort(indices))

    def _check_size(self, field: str, size: int, count: int) -> None:
        """Refuse a field that has not the numbers of `count` states; 0: of any number of them."""
        joints = len(self._joint_names)
        if size and (size == count * joints or (not count and size % joints == 0)):
            return
        each = f"{joints} for each of {count} states" if count > 1 else "one for each joint name"
        raise InputRefusedError(
            "length mismatch",
            f"{field} has {size} numbers but should have {max(count, 1) * joints}, {each}",
        )

    def _refuse_nan(self, field: str, values: Matrix) -> None:
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            state, joint = bad[0]
            where = f" in state {state}" if len(values) > 1 else ""
            raise InputRefusedError(
                "not finite",
                f"{field} of joint '{self._joint_names[joint]}'{where} is {values[state, joint]}: "
                "send a finite number for every joint of the model",
            )
