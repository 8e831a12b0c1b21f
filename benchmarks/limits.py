# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the processor could do at most: how many multiplications, alone or in vectors, in a time."""

from __future__ import annotations

import ctypes
import re
import time
from functools import cache

from dyn_core.compiler import machine_code as machine

CHAINS = 16
"""Independent chains of fused multiply-adds: enough to hide the latency of each."""
ROUNDS = 20000
MULTIPLIES = re.compile(r"^\s+(?:vfn?m(?:add|sub)|v?mul[sp]d|fn?m(?:ul|add|sub|la|ls)\b)", re.M)
"""On x86-64 and ARM."""


@cache
def multiplications_per_ns(bits: int) -> float:
    """Instructions that multiply, on vectors of so many bits, per nanosecond of this core."""
    lanes = bits // 64
    kind = f"<{lanes} x double>"
    names = [f"%c{k}" for k in range(CHAINS)]
    call = f"call {kind} @llvm.fma.v{lanes}f64({kind} {{}}, {kind} %m, {kind} %a)"
    vector = f"insertelement {kind} undef, double %x, i32 0"
    spread = f"shufflevector {kind} %x0, {kind} undef, <{lanes} x i32> zeroinitializer"
    lines = [
        f"declare {kind} @llvm.fma.v{lanes}f64({kind}, {kind}, {kind})",
        "define double @spin(i64 %rounds, double %x) {", "start:",
        f"%x0 = {vector}", f"%m = {spread}", f"%a = fmul {kind} %m, %m", "br label %round",
        "round:", "%k = phi i64 [0, %start], [%next, %round]",
        *(f"{n} = phi {kind} [%m, %start], [{n}.n, %round]" for n in names),
        *(f"{n}.n = {call.format(n)}" for n in names),
        "%next = add i64 %k, 1", "%more = icmp ult i64 %next, %rounds",
        "br i1 %more, label %round, label %end", "end:",
    ]  # fmt: skip
    total = "%c0.n"
    for k in range(1, CHAINS):
        lines.append(f"%t{k} = fadd {kind} {total}, %c{k}.n")
        total = f"%t{k}"
    lines += [f"%r = extractelement {kind} {total}, i32 0", "ret double %r", "}"]
    code = machine.LoadedCode(machine.to_object_code("\n".join(lines)), ["spin"])
    spin = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_double)(code.address("spin"))
    best = 0.0
    for _ in range(50):
        start = time.perf_counter_ns()
        spin(ROUNDS, 0.5)
        best = max(best, ROUNDS * CHAINS / (time.perf_counter_ns() - start))
    return best


def multiplications(text: str) -> int:
    """Instructions that multiply in the machine code of a module; straight-line code runs once."""
    return len(MULTIPLIES.findall(machine.to_assembly(text)))
