# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Many states at once, in both precisions: the same as one by one, whatever other lanes hold."""

from __future__ import annotations

import ctypes

import numba
import numpy as np
import pytest
from every_request import each, few_quantities, some_arrays, some_request
from random_trees import random_model
from robots import load, own_arm, relative_error

import dyn_core
from dyn_core import Quantity
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import Graph
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.runtime.batch import Batch, from_blocks, to_blocks
from dyn_core.compiler.targets.llvm import buffered_rows as collected
from dyn_core.compiler.targets.llvm import functions as form
from dyn_core.compiler.targets.llvm import functions as printer
from dyn_core.compiler.targets.llvm.array_layouts import StateRows
from dyn_core.compiler.targets.llvm.instructions import SINGLE
from dyn_core.compiler.targets.llvm.sine_cosine import OF_FLOATS
from dyn_core.spatial.scalars.functions import cos, sin

QUANTITIES = list(dyn_core.QUANTITIES.values())
SIZES = (0, 1, 7, 8, 9, 20)


def one_by_one(kernel, arrays: list[np.ndarray]) -> np.ndarray:
    """The first output of each state; NaN where there is no state."""
    return np.array([kernel(*state) for state in zip(*arrays, strict=True)])


@pytest.fixture(params=[2, 4, 8])
def lanes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """As many lanes as any processor has; LLVM splits vectors that this one does not have."""
    monkeypatch.setattr(machine, "lanes", lambda: request.param)
    return request.param


@few_quantities
@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda quantity: quantity.__name__)
def test_every_execution_of_any_quantity_computes_the_same(quantity: Quantity) -> None:
    """One state, and many in rows and blocks, by machine code, by the tape, in single precision.

    The mass matrix of this robot is conditioned well; rounding, which differs, grows with that.
    """
    model = random_model(10, joints=4, mimic=False)
    request = some_request(model, quantity)
    kernel = dyn_core.compile(model, [request], backend="machine")
    tape = dyn_core.compile(model, [request], backend="tape")
    arrays = [x.astype(np.float32) for x in some_arrays(model, kernel.signature, 19)]
    short, arrays = arrays, [x.astype(float) for x in arrays]
    states = [kernel(*state) for state in zip(*arrays, strict=True)] if arrays else [kernel()]
    expected = [np.array(x) for x in zip(*map(each, states), strict=True)]
    compare(
        [x[None] for x in each(tape(*(x[0] for x in arrays)))], [x[:1] for x in expected], 1e-12
    )
    if not arrays:
        with pytest.raises(ValueError, match="results are the same in every state"):
            kernel.batch()
        return
    blocks = [to_blocks(x) for x in arrays]
    for compute, tolerance in ((kernel.batch, 1e-13), (tape.batch, 1e-12)):
        compare(each(compute(*arrays)), expected, tolerance)
        compare(each(_unblocked(compute(*blocks, blocked=True), 19)), expected, tolerance)
    single = each(kernel.batch.single(*short))
    assert {x.dtype for x in single} == {np.dtype(np.float32)}
    inverted = 10.0 if quantity is dyn_core.operational_space_inertia else 1.0  # of a product
    compare(single, expected, inverted * 100.0 * float(np.finfo(np.float32).eps))


def compare(found, expected, tolerance: float) -> None:
    """Within rounding, also where all that there is is rounding, as of a residual."""
    for x, y in zip(found, expected, strict=True):
        assert x.shape == y.shape
        assert np.abs(x - y).max(initial=0.0) < tolerance * max(1.0, np.abs(y).max(initial=0.0))


def _unblocked(result, count: int):
    if isinstance(result, tuple):
        return tuple(from_blocks(x, count) for x in result)
    return from_blocks(result, count)


