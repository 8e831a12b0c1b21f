# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Many states at once: nanoseconds per state of one call from Python, beside one state at a time.

Rows and blocks of states on one core, rows of floats; the single-state kernel in a loop in machine
code, into the outputs of all states too; Pinocchio's C++ in the same loop, which overwrites its own
results. Two cores share more states: a thread takes ten microseconds to wake.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from limits import multiplications, multiplications_per_ns
from loop import nanoseconds
from pinocchio_cpp import pinocchio_kernels
from robots import Robot, load
from timing import Side, in_turns, ratio

import dyn_core
from dyn_core import Kernel
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.runtime.batch import to_blocks
from dyn_core.compiler.targets.llvm.array_layouts import StateRows
from dyn_core.compiler.targets.llvm.functions import print_batch

STATES = 1024
WRITTEN = 2**22
"""Bytes of outputs at most: with more, time is that of writing to memory."""
SHARED_BYTES = 2**24
"""Of the states, inputs and outputs, that two cores share: they stay in the third cache."""
SHARED_TURNS = 20
"""Each takes milliseconds."""
CALLS = 4
"""Calls that are timed together."""
ROBOTS = ("ur5", "panda", "hyq", "simple_humanoid", "talos")
ARMS = {"ur5", "panda"}
FUNCTIONS = ("rnea", "aba", "crba", "rnea_derivatives")


def goal(robot: str, function: str) -> float | None:
    """Ours over Pinocchio's C++."""
    if function == "rnea_derivatives":
        return 0.05 if robot == "ur5" else 0.17
    if function == "crba":
        return None
    return 0.04 if robot in ARMS else 0.06


def measure(repetitions: int) -> list[dict[str, Any]]:
    """One row per robot and function."""
    rows = [_row(load(robot), x, repetitions) for x in FUNCTIONS for robot in ROBOTS]
    return [*rows, _control_period(repetitions)]


def _control_period(repetitions: int) -> dict[str, Any]:
    """What METAPOD was built for: 160 inverse dynamics of a humanoid in a period of control."""
    model = load("simple_humanoid").model
    kernel = dyn_core.compile(model, ["inverse_dynamics"], backend="machine")
    states = load("simple_humanoid").states(160)
    arrays = [np.array([state[name] for state in states]) for name in kernel.inputs]
    out = kernel.batch(*arrays)

    def taken() -> float:
        start = time.perf_counter_ns()
        kernel.batch(*arrays, out=out)
        return (time.perf_counter_ns() - start) / 1e3

    times = in_turns({"dyn_core": taken}, 20 * repetitions)
    return {"robot": "simple_humanoid", "function": "160 rnea", "us": times, "goal_us": 12.0}


def _row(robot: Robot, function: str, repetitions: int) -> dict[str, Any]:
    quantity = getattr(dyn_core, function)
    kernel = dyn_core.compile(robot.model, [quantity], backend="machine")
    count = min(STATES, WRITTEN // (8 * sum(map(prod, kernel.signature.outputs))) // 64 * 64)
    random = robot.states(count // 4)
    states = [np.array([state[name] for state in random] * 4) for name in quantity.inputs]
    out = kernel.batch(*states)
    arrays = out if isinstance(out, tuple) else (out,)
    blocks, blocked_out = [to_blocks(x) for x in states], _each(out, to_blocks)
    floats = [x.astype(np.float32) for x in states]
    float_out = _each(out, lambda x: x.astype(np.float32))
    sides: dict[str, Side] = {
        "dyn_core": _per_state(lambda: kernel.batch(*states, out=out), count),
        "blocks": _per_state(lambda: kernel.batch(*blocks, out=blocked_out, blocked=True), count),
        "floats": _per_state(lambda: kernel.batch.single(*floats, out=float_out), count),
        "one_by_one": lambda: nanoseconds(kernel.address, states, arrays, kept=True),
    }
    peer = pinocchio_kernels()
    if peer:
        there = peer.address(robot.pin_model, function)
        sides["pinocchio_cpp"] = lambda: nanoseconds(there, states, [])
    row: dict[str, Any] = {"robot": robot.name, "function": function, "lanes": machine.lanes()}
    row |= {"states": count, "ns": in_turns(sides, repetitions)}
    row |= {"ratio": ratio(row, "pinocchio_cpp"), "goal": goal(robot.name, function)}
    row |= _shared(kernel, states, SHARED_BYTES // sum(x.nbytes for x in (*states, *arrays)))
    share = _share(robot, function, row["ns"]["dyn_core"]["min"])
    return row | {"share_of_multipliers": share}


def _shared(kernel: Kernel, states: list[np.ndarray], times_as_many: int) -> dict[str, Any]:
    """How much faster two cores are than one, on so many times as many states."""
    many = [np.tile(x, (max(1, times_as_many), 1)) for x in states]
    out = kernel.batch(*many)
    sides: dict[str, Side] = {
        str(threads): _per_state(
            lambda threads=threads: kernel.batch(*many, out=out, threads=threads), len(many[0])
        )
        for threads in (1, 2)
    }
    times = in_turns(sides, SHARED_TURNS)
    speed_up = round(times["1"]["min"] / times["2"]["min"], 2)
    return {"states_of_two_cores": len(many[0]), "speed_up_of_two_cores": speed_up}


def _share(robot: Robot, function: str, ns: float) -> float:
    """How busy the multipliers are, with what transposing and storing cost."""
    lanes = machine.lanes()
    printed = program(robot.model, [getattr(dyn_core, function).request()], limbs=False)
    taken = multiplications(print_batch(printed, StateRows(printed, lanes)))
    return round(taken / lanes / (ns * multiplications_per_ns(64 * lanes)), 2)


def _each(out: Any, change: Callable[[Any], Any]) -> Any:
    return tuple(map(change, out)) if isinstance(out, tuple) else change(out)


def _per_state(call: Callable[[], Any], states: int) -> Side:
    def taken() -> float:
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        return (time.perf_counter_ns() - start) / (CALLS * states)

    return taken
