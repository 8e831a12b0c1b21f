"""Definitions to machine code: traced, printed as LLVM IR, compiled, kept on disk."""

from dyn_core.codegen.signature import Signature

__all__ = ["Signature"]
