# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kernels that prefetch their code when they are called once in a while."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pytest
from robots import load

import dyn_core
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.single_state import print_one_state

LONG = dyn_core.aba_derivatives
"""Long enough for hyq, and cut into functions for talos."""


@pytest.fixture(scope="module")
def arrays() -> list[np.ndarray]:
    state = load("hyq").states(1)[0]
    return [state[name] for name in LONG.inputs]


def test_either_goal_computes_the_same(arrays: list[np.ndarray]) -> None:
    model = load("hyq").model
    often = dyn_core.compile(model, [LONG], optimize_for="throughput")(*arrays)
    seldom = dyn_core.compile(model, [LONG])
    for _ in range(3):  # code is prefetched, is not, and is again
        for found, expected in zip(seldom(*arrays), often, strict=True):
            assert np.array_equal(found, expected)
        for found, expected in zip(seldom(*arrays), often, strict=True):
            assert np.array_equal(found, expected)
        time.sleep(1e-3)


@pytest.mark.parametrize("quantity", [dyn_core.aba, dyn_core.rnea_derivatives, dyn_core.minverse])
def test_what_is_prefetched_is_the_code(quantity: dyn_core.Quantity) -> None:
    """From the first function of those that compute up to the kernel: all but short ones."""
    text = print_one_state(load("talos").model, [quantity.request()])
    first = "piece0" if "@piece0(" in text else "straight"
    assert f"@{first} to i64" in text
    text = text.replace(f"define internal void @{first}(", f"define void @{first}(")
    object_code = machine.to_object_code(text)
    code = machine.LoadedCode(object_code, ["kernel", first])
    covered = code.address("kernel") - code.address(first)
    size = machine.code_size(object_code)
    assert 0.9 * size < covered < size + 4096


def test_short_kernels_do_not_read_the_clock() -> None:
    model = load("ur5").model
    request = [dyn_core.rnea.request()]
    assert "@llvm.prefetch" not in print_one_state(model, request)
    assert "@llvm.prefetch" in print_one_state(load("hyq").model, [LONG.request()])
    throughput = print_one_state(load("hyq").model, [LONG.request()], (), "throughput")
    assert "@llvm.prefetch" not in throughput


def test_a_goal_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="'latency' or 'throughput'"):
        dyn_core.compile(load("ur5").model, ["rnea"], optimize_for="speed")  # type: ignore[arg-type]


def test_a_copy_in_another_process_has_the_same_goal() -> None:
    kernel = dyn_core.compile(load("ur5").model, ["rnea"], optimize_for="throughput")
    copy = pickle.loads(pickle.dumps(kernel))
    assert copy.spec.optimize_for == "throughput"
