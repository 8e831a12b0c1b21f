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
        self.any = False
        """Whether one of them is on."""

    def reset(self) -> None:
        """Turn all off."""
        self.on[:] = self.any = False

    def update(self, values: FloatArray, upper: float, lower: float) -> NDArray[np.bool_]:
        """Which are on now; what counts is how large a value is, not its sign. NaN is off."""
        sizes = np.abs(values)
        np.logical_and(self.on | (sizes >= upper), sizes >= lower, out=self.on)
        self.any = bool(self.on.any())
        return self.on
