# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""One command after the other where nobody has anything to say: in machine code."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.execution.standalone import standalone
from dyn_ros.arrays import Vector
from dyn_ros.commanding.watch import ALIKE, DIFFERENT

Indices = NDArray[np.intp]
LIMIT, RATE, SPEED = range(3)  # of limits


class SteadyFollowing:
    """Follows efforts that no guard stops, no limit cuts and no echo contradicts.

    It does what VelocityGuard, Echo and CommandShaper do then, and nothing where one of them would
    do more: these are asked then, and tell why.
    """

    def __init__(
        self,
        efforts: Vector,
        command: Vector,
        limits: Vector,
        dofs: Indices,
        motors: Vector,
        places: Indices,
        difference: Vector,
    ) -> None:
        """Take `efforts` and write to `command`.

        Args:
            efforts: [2, nv] that are wanted, and what of them is gravity.
            command: [n] what was sent last.
            limits: [3, n] of efforts, N m or N; of their rates, per s; of velocities.
            dofs: [n] of nv, which degree of freedom each command is for.
            motors: [2, joints] velocities and efforts that come back.
            places: [n] of joints, where each command's joint is in these.
            difference: [1] N m or N, filled with the largest of an echo.
        """
        ordered = np.zeros((2, len(command)))
        self._arrays = efforts, command, limits, dofs, motors, places, difference, ordered
        sizes = efforts.shape[1], len(command), motors.shape[1]
        self._known = (*sizes, *(array.ctypes.data for array in self._arrays))
        self._follow = following()

    def follow(self, seconds: float, *, hardware: bool, echo: bool) -> bool:
        """Command the efforts, `seconds` after the command before; return whether that was all.

        They are sent without gravity where the `hardware` adds it. `echo`: compare the command
        before with the efforts that have come back.
        """
        return bool(self._follow(seconds, hardware, echo, *self._known))


def _follow(
    seconds: float,
    hardware: int,
    echo: int,
    nv: int,
    count: int,
    joints: int,
    efforts: Any,
    command: Any,
    limits: Any,
    dofs: Any,
    motors: Any,
    places: Any,
    difference: Any,
    ordered: Any,
) -> int:
    apart = length = most = 0.0
    for k in range(count):
        wanted = efforts[dofs[k]] - hardware * efforts[nv + dofs[k]]
        if not abs(wanted) <= limits[LIMIT * count + k]:  # as NaN is
            return 0
        if not abs(wanted - command[k]) <= limits[RATE * count + k] * seconds:
            return 0
        if not abs(motors[places[k]]) <= limits[SPEED * count + k]:
            return 0
        wrong = abs(motors[joints + places[k]] - command[k])
        most = max(most, wrong)
        apart += wrong * wrong
        length += command[k] * command[k]
    if echo:
        difference[0] = most
    if echo and apart > DIFFERENT * DIFFERENT * length:  # as if in another order?
        for row in range(2):
            for k in range(count):  # sorted by insertion
                x = command[k] if row else motors[joints + places[k]]
                i = row * count + k
                while i > row * count and ordered[i - 1] > x:
                    ordered[i] = ordered[i - 1]
                    i -= 1
                ordered[i] = x
        nearest = 0.0
        for k in range(count):
            apart_in_order = ordered[k] - ordered[count + k]
            nearest += apart_in_order * apart_in_order
        if nearest < ALIKE * ALIKE * apart:
            return 0
    for k in range(count):
        command[k] = efforts[dofs[k]] - hardware * efforts[nv + dofs[k]]
    return 1


@cache
def following() -> Callable[..., int]:
    """Return `_follow` in machine code."""
    arrays = *["float64*"] * 3, "int64*", "float64*", "int64*", "float64*", "float64*"
    return standalone(_follow, "int64", "float64", *["int64"] * 5, *arrays)
