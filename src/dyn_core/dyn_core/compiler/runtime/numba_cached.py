# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Python functions compiled by numba, in this package's own cache.

numba's own cache does not verify its files: it runs altered code, and a truncated file or a full
disk raises an error in the caller.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from dyn_core.compiler.runtime import code_cache as kept

PACKAGE = "dyn_core."
"""Functions of modules with this prefix are compiled together with their callers."""


Function = TypeVar("Function", bound=Callable[..., Any])


def borrowing(function: Function) -> Function:
    """A function that counts no references to arrays once it is compiled.

    Counting takes most of the time of a function of few operations. The function allocates nothing
    and returns numbers alone; numba refuses one that allocates.
    """
    function.borrows = True  # type: ignore[attr-defined]
    return function


@cache
def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """``function`` in machine code, in numba's nopython mode.

    Args:
        function: a function of this package, compiled at its first call together with the functions
            of this package that it calls.
        options: of ``numba.njit``.

    Raises:
        ModuleNotFoundError: numba is not installed.
    """
    import numba

    own = {**options, "_nrt": False} if hasattr(function, "borrows") else options
    dispatcher = numba.njit(**own)(_calling_compiled(function, options))
    if not numba.config.DISABLE_JIT:  # else it is the function itself
        dispatcher._cache = _Kept(f"{function.__module__}.{function.__qualname__} {options}")
    return dispatcher  # type: ignore[no-any-return]


def _calling_compiled(function: Callable[..., Any], options: dict[str, Any]) -> FunctionType:
    """``function`` with compiled versions of the functions of this package that it calls.

    Integers among its globals become numpy's: numba compiles a function that is called with one of
    Python's for that number alone, and for others once more.
    """
    assert isinstance(function, FunctionType)
    known = function.__globals__
    called = {
        name: compiled(known[name], **options)
        for name in function.__code__.co_names
        if isinstance(known.get(name), FunctionType) and known[name].__module__.startswith(PACKAGE)
    }
    numbers = {
        name: np.int64(known[name])
        for name in function.__code__.co_names
        if type(known.get(name)) is int
    }
    everything = {**known, **called, **numbers}
    result = FunctionType(function.__code__, everything, function.__name__)
    result.__qualname__, result.__defaults__ = function.__qualname__, function.__defaults__
    return result


class _Kept:
    """A function's cache in numba's interface, which replaces numba's own."""

    cache_path = None

    def __init__(self, name: str) -> None:
        self._name = name

    def load_overload(self, arguments: Any, target: Any) -> Any:
        """The code for arguments of these types, or None."""
        from numba.core.compiler import CompileResult

        target.refresh()
        content = kept.load(self._entry(arguments, target.codegen()))
        if content is None:
            return None
        return CompileResult._rebuild(target, *pickle.loads(content))

    def save_overload(self, arguments: Any, result: Any) -> None:
        """Keep the code for arguments of these types."""
        from numba.core.serialize import dumps

        kept.store(self._entry(arguments, result.codegen), dumps(result._reduce()))

    def _entry(self, arguments: Any, codegen: Any) -> str:
        import numba

        made_by = f"numba {numba.__version__} {sys.version} {codegen.magic_tuple()}"
        return kept.key(made_by, self._name, str(arguments))
