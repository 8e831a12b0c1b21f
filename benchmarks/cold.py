# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Once per millisecond: each call comes after other work went through the caches.

Between calls 96 MB of other data are read and another long kernel runs, so that data, code and
branches of the call before are gone. Measured as a user has it, a bound call beside Pinocchio's
binding, with the time of an empty call taken off both; and the machine code alone, beside
Pinocchio's C++.
"""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pinocchio as pin
from pinocchio_cpp import pinocchio_kernels
from robots import Robot, load
from timing import Side

import dyn_core
from dyn_core import Quantity
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.pipeline import print_one_state
from dyn_core.compiler.targets.llvm.instructions import pointer

ROBOTS = ("ur5", "panda", "hyq", "simple_humanoid", "talos")
PEERS: dict[str, Callable[..., Any]] = {
    "rnea": pin.rnea,
    "crba": pin.crba,
    "aba": pin.aba,
    "minverse": pin.computeMinverse,
    "rnea_derivatives": pin.computeRNEADerivatives,
    "aba_derivatives": pin.computeABADerivatives,
}
GOALS = {("talos", "rnea"): 5.0, ("talos", "aba"): 4.0, ("talos", "aba_derivatives"): 2.5}
"""How many times as fast as Pinocchio's binding."""
GOAL_OF_UR5 = 6.0
EVICTED = 96 * 2**20
"""Bytes of other data between two calls."""
LINE = 64
"""Bytes of a line of the cache."""


def measure(repetitions: int) -> list[dict[str, Any]]:
    """One row per robot and function."""
    return [_row(load(robot), x, repetitions) for x in PEERS for robot in ROBOTS]


def _row(robot: Robot, function: str, repetitions: int) -> dict[str, Any]:
    quantity: Quantity = getattr(dyn_core, function)
    kernel = dyn_core.compile(robot.model, [quantity], backend="machine")
    state = robot.states(1)[0]
    inputs = [np.ascontiguousarray(state[name]) for name in quantity.inputs]
    bound = kernel.bind(robot.model.create_data())
    theirs, data = PEERS[function], robot.pin_model.createData()
    ours = [*inputs, *(np.empty(shape) for shape in kernel.signature.outputs)]
    sides: dict[str, Side] = {
        "empty call": lambda: _called(_empty, *inputs),
        "dyn_core": lambda: _called(bound, *inputs),
        "pinocchio": lambda: _called(theirs, robot.pin_model, data, *inputs),
        "empty": lambda: cold_nanoseconds(empty(), ours),
        "dyn_core_kernel": lambda: cold_nanoseconds(kernel.address, ours),
    }
    peer = pinocchio_kernels()
    if peer:
        there = peer.address(robot.pin_model, function)
        sides["pinocchio_cpp"] = lambda: cold_nanoseconds(there, inputs)
    times = cold_medians(sides, 2 * repetitions)
    calls, empty_call = ("dyn_core", "pinocchio"), times.pop("empty call")
    nothing = times.pop("empty")
    own = {
        side: max(1.0, x - (empty_call if side in calls else nothing)) for side, x in times.items()
    }
    printed = machine.to_object_code(print_one_state(robot.model, [quantity.request()]))
    of_ur5 = GOAL_OF_UR5 if robot.name == "ur5" else None
    return {
        "robot": robot.name,
        "function": function,
        "ns": {side: round(x) for side, x in own.items()},
        "times_as_fast": round(own["pinocchio"] / own["dyn_core"], 2),
        "goal": GOALS.get((robot.name, function), of_ur5),
        "ratio_cpp": round(own["dyn_core_kernel"] / own["pinocchio_cpp"], 3) if peer else None,
        "bytes": machine.code_size(printed),
    }


def cold_medians(sides: Mapping[str, Side], repetitions: int) -> dict[str, float]:
    """The median of each side, measured in turns; the first round only warms up."""
    taken: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(repetitions + 1):
        for side, once in sides.items():
            taken[side].append(once())
    return {side: statistics.median(times[1:]) for side, times in taken.items()}


def _empty(*arguments: Any) -> None:
    """What is measured of a call that does nothing."""


