"""Time machine code alone: a loop in machine code calls it, state after state."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dyn_core.codegen import machine
from dyn_core.codegen.number import pointer

Arrays = Sequence[NDArray[np.float64]]


def nanoseconds(address: int, states: Arrays, outputs: Arrays, kept: bool = False) -> float:
    """Time per call of ``void f(double *inputs..., double *outputs...)``, once for every state.

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
    start = time.perf_counter_ns()
    loop(address, len(states[0]), *arguments)
    return (time.perf_counter_ns() - start) / len(states[0])


@cache
def _loop(sizes: tuple[int, ...]) -> ctypes._FuncPointer:
    """``void loop(address, count, arrays...)`` for arrays that go on by so many numbers a call."""
    code = machine.LoadedCode(machine.to_object_code(_text(sizes)), ["loop"])
    loop = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * (2 + len(sizes)))(code.address("loop"))
    loop.code = code  # type: ignore[attr-defined]  # lives as long as its address is used
    return loop


def _text(sizes: tuple[int, ...]) -> str:
    """The loop as LLVM IR: addresses are integers that grow by a state's size."""
    real = pointer("double")
    names = [f"%array{k}" for k in range(len(sizes))]
    function = pointer(f"void ({', '.join([real] * len(names))})")
    parameters = ", ".join(f"i64 {name}" for name in ("%address", "%count", *names))
    lines = [
        f"define void @loop({parameters}) {{",
        "start:",
        f"  %function = inttoptr i64 %address to {function}",
        "  br label %state",
        "state:",
        "  %k = phi i64 [0, %start], [%next, %state]",
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
        "  br i1 %more, label %state, label %end",
        "end:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines) + "\n"
