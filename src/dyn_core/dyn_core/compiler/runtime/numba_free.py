# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Python functions of numbers and arrays in machine code, where nobody has time for numba.

numba compiles a function once per user. Its machine code needs nothing of numba, so it is kept as
the code of kernels is, and a process that finds it there neither imports numba nor waits for it,
which would take 0.7 s of processor time.
"""

from __future__ import annotations

import ctypes
import inspect
import re
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.runtime import code_cache as kept
from dyn_core.compiler.runtime.python_entry import DOUBLES, ENTRY, open_door, print_plain_entry

KINDS: dict[str, tuple[str, Any]] = {
    "int64": ("i64", ctypes.c_int64),
    "float64": ("double", ctypes.c_double),
    "float64[]": (DOUBLES, ctypes.c_void_p),
}
"""Types of arguments that each call gives: those of doors, and of ctypes.

The last is an array of as many numbers as the int64 before it says."""
ARRAYS = {"uint8*": "i8", "int64*": "i64", "float64*": "double"}
"""Types of arrays, which are bound, and LLVM's types of their numbers."""
SYMBOL = "standalone"


class Standalone:
    """A function in machine code, which returns an int and holds the GIL while it computes.

    It indexes arrays and must not raise; nobody checks sizes.
    """

    def __init__(self, function: Callable[..., int], *arguments: str) -> None:
        """Compile a function, or find it compiled.

        Args:
            function: the function.
            arguments: the types of its arguments: those of KINDS first, then those of ARRAYS.

        Raises:
            ModuleNotFoundError: the code is not kept, and numba is not installed.
            ValueError: it does what takes more than machine code, such as to raise.
        """
        assert isinstance(function, FunctionType)
        self._function = function
        self._given = [kind for kind in arguments if kind in KINDS]
        self._arrays = arguments[len(self._given) :]
        known = {name: function.__globals__.get(name) for name in function.__code__.co_names}
        constants = {name: x for name, x in known.items() if isinstance(x, int | float)}
        given = [KINDS[kind][0] for kind in self._given]
        entry = print_plain_entry(SYMBOL, given, [ARRAYS[kind] for kind in self._arrays])
        made_of = inspect.getsource(function), " ".join(arguments), repr(constants), entry
        key = kept.key(machine.fingerprint(), SYMBOL, *made_of)
        code = kept.load(key)
        if code is None:
            code = machine.to_object_code(_printed(function, arguments) + entry)
            kept.store(key, code)
        self._code = machine.LoadedCode(code, (SYMBOL, ENTRY))
        types = [KINDS[kind][1] for kind in self._given] + [ctypes.c_void_p] * len(self._arrays)
        kind: Any = ctypes.PYFUNCTYPE(ctypes.c_int64, *types)  # a class: one for all bound ones
        self._slow = kind(self._code.address(SYMBOL))

    def bind(self, *arrays: NDArray[Any]) -> Callable[..., int]:
        """A function of the other arguments; the last ones are these arrays, at all times."""
        addresses, call = [array.ctypes.data for array in arrays], self._slow
        rows = [k for k, kind in enumerate(self._given) if kind == "float64[]"]

        def fallback(*numbers: Any) -> int:
            known = {k: _in_a_row(numbers[k], numbers[k - 1]) for k in rows if k < len(numbers)}
            given = [known[k].ctypes.data if k in rows else x for k, x in enumerate(numbers)]
            return int(call(*given, *addresses))

        fallback.__name__, fallback.__doc__ = self._function.__name__, self._function.__doc__
        door: Callable[..., int] = open_door(self._code, ENTRY, None, arrays, fallback)
        return door


def bound(
    function: Callable[..., int], numbers: tuple[str, ...], *arrays: NDArray[Any]
) -> Callable[..., int]:
    """A function of numbers of these KINDS whose last arguments are these arrays, at all times.

    It is in machine code; where there is neither kept code nor numba, in Python. The arrays are
    C-contiguous; the function sees them flat.
    """
    try:
        return _standalone(function, *numbers, *(f"{x.dtype}*" for x in arrays)).bind(*arrays)
    except ModuleNotFoundError:
        return _plain(function, *(x.reshape(-1) for x in arrays))


_standalone = cache(Standalone)
"""Compiled, or found compiled, once in a process."""


def _plain(function: Callable[..., int], *arrays: NDArray[Any]) -> Callable[..., int]:
    """The same in Python, as silent as machine code where numbers overflow."""

    def call(*numbers: Any) -> int:
        with np.errstate(all="ignore"):
            return function(*numbers, *arrays)

    return call


def _in_a_row(given: Any, size: int) -> NDArray[np.float64]:
    """An array as machine code takes it."""
    if not isinstance(given, np.ndarray) or given.shape != (size,):
        raise TypeError(f"an array of {size} numbers is needed, not {given!r}")
    return np.ascontiguousarray(given, np.float64)


def _printed(function: Callable[..., int], arguments: tuple[str, ...]) -> str:
    """The function as LLVM IR, by numba."""
    import numba
    from numba import types
    from numba.core.registry import cpu_target

    def typed(kind: str) -> Any:
        number = getattr(types, kind.rstrip("*[]"))
        return number if kind.isalnum() else types.CPointer(number)

    signature = types.int64(*map(typed, arguments))
    # njit makes the target first and locks the compiler then; a cfunc in another thread, the first
    # of a process, would do so in the other order, and both would wait for each other.
    _ = cpu_target.target_context
    compiled = numba.cfunc(signature, error_model="numpy")(function)
    ir = str(compiled.inspect_llvm()).replace(compiled.native_name, SYMBOL)
    needed = re.findall(r"^declare .*@(?!llvm\.)(\w+)\(", ir, re.MULTILINE)
    if needed:
        raise ValueError(
            f"{function.__qualname__} needs {', '.join(needed)} of numba: may it raise?"
        )
    return ir
