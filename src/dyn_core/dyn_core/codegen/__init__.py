"""Definitions to machine code: traced, printed as LLVM IR, compiled, kept on disk."""

from dyn_core.codegen.signature import Signature
from dyn_core.codegen.trace import Trace, trace

__all__ = ["Signature", "Trace", "trace"]
