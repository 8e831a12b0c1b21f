# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Definitions to machine code: traced, printed as LLVM IR, compiled, kept on disk."""

from dyn_core.compiler.signature import Signature

__all__ = ["Signature"]
