# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kernels called from numba's compiled code."""

from __future__ import annotations

import gc
import pickle
import runpy
import subprocess
import sys
from pathlib import Path

import numba
import numba.core.errors
import numpy as np
import pytest
from every_request import some_arrays
from repository import in_repository
from robots import own_arm

import dyn_core


@pytest.fixture(scope="module")
def kernel() -> dyn_core.Kernel:
    return dyn_core.compile(own_arm(), ["inverse_dynamics", "kinetic_energy"])


def test_compiled_python_computes_what_the_kernel_does(kernel) -> None:
    compute = kernel.numba_function

    @numba.njit
    def twice(q, v, a):
        tau, energy = np.empty_like(q), np.empty(())
        for _ in range(2):
            compute(q, v, a, tau, energy)
            q = q + v
        return tau, energy

    q, v, a = (x[0] for x in some_arrays(kernel.model, kernel.signature, 1))
    for actual, expected in zip(twice(q, v, a), kernel(q + v, v, a), strict=True):
        assert (actual == expected).all()


@pytest.mark.parametrize("count", [0, 1, 11])
def test_a_batch_in_compiled_python(kernel, count: int) -> None:
    arrays = some_arrays(kernel.model, kernel.signature, count)
    tau, energy = np.empty((count, 6)), np.empty(count)
    kernel.batch.numba_function(*arrays, tau, energy)
    expected = kernel.batch(*arrays)
    assert (tau == expected[0]).all()
    assert (energy == expected[1]).all()


def test_what_does_not_fit_is_refused_in_words(kernel) -> None:
    q, v, a = (x[0] for x in some_arrays(kernel.model, kernel.signature, 1))
    tau, energy = np.full(6, np.nan), np.empty(())
    compute, rows = kernel.numba_function, kernel.batch.numba_function
    with pytest.raises(ValueError, match=r"tau must have shape \(6,\)"):
        compute(q, v, a, np.empty(5), energy)
    with pytest.raises(numba.TypingError, match=r"expected 5 arrays \(q, v, a, tau, .* got 4"):
        compute(q, v, a, tau)
    with pytest.raises(numba.TypingError, match="v must be an array of float64, not"):
        compute(q, v.astype(np.float32), a, tau, energy)
    with pytest.raises(numba.TypingError, match=r"a must be a C-contiguous array of shape \(6,\)"):
        compute(q, v, np.empty((6, 2))[:, 0], tau, energy)
    readonly = tau.copy()
    readonly.setflags(write=False)

    @numba.njit
    def into_a_global() -> None:
        compute(q, v, a, tau, energy)  # numba freezes those that it finds outside

    for call in (into_a_global, lambda: compute(q, v, a, readonly, energy)):
        with pytest.raises(numba.TypingError, match="tau must be an array that can be written to"):
            call()
    compute(readonly, v, a, np.empty(6), energy)
    q, v, a = (np.zeros((n, 6)) for n in (3, 4, 3))
    with pytest.raises(ValueError, match=r"v must have shape \(B, 6\)"):
        rows(q, v, a, np.empty((3, 6)), np.empty(3))
    assert np.isnan(tau).all()


def test_the_function_outlives_its_kernel() -> None:
    model = own_arm()
    gravity = dyn_core.compile(model, ["gravity"]).numba_function
    expected, g = dyn_core.generalized_gravity(model, np.ones(6)), np.empty(6)
    model.kernels.clear()
    del model
    gc.collect()
    gravity(np.ones(6), g)
    assert (g == expected).all()


def test_numba_keeps_no_caller_on_disk(kernel, tmp_path: Path) -> None:
    """The next process has the machine code elsewhere: what numba had kept would jump anywhere."""
    path = tmp_path / "callers.py"
    path.write_text("def caller(compute, q, v, a, tau, energy): compute(q, v, a, tau, energy)")
    caller = numba.njit(cache=True)(runpy.run_path(str(path))["caller"])
    with pytest.warns(numba.core.errors.NumbaWarning, match="Cannot cache"):
        caller(kernel.numba_function, *np.zeros((4, 6)), np.empty(()))
    assert not list(tmp_path.rglob("*.nb?"))


@pytest.mark.thorough
def test_a_function_that_is_pickled_finds_the_code_of_another_process(kernel) -> None:
    arrays = [x[0] for x in some_arrays(kernel.model, kernel.signature, 1)]
    expected = kernel(*arrays)
    filled = [np.empty((1, 6)), np.empty(1)]
    rows = (kernel.batch.numba_function, [*(x[None] for x in arrays), *filled])
    one = (kernel.numba_function, [*arrays, np.empty(6), np.empty(())])
    program = """
import pickle, sys
before = [bytearray(99) for _ in range(10**5)]  # code is not where it was
for function, arrays in pickle.load(sys.stdin.buffer):
    function(*arrays)
    print(arrays[-2].ravel().tolist())
"""
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, input=pickle.dumps([one, rows]), capture_output=True, check=True)
    assert [eval(line) for line in run.stdout.splitlines()] == [expected[0].tolist()] * 2


def test_if_numba_must_not_compile_functions_are_python(monkeypatch) -> None:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    kernel = dyn_core.compile(own_arm(), ["inverse_dynamics", "forward_dynamics"])
    states, out = some_arrays(own_arm(), kernel.signature, 3), np.empty((2, 3, 6))
    numba.njit(kernel.batch.numba_function)(*states, *out)
    kernel.numba_function(*(x[0] for x in states), *out[:, 0])
    assert (out == kernel.batch(*states)).all()
    with pytest.raises(TypeError, match=r"v .* must be a numpy array"):
        kernel.numba_function(np.zeros(6), None, *np.zeros((4, 6)))


def test_without_numba_the_error_names_how_to_get_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    kernel = dyn_core.compile(own_arm(), ["mass_matrix"])
    with pytest.raises(ImportError, match=r"pip install '?numba"):
        _ = kernel.numba_function


@pytest.mark.thorough
def test_the_example_follows_and_settles(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(in_repository("examples/numba_control_loop.py")), run_name="__main__")
    errors = [float(line.split()[-2]) for line in capsys.readouterr().out.splitlines()]
    assert len(errors) == 2
    assert max(errors) < 1e-3