def _called(function: Callable[..., Any], *arguments: Any) -> float:
    """Nanoseconds of one call from Python, after other work."""
    cold_nanoseconds(empty(), [arguments[-1]])
    start = time.perf_counter_ns()
    function(*arguments)
    return time.perf_counter_ns() - start


def cold_nanoseconds(address: int, arrays: Sequence[np.ndarray]) -> float:
    """Time of one call of ``void f(double *arrays...)``, after other work."""
    other = _other_work()
    arguments = [
        address,
        other.address("kernel"),
        _OTHERS.ctypes.data,
        EVICTED,
        _EVICTED.ctypes.data,
    ]
    return _once(len(arrays))(*arguments, *(x.ctypes.data for x in arrays)) / _cycles_per_ns()


@cache
def empty() -> int:
    """The address of a function that does nothing."""
    code = machine.LoadedCode(
        machine.to_object_code("define void @empty() {\n  ret void\n}\n"), ["empty"]
    )
    _KEPT.append(code)
    return code.address("empty")


_EVICTED = np.zeros(EVICTED // 8)
_OTHERS = np.ones(2**17)
_KEPT: list[machine.LoadedCode] = []


@cache
def _other_work() -> machine.LoadedCode:
    """A kernel of 250 KB, as other code of a process runs between two calls."""
    model = load("simple_humanoid").model
    text = print_one_state(model, [dyn_core.aba_derivatives.request()])
    return machine.LoadedCode(machine.to_object_code(text), ["kernel"])


@cache
def _cycles_per_ns() -> float:
    text = "\n".join(
        [
            "declare i64 @llvm.readcyclecounter()",
            "define i64 @now() {",
            "  %now = call i64 @llvm.readcyclecounter()",
            "  ret i64 %now",
            "}",
        ]
    )
    code = machine.LoadedCode(machine.to_object_code(text), ["now"])
    now = ctypes.CFUNCTYPE(ctypes.c_int64)(code.address("now"))
    start, cycles = time.perf_counter_ns(), now()
    time.sleep(0.1)
    cycles = now() - cycles
    return cycles / (time.perf_counter_ns() - start)


@cache
def _once(arrays: int) -> ctypes._FuncPointer:
    """``int64_t once(f, other, its arrays, bytes, data, arrays...)``: cycles of one call."""
    real, word = pointer("double"), pointer("i64")
    names = [f"{real} %array{k}" for k in range(arrays)]
    six = ", ".join([real] * 6)
    kinds = ", ".join([real] * arrays)
    text = "\n".join(
        [
            "declare i64 @llvm.readcyclecounter()",
            f"define i64 @once({pointer(f'void ({kinds})')} %f, {pointer(f'void ({six})')} %other, "
            f"{real} %its, i64 %bytes, {pointer('i8')} %data, {', '.join(names)}) {{",
            "start:",
            "  br label %line",
            "line:",
            "  %k = phi i64 [0, %start], [%next, %line]",
            "  %sum = phi i64 [0, %start], [%more, %line]",
            f"  %place = getelementptr i8, {pointer('i8')} %data, i64 %k",
            f"  %at = bitcast {pointer('i8')} %place to {word}",
            f"  %read = load i64, {word} %at",
            "  %more = add i64 %sum, %read",
            f"  %next = add i64 %k, {LINE}",
            "  %again = icmp ult i64 %next, %bytes",
            "  br i1 %again, label %line, label %read.all",
            "read.all:",
            f"  call void %other({', '.join([f'{real} %its'] * 6)})",
            "  fence seq_cst",
            "  %before = call i64 @llvm.readcyclecounter()",
            f"  call void %f({', '.join(names)})",
            "  fence seq_cst",
            "  %after = call i64 @llvm.readcyclecounter()",
            "  %taken = sub i64 %after, %before",
            "  %zero = and i64 %more, 0",
            "  %result = add i64 %taken, %zero",
            "  ret i64 %result",
            "}",
        ]
    )
    code = machine.LoadedCode(machine.to_object_code(text), ["once"])
    _KEPT.append(code)
    kinds_of = [ctypes.c_int64] * (5 + arrays)
    return ctypes.CFUNCTYPE(ctypes.c_int64, *kinds_of)(code.address("once"))
