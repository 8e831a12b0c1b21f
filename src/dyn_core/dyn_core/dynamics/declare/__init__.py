# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Quantities: their declaration, their arrays and options, requests for them.

The definitions themselves are in :mod:`dyn_core.dynamics`; machine code that computes them is in
:mod:`dyn_core.compiler.runtime`.
"""

from dyn_core.dynamics.declare.arrays import Output
from dyn_core.dynamics.declare.quantity import Quantity, Request

__all__ = ["Output", "Quantity", "Request"]
