# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Python functions in machine code by numba, kept beside this package's own compiled code.

numba's own cache does not verify its files: it runs altered code, and a truncated file or a full
disk raises an error in the caller.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

from dyn_core.codegen import cache as kept

PACKAGE = "dyn_core."
"""Functions of what begins so are compiled together with those that call them."""


@cache
def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """``function`` in machine code; only what numba calls nopython is possible in it.

    Args:
        function: what is compiled when it is first called, a function of this package; those of
            this package that it calls are compiled with it.
        options: of ``numba.njit``.

    Raises:
        ModuleNotFoundError: numba is not installed.
    """
    import numba

    dispatcher = numba.njit(**options)(_calling_compiled(function, options))
    if not numba.config.DISABLE_JIT:  # else it is the function itself
        dispatcher._cache = _Kept(f"{function.__module__}.{function.__qualname__} {options}")
    return dispatcher  # type: ignore[no-any-return]


def _calling_compiled(function: Callable[..., Any], options: dict[str, Any]) -> FunctionType:
    """``function`` with the functions of this package that it calls in machine code too."""
    assert isinstance(function, FunctionType)
    known = function.__globals__
    called = {
        name: compiled(known[name], **options)
        for name in function.__code__.co_names
        if isinstance(known.get(name), FunctionType) and known[name].__module__.startswith(PACKAGE)
    }
    result = FunctionType(function.__code__, {**known, **called}, function.__name__)
    result.__qualname__, result.__defaults__ = function.__qualname__, function.__defaults__
    return result


class _Kept:
    """The cache that numba loads a function's code from and saves it to, in place of its own."""

    cache_path = None

    def __init__(self, name: str) -> None:
        self._name = name

    def load_overload(self, arguments: Any, target: Any) -> Any:
        """The function for arguments of these types, or None if it is not kept."""
        from numba.core.compiler import CompileResult

        target.refresh()
        content = kept.load(self._entry(arguments, target.codegen()))
        if content is None:
            return None
        return CompileResult._rebuild(target, *pickle.loads(content))

    def save_overload(self, arguments: Any, result: Any) -> None:
        """Keep the function for arguments of these types."""
        from numba.core.serialize import dumps

        kept.store(self._entry(arguments, result.codegen), dumps(result._reduce()))

    def _entry(self, arguments: Any, codegen: Any) -> str:
        import numba

        made_by = f"numba {numba.__version__} {sys.version} {codegen.magic_tuple()}"
        return kept.key(made_by, self._name, str(arguments))
