# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification beside other work."""

from __future__ import annotations

import numpy as np
import pytest

from dyn_core.identification import identify
from dyn_core.identification.blas_threads import single_threaded

threadpoolctl = pytest.importorskip("threadpoolctl", reason="an extra that is not installed")


def test_linear_algebra_has_one_thread_meanwhile() -> None:
    def threads() -> list[int]:
        found = threadpoolctl.threadpool_info()
        return [one["num_threads"] for one in found if one["user_api"] == "blas"]

    np.linalg.qr(np.eye(3))  # loads the library
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = threads()
        assert set(single_threaded(threads)()) == {1}
        assert threads() == before
    assert hasattr(identify, "__wrapped__")
