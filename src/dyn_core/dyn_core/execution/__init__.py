"""Kernels in machine code, the arrays that they fill, and the entry from Python."""

from dyn_core.execution import calls
from dyn_core.execution.data import FIELDS, Data
from dyn_core.execution.kernel import Kernel, compile

__all__ = ["FIELDS", "Data", "Kernel", "calls", "compile"]
