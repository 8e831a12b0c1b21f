# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Batches in single precision: the same as in double precision but for the digits of a float."""

from __future__ import annotations

import ctypes

import numba
import numpy as np
import pytest
from every_request import some_arrays
from robots import own_arm, relative_error

import dyn_core
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import Graph
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.targets.llvm import functions as form
from dyn_core.compiler.targets.llvm.array_layouts import StateRows
from dyn_core.compiler.targets.llvm.instructions import SINGLE
from dyn_core.compiler.targets.llvm.sine_cosine import OF_FLOATS
from dyn_core.spatial.scalars.functions import cos, sin

EPSILON = float(np.finfo(np.float32).eps)


def halves(arrays: list[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The arrays in single precision, and the same numbers in double precision."""
    short = [array.astype(np.float32) for array in arrays]
    return short, [array.astype(float) for array in short]


def sines(x: np.ndarray) -> np.ndarray:
    """Sine and cosine of floats, by a batch of a state each."""
    graph = Graph()
    angle = Expr.input(graph, "x", 0)
    traced = Trace(graph, {"x": 1}, {"y": [sin(angle), cos(angle)]})
    text = form.print_batch(traced, StateRows(traced, 8, SINGLE))
    code = machine.LoadedCode(machine.to_object_code(text), [form.BATCH])
    y = np.empty((len(x), 2), dtype=np.float32)
    call = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
    call(code.address(form.BATCH))(len(x), x.ctypes.data, y.ctypes.data)
    return y


def test_sine_and_cosine_are_within_two_units_of_the_last_place_of_one() -> None:
    random = np.random.default_rng(0)
    for scale in (1e-4, 1.0, 10.0, 0.99 * OF_FLOATS.largest):
        x = (scale * random.uniform(-1.0, 1.0, size=10000)).astype(np.float32)
        exact = np.column_stack([np.sin(x.astype(float)), np.cos(x.astype(float))])
        assert np.abs(sines(x) - exact).max() < EPSILON


def test_what_is_no_angle_gives_nan() -> None:
    largest = OF_FLOATS.largest
    x = np.array([np.nan, np.inf, -np.inf, 1.01 * largest, -1e30, 0.5], dtype=np.float32)
    assert (np.isnan(sines(x)).all(axis=1) == [True, True, True, True, True, False]).all()


def test_precisions_do_not_mix() -> None:
    kernel = dyn_core.compile(own_arm(), ["inverse_dynamics"])
    (q, v, a), (long, *_) = halves(some_arrays(kernel.model, kernel.signature, 5))
    with pytest.raises(TypeError, match=r"v .* of float32, not float64: .*v.astype\(np.float32\)"):
        kernel.batch.single(q, long, a)
    with pytest.raises(TypeError, match=r"out, tau .* must be an array of float32, not float64"):
        kernel.batch.single(q, v, a, out=np.empty((5, 6)))
    with pytest.raises(TypeError, match=r"must be an array of float64, not float32"):
        kernel.batch(q, v, a)
    tau = np.empty((5, 6), dtype=np.float32)
    compute = kernel.batch.single.numba_function
    compute(q, v, a, tau)
    assert (tau == kernel.batch.single(q, v, a)).all()
    with pytest.raises(numba.TypingError, match="v must be an array of float32, not"):
        compute(q, long, a, tau)


def test_the_tape_computes_single_precision_too() -> None:
    model = own_arm()
    kernel = dyn_core.compile(model, ["inverse_dynamics"], backend="tape")
    short, long = halves(some_arrays(model, kernel.signature, 20))
    tau = kernel.batch.single(*short)
    assert tau.dtype == np.float32
    assert relative_error(tau, kernel.batch(*long)) < EPSILON
