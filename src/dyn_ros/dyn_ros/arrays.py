# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Types of arrays; attributes that use them document contents, shape and unit. And a check."""

from math import isfinite

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def all_finite(values: NDArray[np.float64]) -> bool:
    """Return whether all numbers are finite: the sum of their squares tells it most quickly.

    No sum with a number in it that is not finite is so; one of large numbers may not be either.
    """
    flat = values.reshape(-1)
    return isfinite(flat.dot(flat)) or bool(np.isfinite(values).all())
