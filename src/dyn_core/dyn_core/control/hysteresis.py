# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A switch that does not flutter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.runtime.numba_free import bound
from dyn_core.model.model import FloatArray


class Hysteresis:
    """For each of several numbers: on from an upper threshold, off below a lower one."""

    def __init__(self, size: int) -> None:
        """Watch ``size`` numbers, all off."""
        self.on: NDArray[np.bool_] = np.zeros(size, dtype=bool)
        self.any = False
        """Whether one of them is on."""
        self._values: FloatArray = np.zeros(size)
        numbers = ("float64", "float64", "int64")
        self._switch = bound(_switch, numbers, self._values, self.on.view(np.uint8))

    def reset(self) -> None:
        """Turn all off."""
        self.on[:] = self.any = False

    def update(self, values: FloatArray, upper: float, lower: float) -> NDArray[np.bool_]:
        """Which are on now; what counts is how large a value is, not its sign."""
        self._values[:] = values
        self.any = self._switch(upper, lower, len(self.on)) > 0
        return self.on


def _switch(upper: float, lower: float, count: int, values: Any, on: Any) -> int:
    """Switch each on or off; return how many are on. What is not a number is off."""
    found = 0
    for k in range(count):
        size = abs(values[k])
        if size >= upper:
            on[k] = 1
        elif not size >= lower:
            on[k] = 0
        found += on[k]
    return found
