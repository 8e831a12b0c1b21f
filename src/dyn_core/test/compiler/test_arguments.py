# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What compiled functions accept, refuse and promise about memory."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import threading
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
    if request.param == "ctypes":
        monkeypatch.setattr(python_entry, "supported", lambda: False)
    return request.param


def test_this_interpreter_has_the_fast_entry() -> None:
    assert python_entry.supported()


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


def test_wrong_number_of_arguments_is_refused(arm, entry: str) -> None:
    model, data, q, v, _ = arm
    bound = dyn_core.compile(model, ["inverse_dynamics"]).bind(data)
    with pytest.raises(TypeError, match=r"expected 3 arrays \(q, v, a\), got 2"):
        bound(q, v)


def test_strided_and_read_only_arrays_are_read(arm, entry: str) -> None:
    model, data, q, v, a = arm
    expected = dyn_core.rnea(model, data, q, v, a).copy()
    wide = np.zeros((6, 3))
    wide[:, 1] = q
    v.setflags(write=False)
    assert (dyn_core.rnea(model, data, wide[:, 1], v, a) == expected).all()


def test_result_is_the_field_of_data(arm, entry: str) -> None:
    model, data, q, v, a = arm
    assert dyn_core.rnea(model, data, q, v, a) is data.tau


def test_an_output_may_be_an_input(arm) -> None:
    """All inputs are read before anything is written."""
    model, data, q, v, _a = arm
    expected = dyn_core.compile(model, ["integrate"])(q, v)
    data.q_next[:] = q
    bound = dyn_core.compile(model, ["integrate"]).bind(data)
    assert (bound(data.q_next, v) == expected).all()


def test_nan_in_gives_nan_out(arm, entry: str) -> None:
    model, data, q, v, a = arm
    q[1] = np.nan
    assert np.isnan(dyn_core.rnea(model, data, q, v, a)[1])


def test_calls_allocate_nothing(arm) -> None:
    model, data, q, v, a = arm
    for _ in range(10):
        dyn_core.rnea(model, data, q, v, a)
    before = sys.getallocatedblocks()
    for _ in range(1000):
        dyn_core.rnea(model, data, q, v, a)
    assert sys.getallocatedblocks() - before < 10


def test_new_results_and_batches_leave_nothing_behind(arm) -> None:
    model, _, q, v, a = arm
    kernel = dyn_core.compile(model, [dyn_core.rnea])
    states, out = [np.stack([x] * 9) for x in (q, v, a)], np.empty((9, 6))

    def calls() -> None:
        kernel(q, v, a)
        dyn_core.rnea(model, q, v, a)
        kernel.batch(*states, out=out)

    for _ in range(3000):  # Python keeps up to 2000 tuples of each size for later
        calls()
    before = sys.getallocatedblocks()
    for _ in range(1000):
        calls()
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


def test_options_are_part_of_a_call(arm) -> None:
    model, data, q, *_ = arm
    for frame in ("tool0", "wrist_1_link", "tool0"):
        request = dyn_core.frame_jacobian.request(frame)
        expected = dyn_core.compile(model, [request])(q)
        assert (dyn_core.frame_jacobian(model, q, frame=frame) == expected).all()
        assert dyn_core.frame_jacobian(model, data, q, frame=frame) is data[request]
        assert (data[request] == expected).all()
    for with_data in ([model, data], [model]):
        with pytest.raises(TypeError, match="its options are"):
            dyn_core.frame_jacobian(*with_data, q, frame={})


def test_arrays_of_other_classes_are_read(arm, entry: str) -> None:
    """Those that numpy derives from its own, such as arrays on disk."""
    model, data, q, v, a = arm
    expected = dyn_core.rnea(model, data, q, v, a).copy()
    other = q.view(np.recarray)
    assert type(other) is not np.ndarray
    assert (dyn_core.rnea(model, data, other, v, a) == expected).all()
    assert (dyn_core.rnea(model, other, v, a) == expected).all()
    assert (dyn_core.compile(model, [dyn_core.rnea])(other, v, a) == expected).all()


