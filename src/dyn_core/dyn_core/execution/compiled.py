"""Python functions in machine code by numba, kept in this package's own cache folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from dyn_core.codegen.cache import private_folder


@cache
def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """``function`` in machine code; only what numba calls nopython is possible in it.

    Args:
        function: what is compiled when it is first called.
        options: of ``numba.njit``.

    Raises:
        ModuleNotFoundError: numba is not installed.
    """
    import numba

    folder = private_folder()
    if folder is None:
        return numba.njit(**options)(function)  # type: ignore[no-any-return]
    elsewhere = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder / "numba")  # read where the function is declared
    try:
        return numba.njit(cache=True, **options)(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = elsewhere
