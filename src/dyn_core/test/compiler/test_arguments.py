# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What compiled functions accept, refuse and promise about memory."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from robots import load, own_arm

import dyn_core
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.runtime import python_entry


@pytest.fixture
def arm():
    robot = load("ur5")
    data = robot.model.create_data()
    q, v, a = np.random.default_rng(0).normal(size=(3, 6))
    return robot.model, data, q.copy(), v.copy(), a.copy()


@pytest.fixture(params=["entry", "ctypes"])
def entry(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways into compiled code: the fast one, and the one for unknown interpreters."""
    assert python_entry.supported()
    if request.param == "ctypes":
        monkeypatch.setattr(python_entry, "supported", lambda: False)
    return request.param


WRONG = {
    "short": (lambda q: q[:-1], ValueError, r"q \(configuration\) must have shape \(6,\)"),
    "matrix": (lambda q: q.reshape(2, 3), ValueError, r"shape \(6,\), not \(2, 3\)"),
    "scalar array": (lambda q: np.array(1.0), ValueError, r"not \(\)"),
    "float32": (lambda q: q.astype(np.float32), TypeError, r"not float32: convert .*astype"),
    "integers": (lambda q: q.astype(int), TypeError, "not int64"),
    "big endian": (lambda q: q.astype(">f8"), TypeError, "not >f8"),
    "list": (lambda q: q.tolist(), TypeError, "numpy array of float64, not list"),
    "None": (lambda q: None, TypeError, "not NoneType"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_argument_is_refused_and_nothing_is_computed(arm, entry: str, wrong: str) -> None:
    model, data, q, v, a = arm
    change, error, words = WRONG[wrong]
    with pytest.raises(error, match=words):
        dyn_core.rnea(model, data, change(q), v, a)
    assert np.isnan(data.tau).all()


def test_strided_and_read_only_arrays_and_those_of_other_classes_are_read(arm, entry: str) -> None:
    """Classes that numpy derives from its own, such as arrays on disk."""
    model, data, q, v, a = arm
    expected = dyn_core.rnea(model, data, q, v, a).copy()
    wide = np.zeros((6, 3))
    wide[:, 1] = q
    v.setflags(write=False)
    other = q.view(np.recarray)
    assert type(other) is not np.ndarray
    for x in (wide[:, 1], other):
        assert (dyn_core.rnea(model, data, x, v, a) == expected).all()
        assert (dyn_core.rnea(model, x, v, a) == expected).all()
        assert (dyn_core.compile(model, [dyn_core.rnea])(x, v, a) == expected).all()


def test_calls_allocate_nothing(arm) -> None:
    model, data, q, v, a = arm
    for _ in range(10):
        dyn_core.rnea(model, data, q, v, a)
    before = sys.getallocatedblocks()
    for _ in range(1000):
        dyn_core.rnea(model, data, q, v, a)
    assert sys.getallocatedblocks() - before < 10


def test_references_are_counted_right(arm) -> None:
    model, data, q, v, a = arm
    kernel = dyn_core.compile(model, [dyn_core.rnea])
    batch, states = kernel.batch, [np.stack([x] * 3) for x in (q, v, a)]
    things = (dyn_core.rnea(model, data, q, v, a), q, v, a, *states, None, True)
    out = batch(*states)

    def calls() -> None:
        dyn_core.rnea(model, data, q, v, a)
        kernel(q, v, a)
        batch(*states, out=out)

    calls()  # the first call of each kind opens its entry
    counts = [sys.getrefcount(x) for x in (*things, out)]
    for _ in range(100):
        calls()
    assert [sys.getrefcount(x) for x in (*things, out)] == counts


def test_results_without_data_are_new_arrays(arm, entry: str) -> None:
    model, data, q, v, a = arm
    expected = dyn_core.rnea(model, data, q, v, a)
    first = dyn_core.rnea(model, q, v, a)
    second = dyn_core.rnea(model, q, v, a=2.0 * a)
    assert (first == expected).all()
    assert (second != first).any()
    assert not np.shares_memory(first, expected)
    assert dyn_core.kinetic_energy(model, q, v) == dyn_core.kinetic_energy(model, data, q, v)


def test_a_bound_function_may_be_the_last_to_go_when_the_interpreter_ends() -> None:
    """Python clears ``sys`` after all other modules; the C library overwrites what is freed."""
    program = (
        "import sys, dyn_core; from dyn_core.compiler.runtime import python_entry; "
        "from robots import load; model = load('ur5').model; "
        "kernel = dyn_core.compile(model, ['gravity']); "
        "sys.kept = python_entry, kernel.bind(model.create_data())"
    )
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    poisoned = {"PYTHONPATH": path, "PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "2"}
    subprocess.run([sys.executable, "-c", program], env=os.environ | poisoned, check=True)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "at least one"),
        (["gravity"] * 2, "once"),
        (["torque"], "is 'static_torque' meant"),
        (["rnae"], "no quantity 'rnae'; is 'rnea' meant"),
        (["mass_matirx"], "no quantity 'mass_matirx'; is 'mass_matrix' meant"),
        (["zzz"], "choose from"),
        ("gravity", "list"),
    ],
)
def test_unknown_quantities_are_refused(arm, names, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        dyn_core.compile(arm[0], names)


def test_results_hold_nan_until_they_are_computed_and_keep_their_place(arm) -> None:
    data = arm[1]
    assert np.isnan(data.M).all()
    with pytest.raises(AttributeError, match=r"data\.tau\[\.\.\.\]"):
        data.tau = np.zeros(6)


def test_compiled_code_has_no_memory_of_its_own(arm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written but the outputs, so any number of threads may run it at once."""
    printed = []
    original = machine.to_object_code
    monkeypatch.setattr(machine, "to_object_code", lambda ir: printed.append(ir) or original(ir))
    monkeypatch.setenv("DYN_CORE_CACHE", "")
    quantities = ["inverse_dynamics", "mass_matrix", "forward_dynamics", "integrate"]
    dyn_core.compile(arm[0].with_gravity([0.0, 0.0, -1.0]), quantities)
    (ir,) = printed
    assert not list(machine.llvm.parse_assembly(ir).global_variables)


def test_arguments_may_be_given_by_name(arm, entry: str) -> None:
    model, data, q, v, a = arm
    kernel = dyn_core.compile(model, ["inverse_dynamics"])
    bound = kernel.bind(data)
    expected = bound(q, v, a).copy()
    for call in (bound, kernel):
        assert (call(q=q, v=v, a=a) == expected).all()
        assert (call(q, a=a, v=v) == expected).all()
    assert bound(q, v, a=a) is data.tau


def test_wrong_names_are_refused_and_nothing_is_computed(arm, entry: str) -> None:
    model, data, q, v, a = arm
    bound = dyn_core.compile(model, ["inverse_dynamics"]).bind(data)
    for arguments, named, words in (
        ((q, v), {"acceleration": a}, r"no argument 'acceleration'; expected arrays \(q, v, a\)"),
        ((q, v, a), {"a": a}, "argument a is given twice"),
        ((q,), {"v": v}, r"expected 3 arrays \(q, v, a\), got 2"),
        ((q, v), {"a": a.tolist()}, "a .* must be a numpy array"),
    ):
        with pytest.raises(TypeError, match=words):
            bound(*arguments, **named)
    for given in ([model, data], [model]):
        for arguments, named in (
            ((q, v), {"v": a}),
            ((q,), {"q": a, "v": v}),
            ((q, v, a), {"q": q}),
        ):
            with pytest.raises(TypeError, match=r"argument \w is given twice"):
                dyn_core.rnea(*given, *arguments, **named)
    assert np.isnan(data.tau).all()


def test_a_bound_function_has_a_description(arm, entry: str) -> None:
    model, data, *_ = arm
    bound = dyn_core.compile(model, ["gravity", "nonlinear_effects"]).bind(data)
    assert bound.__name__ == "compute_g_nle"
    assert str(inspect.signature(bound)) == "(q, v)"
    words = inspect.getdoc(bound)
    assert "q: configuration; float64, shape (6,)." in words
    assert "g: generalized gravity (N m, N)." in words


def test_a_misspelt_name_of_data_is_refused(arm) -> None:
    _, data, *_ = arm
    with pytest.raises(AttributeError, match=r"Data have no field 'Mx'; do you mean data.M\[...\]"):
        data.Mx = 1
    with pytest.raises(AttributeError, match="Data have no field 'notes'"):
        data.notes = "mine"


def test_a_masked_array_is_refused_by_name() -> None:
    """Its mask would be ignored, in a call, in a bound one and in a batch."""
    model, q = own_arm(), np.ma.MaskedArray(np.zeros(6), mask=[True] + [False] * 5)
    kernel = dyn_core.compile(model, ["gravity"])
    for compute in (kernel, kernel.bind(model.create_data())):
        with pytest.raises(TypeError, match=r"q \(configuration\) must not be a MaskedArray"):
            compute(q)
    with pytest.raises(TypeError, match="MaskedArray"):
        kernel.batch(np.ma.MaskedArray(np.zeros((3, 6))))
    with pytest.raises(TypeError, match="MaskedArray"):
        kernel.batch(np.zeros((3, 6)), out=np.ma.MaskedArray(np.zeros((3, 6))))


@pytest.mark.parametrize("backend", ["machine", "tape"])
def test_a_result_that_was_made_read_only_is_not_overwritten(backend: str) -> None:
    model, q = own_arm(), np.full(6, 0.3)
    data = model.create_data()
    bound = dyn_core.compile(model, ["gravity", "crba"], backend=backend).bind(data)
    bound(q)
    kept = data.M.copy()
    data.M.setflags(write=False)
    for arguments in ({}, {"q": 2.0 * q}):
        with pytest.raises(ValueError, match=r"M \(joint-space mass matrix.*read-only"):
            bound(*([] if arguments else [2.0 * q]), **arguments)
    assert (kept == data.M).all()
    data.M.setflags(write=True)
    bound(2.0 * q)
    assert (kept != data.M).any()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m, d, q: dyn_core.frame_jacobian("tool0"), r"frame_jacobian\.request\('tool0'\)"),
        (lambda m, d, q: dyn_core.crba(), r"crba\.request\(\)"),
        (
            lambda m, d, q: dyn_core.passive_efforts(smoothing=0.1),
            r"passive_efforts\.request\(smoothing=0\.1\)",
        ),
        (
            lambda m, d, q: dyn_core.derivative(dyn_core.crba, by="q"),
            r"derivative\.request\(<quantity crba>, by='q'\)",
        ),
        (lambda m, d, q: dyn_core.crba(q), r"the model comes first: crba\(model, data, q\)"),
        (lambda m, d, q: dyn_core.crba(d, m, q), "the model comes first"),
        (lambda m, d, q: dyn_core.crba(m, m, q), "crba: the model is given twice; the second arg"),
        (lambda m, d, q: dyn_core.frame_jacobian(m, d, q, "tool0"), "by name: frame='tool0'"),
        (lambda m, d, q: dyn_core.frame_jacobian(m, q, "tool0"), "by name: frame='tool0'"),
        (lambda m, d, q: dyn_core.frame_jacobian(m, d, "tool0", q), "by name: frame='tool0'"),
        (
            lambda m, d, q: dyn_core.frame_jacobian(m, d, q, "tool0", dyn_core.WORLD),
            "by name: frame='tool0', reference=WORLD",
        ),
        (
            lambda m, d, q: dyn_core.frame_jacobian(m, d, q, dyn_core.WORLD, frame="tool0"),
            "by name: reference=WORLD",
        ),
        (lambda m, d, q: dyn_core.joint_velocities(m, d, q, q, dyn_core.WORLD), "reference=WORLD"),
        (lambda m, d, q: dyn_core.passive_efforts(m, d, q, q, 0.1), "by name: smoothing=0.1"),
    ],
)
def test_a_call_computes_and_options_have_names(call, words: str) -> None:
    """Whatever was computed before."""
    model = load("ur5").model
    data, q = model.create_data(), np.zeros(model.nq)
    dyn_core.joint_velocities(model, data, q, q)
    dyn_core.passive_efforts(model, data, q, q)
    for _ in range(2):
        with pytest.raises(TypeError, match=words):
            call(model, data, q)
