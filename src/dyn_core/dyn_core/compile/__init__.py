"""Traces to machine code: printed as LLVM IR, compiled, cached, callable from Python."""

from dyn_core.compile.kernel import Kernel, compile

__all__ = ["Kernel", "compile"]
