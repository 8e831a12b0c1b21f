"""Many states at once: nanoseconds per state of one call from Python, beside one state at a time.

Rows and blocks of states on one core, rows on two, rows of floats; the single-state kernel and
Pinocchio's C++ in a loop in machine code, which overwrite one state's outputs where a batch keeps
those of all.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from limits import multiplications, multiplications_per_ns
from loop import nanoseconds
from pinocchio_cpp import pinocchio_kernels
from robots import Robot, load
from timing import Side, in_turns, ratio

import dyn_core
from dyn_core.codegen import machine
from dyn_core.codegen.llvm import print_batch
from dyn_core.codegen.memory import Rows
from dyn_core.codegen.program import program
from dyn_core.execution.batch import to_blocks

STATES = 1024
CALLS = 4
"""Calls that are timed together."""
ROBOTS = ("ur5", "panda", "hyq", "simple_humanoid", "talos")
ARMS = {"ur5", "panda"}
FUNCTIONS = ("rnea", "aba", "crba", "rnea_derivatives")
SHARE_GOAL = 0.7
"""Of the multiplications that the processor could do in the time of rnea."""
CORES_GOAL = 1.8
"""How many times faster two cores are."""


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
    random = robot.states(STATES // 4)
    states = [np.array([state[name] for state in random] * 4) for name in quantity.inputs]
    out = kernel.batch(*states)
    arrays = out if isinstance(out, tuple) else (out,)
    blocks, blocked_out = [to_blocks(x) for x in states], _each(out, to_blocks)
    floats = [x.astype(np.float32) for x in states]
    float_out = _each(out, lambda x: x.astype(np.float32))
    sides: dict[str, Side] = {
        "dyn_core": _per_state(lambda: kernel.batch(*states, out=out)),
        "blocks": _per_state(lambda: kernel.batch(*blocks, out=blocked_out, blocked=True)),
        "floats": _per_state(lambda: kernel.batch.single(*floats, out=float_out)),
        "two_cores": _per_state(lambda: kernel.batch(*states, out=out, threads=2)),
        "one_by_one": lambda: nanoseconds(kernel.address, states, [x[0].copy() for x in arrays]),
    }
    peer = pinocchio_kernels()
    if peer:
        there = peer.address(robot.pin_model, function)
        sides["pinocchio_cpp"] = lambda: nanoseconds(there, states, [])
    row: dict[str, Any] = {"robot": robot.name, "function": function, "lanes": machine.lanes()}
    row["ns"] = in_turns(sides, repetitions)
    best = {side: times["min"] for side, times in row["ns"].items()}
    row |= {"ratio": ratio(row, "pinocchio_cpp"), "goal": goal(robot.name, function)}
    row |= {"speed_up_of_two_cores": round(best["dyn_core"] / best["two_cores"], 2)}
    return row | {"share_of_multipliers": _share(robot, function, best["dyn_core"])}


def _share(robot: Robot, function: str, ns: float) -> float:
    """How busy the multipliers are, with what transposing and storing cost."""
    lanes = machine.lanes()
    printed = program(robot.model, [getattr(dyn_core, function).request()], limbs=False)
    taken = multiplications(print_batch(printed, Rows(printed, lanes)))
    return round(taken / lanes / (ns * multiplications_per_ns(64 * lanes)), 2)


def _each(out: Any, change: Callable[[Any], Any]) -> Any:
    return tuple(map(change, out)) if isinstance(out, tuple) else change(out)


def _per_state(call: Callable[[], Any]) -> Side:
    def taken() -> float:
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        return (time.perf_counter_ns() - start) / (CALLS * STATES)

    return taken
