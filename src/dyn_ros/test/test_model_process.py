# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Descriptions are read in a process that can be killed, and whose machine code comes back."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Timer

import pytest
from ros_helpers import arm

import dyn_core
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.runtime import code_cache as cache
from dyn_ros.kernels.robot import KernelRequest, load_compiled
from dyn_ros.kernels.surroundings import in_surroundings
from dyn_ros.node.description_source import abandon, submit
from dyn_ros.process.model_process import ModelProcess, cache_is_off

KERNELS = (in_surroundings(("gravity", "nonlinear_effects")),)


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelProcess]:
    """A process of its own, with an empty cache."""
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "cache"))
    process = ModelProcess()
    yield process
    process.end()


def pid(process: ModelProcess) -> int:
    assert process._process is not None
    return process._process.pid


def test_nothing_is_compiled_here(process: ModelProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    description = arm(mass=1.25)  # of no other test: nodes of a process share models
    model = process.load(description, KERNELS)
    assert model.fingerprint == dyn_core.Model.from_urdf(description).fingerprint
    monkeypatch.setattr(machine, "to_object_code", lambda ir: 1 / 0)
    for kernel in (KernelRequest(("integrate",)), *KERNELS):
        kernel.compile(model)
    with pytest.raises(ZeroDivisionError):
        dyn_core.compile(model, ["mass_matrix"])


def test_what_is_read_here_and_there_is_one_model(process: ModelProcess) -> None:
    """Which process reads it is decided by whether a node of this one is active by then."""
    description = arm(mass=1.5)
    here = load_compiled(description, KERNELS)
    assert process.load(description, KERNELS) is here
    assert process.load(arm(mass=1.75), KERNELS) is not here


def test_it_is_started_once_and_has_less_priority(process: ModelProcess) -> None:
    process.load(arm(), KERNELS)
    first = pid(process)
    process.load(arm(mass=2), KERNELS)
    assert pid(process) == first
    assert os.getpriority(os.PRIO_PROCESS, first) == 10
    assert os.sched_getscheduler(first) == os.SCHED_OTHER


def test_a_refusal_has_its_words(process: ModelProcess) -> None:
    with pytest.raises(ValueError, match="link 'upper'"):
        process.load(arm(mass=-1), KERNELS)
    assert process.load(arm(), KERNELS).name == "arm"


def test_a_killed_process_is_a_worded_error(process: ModelProcess) -> None:
    process.load(arm(), KERNELS)
    os.kill(pid(process), signal.SIGSTOP)
    killer = Timer(0.2, os.kill, (pid(process), signal.SIGKILL))
    killer.start()
    with pytest.raises(ValueError, match="ended with status -9"):
        process.load(arm(mass=2), KERNELS)
    killer.join()


def test_a_description_that_is_being_read_at_the_end_is_said_to_end_with_it(
    process: ModelProcess,
) -> None:
    """It was told of a process that ended with status -9, perhaps out of memory."""
    process.load(arm(), KERNELS)
    os.kill(pid(process), signal.SIGSTOP)
    end = Timer(0.2, process.end)
    end.start()
    with pytest.raises(ValueError, match="this process ends"):
        process.load(arm(mass=2), KERNELS)
    end.join()


def test_signals_for_the_group_leave_it_alone(process: ModelProcess) -> None:
    process.load(arm(), KERNELS)
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(pid(process), number)
    first = pid(process)
    assert process.load(arm(mass=2), KERNELS).name == "arm"
    assert pid(process) == first


def test_without_cache_it_is_known_that_code_cannot_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(cache.FOLDER_VARIABLE, "")
    assert cache_is_off()


def test_what_waits_to_be_prepared_is_dropped_at_the_end() -> None:
    """A running preparation cannot be ended, and is reported; what waits for it never begins."""
    begun, may_end = Event(), Event()

    def work() -> None:
        begun.set()
        may_end.wait(10.0)

    running, waiting = submit(work), submit(work)
    assert begun.wait(10.0)
    try:
        assert abandon()
    finally:
        may_end.set()
    assert running.result(10.0) is None
    assert waiting.cancelled()
    assert not abandon()