def test_a_bound_function_outlives_its_kernel_and_data() -> None:
    model = load("ur5").model
    bound = dyn_core.compile(model, ["gravity"]).bind(model.create_data())
    model.kernels.clear()
    assert np.isfinite(bound(np.zeros(6))).all()


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


def test_data_of_another_model_is_refused(arm) -> None:
    model, _, q, v, a = arm
    with pytest.raises(ValueError, match="create_data"):
        dyn_core.rnea(model, load("panda").model.create_data(), q, v, a)
    with pytest.raises(ValueError, match=r"it has 10 joints .* the other 7"):
        dyn_core.compile(model, ["gravity"]).bind(load("panda").model.create_data())


@pytest.mark.parametrize(
    ("names", "words"),
    [([], "at least one"), (["gravity"] * 2, "once"), (["torque"], "choose"), ("gravity", "list")],
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


def test_threads_that_run_one_kernel_at_once_do_not_disturb_each_other() -> None:
    """Batches give up the GIL, so here machine code does run in parallel."""
    robot = load("talos")
    kernel = dyn_core.compile(robot.model, ["mass_matrix"]).batch
    states = [state["q"][None] for state in robot.states(4)]
    expected = [kernel(q) for q in states]
    start, failures = threading.Barrier(4), []

    def work(number: int) -> None:
        start.wait()
        for _ in range(500):
            if not np.array_equal(kernel(states[number]), expected[number]):
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


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
    assert np.isnan(data.tau).all()


def test_an_argument_given_twice_is_refused_and_takes_nobodys_place(arm) -> None:
    model, data, q, v, a = arm
    for with_data in ([model, data], [model]):
        for arguments, named in (
            ((q, v), {"v": a}),
            ((q,), {"q": a, "v": v}),
            ((q, v, a), {"q": q}),
        ):
            with pytest.raises(TypeError, match=r"argument \w is given twice"):
                dyn_core.rnea(*with_data, *arguments, **named)
    assert np.isnan(data.tau).all()


def test_a_bound_function_says_what_it_is(arm, entry: str) -> None:
    model, data, *_ = arm
    bound = dyn_core.compile(model, ["gravity", "nonlinear_effects"]).bind(data)
    assert bound.__name__ == "compute_g_nle"
    assert str(inspect.signature(bound)) == "(q, v)"
    words = inspect.getdoc(bound)
    assert "q: configuration; float64, shape (6,)." in words
    assert "g: generalized gravity (N m, N)." in words


def test_calls_by_name_count_references_right(arm) -> None:
    model, data, q, v, a = arm
    bound = dyn_core.compile(model, ["inverse_dynamics"]).bind(data)
    things = (data.tau, q, v, a)
    counts = [sys.getrefcount(x) for x in things]
    for _ in range(100):
        bound(q, a=a, v=v)
    assert [sys.getrefcount(x) for x in things] == counts


def test_a_model_in_the_place_of_its_data_is_refused_in_words(arm) -> None:
    model, _, q, *_ = arm
    with pytest.raises(TypeError, match="crba: the model is given twice; its Data comes second"):
        dyn_core.crba(model, model, q)


def test_a_misspelt_name_of_data_is_refused(arm) -> None:
    _, data, *_ = arm
    with pytest.raises(AttributeError, match=r"Data have no 'Mx', .*; do you mean data.M\[...\]"):
        data.Mx = 1
    with pytest.raises(AttributeError, match="Data have no 'notes'"):
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


def test_a_misspelt_quantity_is_answered_with_the_nearest_name() -> None:
    model = load("ur5").model
    for name, near in (("rnae", "rnea"), ("mass_matirx", "mass_matrix")):
        with pytest.raises(ValueError, match=f"no quantity '{name}'; is '{near}' meant"):
            dyn_core.compile(model, [name])
