# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Operations on all targets, sine and cosine above all, against libm."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest
from test_c_source import built

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.gradients import gradients
from dyn_core.compiler.ir.graph import Graph
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.targets import c
from dyn_core.compiler.targets.c import CFunction
from dyn_core.compiler.targets.llvm import printer
from dyn_core.compiler.targets.llvm.functions import KERNEL, print_llvm
from dyn_core.compiler.targets.sympy_formulas import Formulas
from dyn_core.compiler.targets.tape import Tape, interpret
from dyn_core.spatial.scalars.dual_numbers import derivative_along
from dyn_core.spatial.scalars.functions import cos, sin
from dyn_core.spatial.scalars.operations import (
    LARGEST_ANGLE,
    LESS,
    OPERATIONS,
    SELECT,
    Operation,
)


def traced(function, size: int) -> Trace:
    """The program of ``function``, which takes a list of ``size`` symbols."""
    graph = Graph()
    results = function([Expr.input(graph, "x", k) for k in range(size)])
    return Trace(graph, {"x": size}, {"y": results})


def called(function, program: Trace):
    """A function of C as a function of an array."""
    function.argtypes = ctypes.c_void_p, ctypes.c_void_p

    def evaluate(x: np.ndarray) -> np.ndarray:
        x, y = np.ascontiguousarray(x, dtype=float), np.empty(len(program.outputs["y"]))
        function(x.ctypes.data, y.ctypes.data)
        return y

    return evaluate


def in_machine_code(program: Trace, folder: Path | None = None):
    """The program by LLVM, as a function of an array."""
    code = machine.LoadedCode(machine.to_object_code(print_llvm(program)), [KERNEL])
    function = ctypes.CFUNCTYPE(None)(code.address(KERNEL))
    function.code = code
    return called(function, program)


def in_c(program: Trace, folder: Path):
    """The same by a C compiler."""
    text = CFunction("f", program, {"x": "x", "y": "y"}).definition()
    library = built(folder, {"f.c": f"#include <math.h>\n{text}"}, "-shared", "-fPIC")
    return called(ctypes.CDLL(str(library)).f, program)


def on_tape(program: Trace, folder: Path):
    """The same by the interpreter."""
    tape, rows = Tape(program, interpret), np.empty((1, len(program.outputs["y"])))

    def evaluate(x: np.ndarray) -> np.ndarray:
        tape.run(1, [np.array([x], dtype=float)], [rows])
        return rows[0]

    return evaluate


def as_formulas(program: Trace, folder: Path):
    """The formulas of LaTeX."""
    pytest.importorskip("sympy", reason="needs sympy: the extra formulas")
    return Formulas(program, 100, "{}{}".format).outputs()["y"]


def compiled(function, size: int):
    """``function`` of a list of ``size`` symbols, compiled to a function of an array."""
    return in_machine_code(traced(function, size))


@pytest.mark.parametrize("angles", [1, 2, 3, 8, 9, 20])
def test_sine_and_cosine_vs_libm(angles: int) -> None:
    """Any number of angles at once, to 1 ulp of 1, over the whole valid range."""
    evaluate = compiled(lambda x: [sin(a) for a in x] + [cos(a) for a in x], angles)
    random = np.random.default_rng(angles)
    for scale in (1e-8, 1.0, 10.0, 1e4, 0.99 * LARGEST_ANGLE):
        for _ in range(20):
            x = scale * random.uniform(-1.0, 1.0, size=angles)
            assert np.abs(evaluate(x) - np.r_[np.sin(x), np.cos(x)]).max() < 2.3e-16


@pytest.mark.parametrize("angles", [1, 2, 3])
def test_multiples_of_half_pi_keep_their_small_remainder(angles: int) -> None:
    """Few angles have sine and cosine in one vector, more have one for each.

    Angles may depend on angles.
    """
    nested = compiled(lambda x: [sin(cos(sin(x[0])) + x[1])], 2)
    assert nested(np.array([0.3, 0.4]))[0] == pytest.approx(np.sin(np.cos(np.sin(0.3)) + 0.4))
    evaluate = compiled(lambda x: [f(a) for a in x for f in (sin, cos)], angles)
    for k in (*range(-9, 10), 10**4 + 1, 10**8 + 2):
        x = (k + np.arange(angles)) * np.pi / 2.0
        expected = np.stack([np.sin(x), np.cos(x)], axis=1).ravel()
        assert np.allclose(evaluate(x), expected, rtol=1e-13, atol=1e-18)


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf, 1.1 * LARGEST_ANGLE, -1e300])
@pytest.mark.parametrize("angles", [2, 3])
def test_what_is_no_angle_gives_nan_and_leaves_its_neighbours_alone(x: float, angles: int) -> None:
    evaluate = compiled(lambda x: [f(a) for a in x for f in (sin, cos)], angles)
    y = evaluate(np.array([x, 0.5, 0.5][:angles]))
    assert np.isnan(y[:2]).all()
    assert np.allclose(y[2:], [np.sin(0.5), np.cos(0.5)] * (angles - 1))


