# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Python functions of numbers and pointers in machine code, where nobody has time for numba.

numba compiles a function once per user. Its machine code needs nothing of numba, so it is kept as
the code of kernels is, and a process that finds it there neither imports numba nor waits for it,
which would take 0.7 s of processor time.
"""

from __future__ import annotations

import ctypes
import inspect
import re
from collections.abc import Callable
from types import FunctionType
from typing import Any

from dyn_core.codegen import cache as kept
from dyn_core.codegen import machine

KINDS: dict[str, Any] = {
    "int64": ctypes.c_int64,
    "float64": ctypes.c_double,
    "bytes": ctypes.c_char_p,
    "uint8*": ctypes.c_void_p,
    "int64*": ctypes.c_void_p,
    "float64*": ctypes.c_void_p,
}
"""Types of arguments: numbers, Python's bytes, and addresses of arrays."""
SYMBOL = "standalone"


def standalone(function: Callable[..., Any], result: str, *arguments: str) -> Callable[..., Any]:
    """``function`` in machine code, which holds the GIL while it computes.

    It indexes pointers and must not raise; nobody checks sizes.

    Args:
        function: what is compiled.
        result: the type of the result, one of KINDS.
        arguments: the types of the arguments.

    Raises:
        ModuleNotFoundError: the code is not kept, and numba is not installed.
        ValueError: it does what takes more than machine code, such as to raise.
    """
    assert isinstance(function, FunctionType)
    known = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    constants = {name: x for name, x in known.items() if isinstance(x, int | float)}
    made_of = inspect.getsource(function), " ".join((result, *arguments)), repr(constants)
    entry = kept.key(machine.fingerprint(), SYMBOL, *made_of)
    code = kept.load(entry)
    if code is None:
        code = machine.to_object_code(_printed(function, result, arguments))
        kept.store(entry, code)
    loaded = machine.LoadedCode(code, (SYMBOL,))
    prototype = ctypes.PYFUNCTYPE(KINDS[result], *(KINDS[kind] for kind in arguments))
    door: Any = prototype(loaded.address(SYMBOL))
    door.code = loaded  # which is freed with the door
    return door  # type: ignore[no-any-return]


def _printed(function: Callable[..., Any], result: str, arguments: tuple[str, ...]) -> str:
    """The function as LLVM IR, by numba."""
    import numba
    from numba import types

    def typed(kind: str) -> Any:
        if kind == "bytes":
            return types.CPointer(types.uint8)
        number = getattr(types, kind.rstrip("*"))
        return types.CPointer(number) if kind.endswith("*") else number

    signature = typed(result)(*map(typed, arguments))
    compiled = numba.cfunc(signature, error_model="numpy")(function)
    ir = str(compiled.inspect_llvm()).replace(compiled.native_name, SYMBOL)
    needed = re.findall(r"^declare .*@(?!llvm\.)(\w+)\(", ir, re.MULTILINE)
    if needed:
        raise ValueError(
            f"{function.__qualname__} needs {', '.join(needed)} of numba: may it raise?"
        )
    return ir
