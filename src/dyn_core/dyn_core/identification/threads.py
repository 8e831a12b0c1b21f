# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""One thread for the linear algebra of problems that are small."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import ParamSpec, TypeVar

from dyn_core.errors import MissingExtraError
from dyn_core.extras import optional

P = ParamSpec("P")
R = TypeVar("R")


def single_threaded(function: Callable[P, R]) -> Callable[P, R]:
    """Let BLAS use one thread meanwhile, in the whole process, if threadpoolctl is installed.

    Matrices of some hundred columns gain little by more threads, and where other processes are at
    work these wait for each other many times as long as one thread computes.
    """

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            threads = optional("threadpoolctl", "one thread", extra="identification")
        except MissingExtraError:
            limit = nullcontext()
        else:
            limit = threads.threadpool_limits(1, user_api="blas")
        with limit:
            return function(*args, **kwargs)

    return limited
