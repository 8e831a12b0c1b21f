# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions of one robot as machine code in a file, for programs without Python.

:func:`write_object` writes a shared object without dependencies that contains a description of its
functions; :func:`load_object` checks and loads one. Controllers in C++ load the same file.
"""

from dyn_core.export.casadi import write_casadi
from dyn_core.export.object_loader import KernelObject, ObjectFunction, load_object
from dyn_core.export.object_writer import write_object
from dyn_core.export.processors import PROCESSORS, native

__all__ = [
    "PROCESSORS",
    "KernelObject",
    "ObjectFunction",
    "load_object",
    "native",
    "write_casadi",
    "write_object",
]
