"""Many states at once: nanoseconds per state of one call from Python, beside one state at a time.

Rows and blocks of states on one core, rows on two; the single-state kernel and Pinocchio's C++ in a
loop in machine code, which overwrite one state's outputs where a batch keeps those of all. The
sides take turns, and of many repetitions the shortest counts, as in `kernels.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from loop import nanoseconds
from pinocchio_cpp import pinocchio_kernels
from robots import Robot, load

import dyn_core
from dyn_core import Quantity
from dyn_core.codegen import machine
from dyn_core.execution.batch import to_blocks

STATES = 1024
CALLS = 4
"""Calls that are timed together."""
ROBOTS = ("ur5", "panda", "hyq", "simple_humanoid", "talos")
ARMS = {"ur5", "panda"}
GOALS = {True: 0.04, False: 0.06}
"""Ours over Pinocchio's, of rnea and aba, by whether the robot is an arm."""


def measure(repetitions: int) -> list[dict[str, Any]]:
    """One row per robot and function."""
    functions = (dyn_core.rnea, dyn_core.aba, dyn_core.crba)
    return [_row(load(robot), x, repetitions) for robot in ROBOTS for x in functions]


def _row(robot: Robot, quantity: Quantity, repetitions: int) -> dict[str, Any]:
    kernel = dyn_core.compile(robot.model, [quantity])
    random = robot.states(STATES // 4)
    states = [np.array([state[name] for state in random] * 4) for name in quantity.inputs]
    out = kernel.batch(*states)
    blocks, blocked_out = [to_blocks(x) for x in states], to_blocks(out)
    peer = pinocchio_kernels()
    sides: dict[str, Callable[[], float]] = {
        "rows_ns": lambda: _per_state(lambda: kernel.batch(*states, out=out)),
        "blocks_ns": lambda: _per_state(
            lambda: kernel.batch(*blocks, out=blocked_out, blocked=True)
        ),
        "rows_two_cores_ns": lambda: _per_state(lambda: kernel.batch(*states, out=out, threads=2)),
        "one_by_one_ns": lambda: nanoseconds(kernel.address, states, [out[0].copy()]),
    }
    if peer:
        name = quantity.__name__
        sides["pinocchio_cpp_ns"] = lambda: nanoseconds(
            peer.address(robot.pin_model, name), states, []
        )
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(repetitions):
        for side, taken in sides.items():
            times[side].append(taken())
    best = {side: round(min(x), 1) for side, x in times.items()}
    row = {"robot": robot.name, "function": quantity.__name__, "lanes": machine.lanes(), **best}
    if "pinocchio_cpp_ns" in best and quantity is not dyn_core.crba:
        row["ratio"] = round(best["rows_ns"] / best["pinocchio_cpp_ns"], 3)
        row["goal"] = GOALS[robot.name in ARMS]
    return row


def _per_state(call: Callable[[], Any]) -> float:
    start = time.perf_counter_ns()
    for _ in range(CALLS):
        call()
    return (time.perf_counter_ns() - start) / (CALLS * STATES)
