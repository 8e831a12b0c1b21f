# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What an algorithm's numbers may be: floats, symbols that record, numbers with a derivative."""

from dyn_core.spatial.scalars.dual_numbers import Dual
from dyn_core.spatial.scalars.functions import (
    Rows,
    Scalar,
    arctan2,
    cos,
    dot,
    exp,
    select,
    sign,
    sin,
    sqrt,
    tanh,
)

__all__ = [
    "Dual",
    "Rows",
    "Scalar",
    "arctan2",
    "cos",
    "dot",
    "exp",
    "select",
    "sign",
    "sin",
    "sqrt",
    "tanh",
]
