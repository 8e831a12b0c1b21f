# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""One BLAS thread for small linear algebra."""

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
    """Limit BLAS to one thread during a call, in the whole process; needs threadpoolctl.

    More threads gain little on matrices of some hundred columns. Beside other busy processes the
    threads wait for each other many times longer than one thread computes.
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
