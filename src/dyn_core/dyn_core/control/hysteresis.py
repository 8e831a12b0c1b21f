# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A switch that does not flutter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dyn_core.model.model import FloatArray


class Hysteresis:
    """For each of several numbers: on from an upper threshold, off below a lower one."""

    def __init__(self, size: int) -> None:
        """Watch ``size`` numbers, all off."""
        self.on: NDArray[np.bool_] = np.zeros(size, dtype=bool)

    def reset(self) -> None:
        """Turn all off."""
        self.on[:] = False

    def update(self, values: FloatArray, upper: float, lower: float) -> NDArray[np.bool_]:
        """Which are on now; what counts is how large a value is, not its sign."""
        size = np.abs(values)
        self.on &= size >= lower
        self.on |= size >= upper
        return self.on
