# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Time machine code alone: a loop in machine code calls it, state after state."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.targets.llvm.instructions import pointer

Arrays = Sequence[NDArray[np.float64]]
SETTLED = 200_000
"""Nanoseconds that a measurement takes at least: calling the loop from Python takes a microsecond
or two, which 256 states of a small robot would each bear 7 ns of."""


def nanoseconds(address: int, states: Arrays, outputs: Arrays, kept: bool = False) -> float:
    """Time per call of ``void f(double *inputs..., double *outputs...)``, over and over the states.

    Args:
        address: where the function is.
        states: one array per input, C-contiguous, a row per state.
        outputs: one array per output; each call overwrites them, unless they are
        kept: each call fills the next entry of arrays of the outputs of all states.
    """
    sizes = [array.shape[1] for array in states]
    sizes += [array[0].size if kept else 0 for array in outputs]
    loop = _loop(tuple(sizes))
    arguments = [array.ctypes.data for array in (*states, *outputs)]

    def taken(rounds: int) -> int:
        start = time.perf_counter_ns()
        loop(address, rounds, len(states[0]), *arguments)
        return time.perf_counter_ns() - start

    rounds, elapsed = 1, taken(1)
    if elapsed < SETTLED:
        rounds = SETTLED // elapsed + 1
        elapsed = taken(rounds)
    return elapsed / (rounds * len(states[0]))


@cache
def _loop(sizes: tuple[int, ...]) -> ctypes._FuncPointer:
    """``void loop(address, rounds, count, arrays...)``.

    For arrays that go on by so many numbers a call.
    """
    code = machine.LoadedCode(machine.to_object_code(_text(sizes)), ["loop"])
    loop = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * (3 + len(sizes)))(code.address("loop"))
    loop.code = code  # type: ignore[attr-defined]  # lives as long as its address is used
    return loop


def _text(sizes: tuple[int, ...]) -> str:
    """The loops as LLVM IR: addresses are integers that grow by a state's size."""
    real = pointer("double")
    names = [f"%array{k}" for k in range(len(sizes))]
    function = pointer(f"void ({', '.join([real] * len(names))})")
    parameters = ", ".join(f"i64 {name}" for name in ("%address", "%rounds", "%count", *names))
    lines = [
        f"define void @loop({parameters}) {{",
        "start:",
        f"  %function = inttoptr i64 %address to {function}",
        "  br label %round",
        "round:",
        "  %r = phi i64 [0, %start], [%again, %rounded]",
        "  br label %state",
        "state:",
        "  %k = phi i64 [0, %round], [%next, %state]",
    ]
    for name, size in zip(names, sizes, strict=True):
        lines += [
            f"  {name}.o = mul i64 %k, {8 * size}",
            f"  {name}.i = add i64 {name}, {name}.o",
            f"  {name}.p = inttoptr i64 {name}.i to {real}",
        ]
    lines += [
        f"  call void %function({', '.join(f'{real} {name}.p' for name in names)})",
        "  %next = add i64 %k, 1",
        "  %more = icmp ult i64 %next, %count",
        "  br i1 %more, label %state, label %rounded",
        "rounded:",
        "  %again = add i64 %r, 1",
        "  %left = icmp ult i64 %again, %rounds",
        "  br i1 %left, label %round, label %end",
        "end:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines) + "\n"