@pytest.mark.parametrize(
    "x", [np.nan, np.inf, -np.inf, LARGEST_ANGLE, -1e300, 0.99 * LARGEST_ANGLE]
)
@pytest.mark.parametrize("target", [in_machine_code, in_c, on_tape])
def test_what_is_an_angle_is_the_same_in_every_execution(x: float, target, tmp_path: Path) -> None:
    def function(q):
        return [sin(q[0]), cos(q[0])]

    found = target(traced(function, 1), tmp_path)(np.array([x]))
    assert np.allclose(found, function([x]), rtol=0.0, atol=3e-16, equal_nan=True)
    assert np.isnan(found).all() == (not abs(x) < LARGEST_ANGLE)


def test_outputs_that_are_inputs_or_constants_and_lie_over_the_inputs() -> None:
    """Everything is read before anything is written, though outputs are written early."""
    program = traced(lambda x: [x[3], 0.0, 0.0, x[0] + x[1], x[2], 1.5, x[0]], 4)
    code = machine.LoadedCode(machine.to_object_code(print_llvm(program)), [KERNEL])
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address(KERNEL))
    array = np.array([1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0])
    call(array.ctypes.data, array.ctypes.data)
    assert array.tolist() == [4.0, 0.0, 0.0, 3.0, 3.0, 1.5, 1.0]


TARGETS = [in_machine_code, in_c, on_tape, as_formulas]


def applied(operation: Operation, x) -> list:
    """A number that an operation makes of numbers, conditions among them where it takes some."""
    if operation.is_condition:
        return [SELECT(operation(*x[: operation.arity]), x[0], x[1])]
    if operation is SELECT:
        return [operation(LESS(x[0], x[1]), x[1], x[2])]
    return [operation(*x[: operation.arity])]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_every_operation_on_every_target(operation: Operation, target, tmp_path: Path) -> None:
    evaluate = target(traced(lambda x: applied(operation, x), 3), tmp_path)
    if target is as_formulas:
        assert len(evaluate) >= 1
        return
    for x in ([0.7, 1.3, -0.4], [2.0, 0.5, 3.0]):
        assert np.allclose(evaluate(np.array(x)), applied(operation, x), rtol=1e-15)


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_derivatives_of_every_operation_forward_and_reverse(operation: Operation) -> None:
    """Against central differences: dual numbers, and gradients of the graph."""
    program = traced(lambda x: applied(operation, x), 3)
    inputs = [Expr.input(program.graph, "x", k) for k in range(3)]
    (rows,) = gradients(program.graph, program.outputs["y"], inputs)
    reverse = in_machine_code(Trace(program.graph, program.inputs, {"y": rows}))
    x, h = [0.7, 1.3, -0.4], 1e-6
    for k in range(3):
        unit = [float(j == k) for j in range(3)]
        (forward,) = derivative_along(lambda y: applied(operation, y), x, unit)
        ends = [applied(operation, [a + s * b for a, b in zip(x, unit, strict=True)])[0]
                for s in (h, -h)]  # fmt: skip
        assert forward == pytest.approx((ends[0] - ends[1]) / (2.0 * h), abs=1e-8)
        assert reverse(np.array(x))[k] == pytest.approx(forward, abs=1e-15)


CBRT = Operation("cbrt", 1, np.cbrt, lambda d, root, x: (d / (3.0 * root * root),))


def test_a_new_operation_needs_a_line_in_the_table_and_in_each_target(
    monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(printer.LIBRARY, CBRT, "cbrt")
    monkeypatch.setitem(c.FORMS, CBRT, "cbrt{f}({0})")
    for target in (in_machine_code, in_c):
        assert target(traced(lambda x: [CBRT(x[0])], 1), tmp_path)(np.array([8.0]))[0] == 2.0
    assert CBRT(8.0) == 2.0
    assert derivative_along(lambda x: [CBRT(x[0])], [8.0], [1.0])[0] == pytest.approx(1.0 / 12.0)


@pytest.mark.parametrize("target", TARGETS)
def test_an_operation_that_a_target_lacks_is_refused_by_name(target, tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match="unknown operation 'cbrt'"):
        target(traced(lambda x: [CBRT(x[0])], 1), tmp_path)
