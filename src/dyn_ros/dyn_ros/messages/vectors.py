# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Numbers in geometry_msgs, checked."""

from collections.abc import Iterable, Sequence
from math import isfinite, sqrt
from typing import Any

from dyn_ros.messages.refusal import InputRefusedError

UNIT_TOLERANCE = 1e-2  # how far a quaternion's length may be from 1; publishers round to floats


def xyz(vector: Any) -> tuple[float, float, float]:
    """Return a Vector3 or Point as numbers."""
    return vector.x, vector.y, vector.z


def write_xyz(vector: Any, numbers: Iterable[float]) -> None:
    """Write three numbers into a Vector3 or Point."""
    vector.x, vector.y, vector.z = map(float, numbers)


def write_quaternion(quaternion: Any, numbers: Iterable[float]) -> None:
    """Write (x, y, z, w) into a Quaternion."""
    quaternion.x, quaternion.y, quaternion.z, quaternion.w = map(float, numbers)


def refuse_not_finite(what: str, numbers: Sequence[float]) -> None:
    """Raise InputRefusedError if not all numbers are finite."""
    if not all(map(isfinite, numbers)):
        raise InputRefusedError(
            "not finite",
            f"{what} is {list(numbers)}: send {len(numbers)} finite numbers",
        )


def unit_quaternion(what: str, quaternion: Any) -> tuple[float, float, float, float]:
    """Return a Quaternion (x, y, z, w) of unit length.

    Raises InputRefusedError if it is none, as that of a message that nobody has filled in.
    """
    numbers = (*xyz(quaternion), quaternion.w)
    refuse_not_finite(what, numbers)
    length = sqrt(sum(x * x for x in numbers))
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise InputRefusedError(
            "no orientation",
            f"{what} is {list(numbers)}, of length {length:.3g}: send a quaternion of length 1",
        )
    x, y, z, w = (number / length for number in numbers)
    return x, y, z, w
