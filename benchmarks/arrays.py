# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Many states as arrays, from Python: beside frax on JAX and BARD on PyTorch, on one core.

Both run in processes of their own, see array_side.py, in turn with ours on the same core. FRAX and
BARD name folders that have them (requirements/frax.txt, requirements/bard.txt); what is not named
is left out. `make bench BENCH_ARGS="--jobs FOLDER"` writes what gpu.py measures on a GPU.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import kernels
import numpy as np
from robots import FLOATING, Robot
from timing import Side, in_turns
from urdf_writer import write_urdf

import dyn_core
from dyn_core import Kernel
from dyn_core.joints import FreeFlyer

ROBOTS = ("panda_arm", "simple_humanoid")
PEERS = ("frax", "bard")
FUNCTIONS = ("rnea", "crba", "aba")
STATES = (1, 1000, 100_000)
MOST = 1000
"""States that peers compute at once on one core: of more, BARD takes a minute."""
RANDOM = 1000
"""States of a job."""
AGREED = 1e-10
"""How far results may be apart, relative to the largest entry."""
LONG = 0.02  # s that calls which are timed together take at least
ONE_CORE = {
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "CUDA_VISIBLE_DEVICES": "",
    "OMP_NUM_THREADS": "1",
}
Answer = Callable[[str, int], dict[str, Any]]


def measure(repetitions: int) -> list[dict[str, Any]]:
    """One row per robot, function and number of states."""
    core = {max(os.sched_getaffinity(0))}
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, core)  # and what is started from here
    try:
        rows = []
        for name in ROBOTS:
            robot = kernels.loaded(name)
            with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
                path = Path(folder, "job.npz")
                write_job(robot, path)
                peers = {x: stack.enter_context(side(x, path)) for x in PEERS if folders(x)}
                for function in FUNCTIONS:
                    rows += [row(name, robot, function, n, peers, repetitions) for n in STATES]
        return rows
    finally:
        os.sched_setaffinity(0, before)


def write_jobs(folder: Path) -> None:
    """A file for each robot, which gpu.py reads."""
    for name in ROBOTS:
        write_job(kernels.loaded(name), folder / f"{name}.npz")


def write_job(robot: Robot, path: Path) -> None:
    """What array_side.py reads."""
    np.savez(path, **job(robot))  # type: ignore[arg-type]


def job(robot: Robot) -> dict[str, Any]:
    """A robot, states, and what comes out of them."""
    model, states = robot.model, robot.states(RANDOM)
    arrays = {x: np.array([state[x] for state in states]) for x in ("q", "v", "a", "tau")}
    for function in FUNCTIONS:
        kernel = kernel_of(robot, function)
        arrays[function] = kernel.batch(*(arrays[x] for x in kernel.inputs))
    entries = [model.tree[i] for i in model.moving_joints]
    joints = [x.name for x in entries if not isinstance(x.joint, FreeFlyer)]
    floating = robot.name in FLOATING
    return {"urdf": write_urdf(robot), "floating": floating, "joints": joints, **arrays}


def kernel_of(robot: Robot, function: str) -> Kernel:
    """Compiled for this processor."""
    return dyn_core.compile(robot.model, [getattr(dyn_core, function)], backend="machine")


def folders(peer: str) -> str:
    """Where it is, for PYTHONPATH."""
    found = os.environ.get(peer.upper(), "")
    if not found:
        print(f"{peer} is left out: {peer.upper()} names no folder of it", file=sys.stderr)
    return found


@contextmanager
def side(peer: str, path: Path) -> Iterator[Answer]:
    """A peer's process, which answers by array_side.py."""
    command = [sys.executable, str(Path(__file__).with_name("array_side.py"))]
    environment = {**os.environ, **ONE_CORE, "PYTHONPATH": folders(peer)}
    running = subprocess.Popen(
        [*command, peer, str(path), "double"], env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert running.stdin
    assert running.stdout

    def answer(function: str, states: int) -> dict[str, Any]:
        print(json.dumps({"function": function, "states": states}), file=running.stdin, flush=True)
        return dict(json.loads(running.stdout.readline()))

    try:
        yield answer
    finally:
        running.stdin.close()
        running.wait()


def row(
    name: str, robot: Robot, function: str, states: int, peers: dict[str, Answer], repetitions: int
) -> dict[str, Any]:
    """Times of all, once all agree."""
    kernel = kernel_of(robot, function)
    some = robot.states(min(states, RANDOM))
    inputs = [np.array([state[x] for state in some]) for x in kernel.inputs]
    inputs = [np.resize(x, (states, x.shape[1])) for x in inputs]
    sides: dict[str, Side] = {}
    if states == 1:
        bound, first = kernel.bind(robot.model.create_data()), [x[0] for x in inputs]
        sides["dyn_core"] = per_state(lambda: bound(*first), 1)
    else:
        out, floats = kernel.batch(*inputs), [x.astype(np.float32) for x in inputs]
        single = out.astype(np.float32)
        sides["dyn_core"] = per_state(lambda: kernel.batch(*inputs, out=out), states)
        sides["floats"] = per_state(lambda: kernel.batch.single(*floats, out=single), states)
    errors = {}
    for peer, answer in peers.items() if states <= MOST else ():
        errors[peer] = answer(function, states)["error"]
        assert errors[peer] < AGREED, f"{name}, {function}: {peer} is {errors[peer]:.1e} away"
        sides[peer] = lambda answer=answer: answer(function, states)["ns"]
    times = in_turns(sides, repetitions)
    return {"robot": name, "function": function, "states": states, "ns": times, "errors": errors}


def per_state(call: Callable[[], Any], states: int) -> Side:
    """Nanoseconds."""
    start = time.perf_counter()
    call()
    count = max(1, int(LONG / (time.perf_counter() - start)))

    def taken() -> float:
        start = time.perf_counter_ns()
        for _ in range(count):
            call()
        return (time.perf_counter_ns() - start) / (count * states)

    return taken
