# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Refuses vectors of another size than the joints', and numbers that cannot be used."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dyn_ros.arrays import Vector
from dyn_ros.messages.refusal import InputRefusedError

MAX_FLOAT = float(np.finfo(np.float64).max)


def finite_vector(field: str, joint_names: Sequence[str], data: Sequence[float]) -> Vector:
    """Return a field's numbers [n], one for each joint name.

    Raises InputRefusedError on another size, or if a number is not finite.
    """
    refuse_length(field, joint_names, data)
    numbers = np.array(data, dtype=float)
    if not np.isfinite(numbers).all():
        i = int(np.argmin(np.isfinite(numbers)))
        raise unusable_number(f"{field} of joint '{joint_names[i]}'", numbers[i])
    return numbers


def refuse_length(field: str, joint_names: Sequence[str], data: Sequence[Any]) -> None:
    """Raise InputRefusedError if a field has not one entry for each joint name."""
    if len(data) != len(joint_names):
        raise InputRefusedError(
            "length mismatch",
            f"{field} has {len(data)} entries but should have {len(joint_names)}, "
            "one for each joint name",
        )


def unusable_number(
    what: str, number: float, lower: float = -MAX_FLOAT, upper: float = MAX_FLOAT
) -> InputRefusedError:
    """Return the error about a number that is not finite, or beyond its bounds."""
    if not np.isfinite(number):
        return InputRefusedError(
            "not finite",
            f"{what} is {number:.6g}: send a finite number for every joint of the model",
        )
    return InputRefusedError(
        "implausible",
        f"{what} is {number:.6g}, but its limits allow {lower:.6g} to {upper:.6g}: check units and "
        "sensors, and the limits in the description",
    )
