# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Quantities: their declaration, their arrays and options, requests for them.

The definitions themselves are in :mod:`dyn_core.algorithms`; machine code that computes them is in
:mod:`dyn_core.execution`.
"""

from dyn_core.quantities.output import Output
from dyn_core.quantities.quantity import Quantity, Request

__all__ = ["Output", "Quantity", "Request"]
