# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The tape: an interpreter that computes what machine code does, before there is any."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from every_request import some_arrays
from robots import OWN_ARM, own_arm, relative_error
from test_code_of_others import arm as robot_with
from test_code_of_others import gravity, slide

import dyn_core
from dyn_core import Model
from dyn_core.compiler.runtime import background_compile as background
from dyn_core.compiler.runtime.backend import VARIABLE


@pytest.fixture
def arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """A robot of which nothing is compiled yet, in memory or on disk."""
    monkeypatch.setenv("DYN_CORE_CACHE", str(tmp_path))
    return Model.from_urdf(OWN_ARM)


def states_of(kernel: dyn_core.Kernel, count: int) -> list[list[np.ndarray]]:
    return [list(x) for x in zip(*some_arrays(kernel.model, kernel.signature, count), strict=True)]


def test_a_tape_has_no_address_and_keeps_its_backend_when_it_is_pickled() -> None:
    kernel = dyn_core.compile(own_arm(), ["gravity"], backend="tape")
    other = pickle.loads(pickle.dumps(kernel))
    assert other.spec.backend == "tape"
    assert (other(np.ones(6)) == kernel(np.ones(6))).all()
    assert not kernel.ready
    for ask in (lambda: kernel.address, lambda: kernel.numba_function, lambda: kernel.batch.rows):
        with pytest.raises(RuntimeError, match="backend='machine'"):
            getattr(ask(), "address", None)


def test_threads_share_a_tape() -> None:
    kernel = dyn_core.compile(own_arm(), ["inverse_dynamics"], backend="tape")
    states = states_of(kernel, 40)
    expected = [kernel(*state) for state in states]
    wrong: list[int] = []

    def compute(start: int) -> None:
        for k in (*range(start, 40), *range(start)):
            wrong.extend([k] if (kernel(*states[k]) != expected[k]).any() else [])

    threads = [threading.Thread(target=compute, args=(k,)) for k in (0, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_tape_hands_over_to_machine_code_without_a_wrong_number(arm: Model) -> None:
    """Two bound callables and batches continue to compute while it is built."""
    tape = dyn_core.compile(arm, ["inverse_dynamics"], backend="tape")  # which leaves nothing
    states, arrays = states_of(tape, 16), some_arrays(arm, tape.signature, 16)
    right = [tape(*state) for state in states]
    kernel = dyn_core.compile(arm, ["inverse_dynamics"], backend="auto")
    assert not kernel.ready
    bound = [kernel.bind(arm.create_data()) for _ in range(2)]
    seen = set()
    for k in range(100000):
        state = states[k % 16]
        seen.add(kernel.ready)
        for compute in bound:
            assert relative_error(compute(*state), right[k % 16]) < 1e-12
        assert relative_error(kernel.batch(*arrays), np.array(right)) < 1e-12
        if True in seen and kernel.batch.rows.ready:
            break
    assert seen == {False, True}
    assert kernel.address
    assert relative_error(kernel.batch(*arrays), np.array(right)) < 1e-12
    assert relative_error(bound[0](*states[0]), right[0]) < 1e-12
    again = dyn_core.compile(Model.from_urdf(OWN_ARM), ["inverse_dynamics"], backend="auto")
    assert again.ready  # what was built is in the cache


def test_code_of_users_is_built_in_the_background_too() -> None:
    """It is named by its text, which there is only once it is printed."""
    model = robot_with(slide(2.0)())
    kernel = dyn_core.compile(model, ["gravity"], backend="auto")
    before, q = kernel(np.ones(1)), np.ones(1)
    assert kernel.address
    assert kernel(q) == pytest.approx(before, rel=1e-12)
    assert kernel(q) == pytest.approx(2.0 * gravity(robot_with(slide(1.0)())), rel=1e-12)


def test_without_a_compiler_the_tape_continues(arm: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PROGRAM", "import os; os.kill(os.getpid(), 9)")
    monkeypatch.setattr(background.warnings, "warn", lambda *_, **__: None)
    kernel = dyn_core.compile(arm, ["gravity"], backend="auto")
    with pytest.raises(RuntimeError, match="could not be built") as caught:
        kernel.address  # noqa: B018
    assert "the compiler ended with status -9" in str(caught.value.__cause__)
    expected = dyn_core.compile(own_arm(), ["gravity"])(np.ones(6))
    assert relative_error(kernel(np.ones(6)), expected) < 1e-12


def test_a_process_may_end_while_it_compiles(tmp_path: Path) -> None:
    """At once, silently, and what compiles for it ends too; also in the midst of everything."""
    begun = (
        "import numpy, dyn_core, os, time; "
        "from dyn_core.compiler.runtime import background_compile as background;"
    )
    asked = (
        f"k = dyn_core.compile(dyn_core.Model.from_urdf({str(OWN_ARM)!r}), ['inverse_dynamics'],"
        "backend='auto');"
    )
    slow = begun + "background.PROGRAM = 'import time; time.sleep(600)';" + asked
    wait = "\nwhile background._builder._process is None: time.sleep(0.001)\n"
    printed = "print(background._builder._process.pid, flush=True)"
    environment = {**os.environ, "DYN_CORE_CACHE": str(tmp_path)}
    for program in (slow + wait + printed, *(f"{begun}{asked}time.sleep({x})" for x in (0, 0.05))):
        run = subprocess.run(
            [sys.executable, "-c", program],
            env=environment, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert (run.returncode, run.stderr) == (0, "")
        for pid in run.stdout.split():
            with pytest.raises(ProcessLookupError):
                os.kill(int(pid), 0)


def test_a_forked_child_builds_what_its_parent_has_not_finished(
    arm: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        background, "PROGRAM", f"import time; time.sleep(0.5); {background.PROGRAM}"
    )
    kernel = dyn_core.compile(arm, ["gravity"], backend="auto")
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=lambda: send.send((kernel.address > 0, kernel(np.ones(6)))))
    child.start()
    try:
        assert receive.poll(60.0)
        there, g = receive.recv()
    finally:
        child.kill()
        child.join()
    assert there
    assert kernel.address
    assert relative_error(g, kernel(np.ones(6))) < 1e-12


def test_the_environment_chooses_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    model = own_arm()
    monkeypatch.setenv(VARIABLE, "tape")
    assert not dyn_core.compile(model, ["gravity"]).ready
    assert dyn_core.compile(model, ["gravity"], backend="machine").ready
    data = model.create_data()
    g = dyn_core.generalized_gravity(model, data, np.ones(6)).copy()
    monkeypatch.setenv(VARIABLE, "")
    kernel = dyn_core.compile(model, ["gravity"])
    assert kernel.ready
    assert relative_error(g, kernel(np.ones(6))) < 1e-12
    monkeypatch.setenv(VARIABLE, "tap")
    with pytest.raises(ValueError, match="variable DYN_CORE_BACKEND is 'tap'; choose from machine"):
        dyn_core.compile(model, ["gravity"])
    with pytest.raises(ValueError, match="backend is 'jit'; choose from machine, tape, auto"):
        dyn_core.compile(model, ["gravity"], backend="jit")
