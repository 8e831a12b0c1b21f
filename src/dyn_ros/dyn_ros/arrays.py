"""Types of arrays: what they hold, and their shape and unit, is said where they are."""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