@pytest.mark.quick("4-9]", "8-9]")
@pytest.mark.parametrize("count", SIZES)
def test_any_number_of_states_in_lanes_of_any_width(lanes: int, count: int) -> None:
    """With all joint types: selections, roots and library calls in lanes, also of floats."""
    model = random_model(1, joints=5, mimic=False)
    for quantity in (dyn_core.rnea, dyn_core.integrate, dyn_core.difference):
        kernel = dyn_core.compile(model, [quantity])
        arrays = some_arrays(model, kernel.signature, count)
        actual = kernel.batch(*arrays)
        assert actual.shape == (count, model.nq if quantity is dyn_core.integrate else model.nv)
        assert relative_error(actual, one_by_one(kernel, arrays).reshape(actual.shape)) < 1e-13
        blocks = list(map(to_blocks, arrays))
        assert (from_blocks(kernel.batch(*blocks, blocked=True), count) == actual).all()
        single, short = kernel.batch.single, [x.astype(np.float32) for x in arrays]
        rows = single(*short)
        assert relative_error(rows, actual) < 1e-4
        assert (single(*short, threads=3) == rows).all()
        short_blocks = single(*map(to_blocks, short), blocked=True)
        assert relative_error(from_blocks(short_blocks, count), rows) < 1e-5
        model.kernels.clear()  # else the next width finds the code of this one


