# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kernels in machine code, the arrays that they fill, and the entry from Python."""

from dyn_core.compiler.runtime.backend import Backend
from dyn_core.compiler.runtime.background_compile import stop as stop_compilations
from dyn_core.compiler.runtime.code_cache import folder as cache_folder
from dyn_core.compiler.runtime.data import FIELDS, Data
from dyn_core.compiler.runtime.kernel import Kernel, compile
from dyn_core.compiler.signature import Asked, requests_of

__all__ = [
    "FIELDS",
    "Asked",
    "Backend",
    "Data",
    "Kernel",
    "cache_folder",
    "compile",
    "requests_of",
    "stop_compilations",
]
