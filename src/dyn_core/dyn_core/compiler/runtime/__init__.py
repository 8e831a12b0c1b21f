# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kernels in machine code, the arrays that they fill, and the entry from Python."""

from dyn_core.compiler.runtime.data import FIELDS, Data
from dyn_core.compiler.runtime.kernel import Kernel, compile

__all__ = ["FIELDS", "Data", "Kernel", "compile"]