@pytest.mark.thorough
@pytest.mark.parametrize("piece", [50, 400])
def test_long_programs_in_lanes_may_be_cut_anywhere(
    piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits for its neighbours in a row is not lost where a function ends."""
    model = random_model(1, joints=5, mimic=False)
    monkeypatch.setenv("DYN_CORE_CACHE", "")
    for quantity in (dyn_core.crba, dyn_core.difference, dyn_core.d_integrate):
        kernel = dyn_core.compile(model, [quantity])
        arrays = some_arrays(model, kernel.signature, 11)
        whole = kernel.batch(*arrays)
        monkeypatch.setattr(printer, "MAX_FUNCTION_NODES", 0)
        monkeypatch.setattr(printer, "PIECE_LINES", piece)
        cut = Batch(kernel.spec)
        rows, blocks = cut(*arrays), cut(*map(to_blocks, arrays), blocked=True)
        for a, b, c in zip(*map(each, (whole, rows, _unblocked(blocks, 11))), strict=True):
            assert relative_error(b, a) < 1e-13
            assert relative_error(c, a) < 1e-13
        monkeypatch.setattr(printer, "MAX_FUNCTION_NODES", 8000)


@pytest.mark.quick("-3000]")
@pytest.mark.parametrize("block", [2**20, 3000, 0])
def test_long_rows_are_the_same_collected_or_not(
    block: int, lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them, those of some arrays or none; zeros are written too, and no more than is due."""
    model = random_model(2, joints=5, mimic=False)
    kernel = dyn_core.compile(model, ["mass_matrix", "inverse_dynamics", "rnea_derivatives"])
    monkeypatch.setenv("DYN_CORE_CACHE", "")
    monkeypatch.setattr(collected, "FIRST_CACHE", 0)
    monkeypatch.setattr(collected, "SECOND_CACHE", block)
    monkeypatch.setattr(printer, "MAX_FUNCTION_NODES", 0)
    for count in SIZES:
        arrays = some_arrays(model, kernel.signature, count)
        expected = [kernel(*state) for state in zip(*arrays, strict=True)]
        out = [np.full((count + 1, *shape), 7.0) for shape in kernel.signature.outputs]
        kernel.batch(*arrays, out=[array[:count] for array in out])
        for k, state in enumerate(expected):
            flat = [state[0], state[1], *state[2]]
            for array, one in zip(out, flat, strict=True):
                assert relative_error(array[k], one) < 1e-13
        assert all((array[count:] == 7.0).all() for array in out)


def test_a_result_that_is_always_zero_is_collected_as_such(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where joints only slide, efforts do not depend on where they are."""
    model = random_model(4, joints=4, kinds=["prismatic"], mimic=False)
    kernel = dyn_core.compile(model, ["rnea_derivatives"])
    monkeypatch.setenv("DYN_CORE_CACHE", "")
    monkeypatch.setattr(collected, "FIRST_CACHE", 0)
    arrays = some_arrays(model, kernel.signature, 9)
    by_q, _, M = kernel.batch(*arrays)
    assert (by_q == 0.0).all()
    expected = np.array([kernel(*state)[2] for state in zip(*arrays, strict=True)])
    assert relative_error(M, expected) < 1e-13


def test_blocks_hold_the_same_entry_of_eight_states_side_by_side() -> None:
    rows = np.arange(20.0).reshape(10, 2)
    blocks = to_blocks(rows)
    assert blocks.shape == (2, 2, 8)
    assert (blocks[1, :, 1] == rows[9]).all()
    assert (blocks[1, :, 2:] == rows[9][:, None]).all()
    assert (from_blocks(blocks, 10) == rows).all()
    for count in (-1, 17):
        with pytest.raises(ValueError, match=f"2 blocks hold up to 16 states, not {count}"):
            from_blocks(blocks, count)
    assert to_blocks(np.empty((0, 2))).shape == (0, 2, 8)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_a_bad_state_leaves_all_others_as_they_were(bad: float) -> None:
    kernel = dyn_core.compile(load("ur5").model, ["forward_dynamics"])
    arrays = some_arrays(kernel.model, kernel.signature, 19)
    clean = kernel.batch(*arrays)
    for place in (0, 3, 18):
        spoilt = [array.copy() for array in arrays]
        spoilt[0][place, 1] = bad
        actual = kernel.batch(*spoilt)
        assert np.isnan(actual[place]).all()
        others = np.arange(19) != place
        assert (actual[others] == clean[others]).all()


def test_nothing_beyond_the_last_state_is_read_or_written() -> None:
    kernel = dyn_core.compile(load("ur5").model, ["inverse_dynamics"])
    arrays = some_arrays(kernel.model, kernel.signature, 16)
    out = np.full((16, 6), 7.0)
    short = [array[:11] for array in arrays]
    for array in arrays:
        array[11:] = np.nan
    kernel.batch(*short, out=out[:11])
    assert np.isfinite(out[:11]).all()
    assert (out[11:] == 7.0).all()


def test_results_go_where_they_are_asked_for() -> None:
    kernel = dyn_core.compile(load("ur5").model, ["inverse_dynamics", "mass_matrix"])
    arrays = some_arrays(kernel.model, kernel.signature, 9)
    tau, M = kernel.batch(*arrays)
    out = np.full((9, 6), np.nan), np.full((9, 6, 6), np.nan)
    assert all(a is b for a, b in zip(kernel.batch(*arrays, out=out), out, strict=True))
    assert (out[0] == tau).all()
    assert (out[1] == M).all()


def test_a_result_may_take_the_place_of_an_input() -> None:
    model = load("ur5").model
    kernel = dyn_core.compile(model, ["integrate"])
    q, dv = some_arrays(model, kernel.signature, 21)
    expected = kernel.batch(q, dv)
    assert kernel.batch(q, dv, out=q) is q
    assert (q == expected).all()


def test_arrays_that_are_strided_read_only_or_named_are_read() -> None:
    kernel = dyn_core.compile(load("ur5").model, ["inverse_dynamics"])
    q, v, a = some_arrays(kernel.model, kernel.signature, 10)
    expected = kernel.batch(q, v, a)
    wide = np.zeros((10, 12))
    wide[:, ::2] = q
    v.setflags(write=False)
    assert (kernel.batch(wide[:, ::2], v, a=a) == expected).all()
    assert (kernel.batch(np.asfortranarray(q), a=a, v=v) == expected).all()


def overlapping(size: int) -> tuple[np.ndarray, np.ndarray]:
    both = np.zeros((11, size))
    return both[:10], both[1:]


WRONG = {
    "one state": (lambda q: {"q": q[0]}, ValueError, r"q \(configuration\) .*\(B, 6\), not \(6,\)"),
    "narrow": (lambda q: {"q": q[:, :5]}, ValueError, r"shape \(B, 6\), not \(10, 5\)"),
    "fewer": (lambda q: {"v": q[:9]}, ValueError, r"v \(velocity\) must have shape \(10, 6\)"),
    "float32": (lambda q: {"q": q.astype(np.float32)}, TypeError, r"not float32: convert .*astype"),
    "list": (lambda q: {"q": q.tolist()}, TypeError, "numpy array of float64, not list"),
    "not blocks": (lambda q: {"blocked": True}, ValueError, r"\(blocks, 6, 8\), not \(10, 6\)"),
    "unknown": (lambda q: {"speed": q}, TypeError, "no argument 'speed'"),
    "no threads": (lambda q: {"threads": 0}, ValueError, "at least 1, not 0"),
    "half threads": (lambda q: {"threads": 1.5}, ValueError, "whole number .*not 1.5"),
    "out small": (lambda q: {"out": q[:9]}, ValueError, r"out, tau \(efforts.*shape \(10, 6\)"),
    "out list": (lambda q: {"out": 3.0}, TypeError, "out, tau .* numpy array .* not float"),
    "two outs": (lambda q: {"out": (q, q)}, TypeError, r"out must be 1 arrays \(tau\), not 2"),
    "out strided": (
        lambda q: {"out": np.zeros((10, 12))[:, ::2]}, ValueError, "C-contiguous .* written",
    ),
    "out unaligned": (
        lambda q: {"out": np.zeros(q.nbytes + 1, np.uint8)[1:].view(float).reshape(q.shape)},
        ValueError, "must be an aligned, C-contiguous",
    ),
    "out shifted": (
        lambda q: dict(zip(("v", "out"), overlapping(6), strict=True)), ValueError,
        "out, tau, overlaps v: give it memory of its own",
    ),
}  # fmt: skip


@pytest.mark.parametrize("by_name", [True, False])
@pytest.mark.parametrize("wrong", WRONG)
def test_what_does_not_fit_is_refused_in_words_and_nothing_is_computed(
    wrong: str, by_name: bool
) -> None:
    change, error, words = WRONG[wrong]
    kernel = dyn_core.compile(load("ur5").model, ["inverse_dynamics"])
    q, v, a = some_arrays(kernel.model, kernel.signature, 10)
    out = np.full((10, 6), np.nan)
    given = {"q": q, "v": v, "a": a, "out": out, **change(q.copy())}
    first = [] if by_name else [given.pop(name) for name in "qva"]
    with pytest.raises(error, match=words):
        kernel.batch(*first, **given)
    assert np.isnan(out).all()


def test_too_many_arrays_and_two_results_in_one_place_are_refused() -> None:
    kernel = dyn_core.compile(load("ur5").model, ["inverse_dynamics"])
    q, v, a = some_arrays(kernel.model, kernel.signature, 10)
    for more in (1, 2, 3):
        with pytest.raises(TypeError, match=rf"expected 3 arrays \(q, v, a\), got {3 + more}"):
            kernel.batch(q, v, a, *(x.copy() for x in (q, v, a)[:more]))
    kernel = dyn_core.compile(load("ur5").model, ["gravity", "nonlinear_effects"])
    q, v = some_arrays(kernel.model, kernel.signature, 10)
    out = np.zeros((10, 6))
    with pytest.raises(ValueError, match="out, nle, overlaps g"):
        kernel.batch(q, v, out=(out, out))


def test_optional_inputs_have_a_row_per_state() -> None:
    model = load("ur5").model
    inputs = ["gravity", "f_ext", dyn_core.payload("tool0")]
    kernel = dyn_core.compile(model, ["inverse_dynamics"], inputs)
    arrays = some_arrays(model, kernel.signature, 5)
    assert relative_error(kernel.batch(*arrays), one_by_one(kernel, arrays)) < 1e-13


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
