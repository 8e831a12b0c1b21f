# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The entry of a long kernel: after a pause between calls it prefetches the kernel's code.

A controller calls a kernel once per millisecond, after other work has gone through the caches.
Straight-line code then misses the cache at every line, and each miss waits for the one before: the
290 KB of a humanoid's derivatives take 100 us, where they take 7 us from the cache. The entry
issues a prefetch per line before the code runs. Prefetches do not wait for each other; a core has
16 of them in flight: 35 us.

To avoid prefetches of code in the cache, the entry reads the processor's time-stamp counter, which
takes a few nanoseconds, and prefetches only if the last call was long ago.
"""

from __future__ import annotations

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.targets.llvm.instructions import Emitter, function
from dyn_core.compiler.targets.llvm.number_type import pointer

LINE = 64
"""Bytes of a cache line."""
LONG_AGO = 2**17
"""The least cycles of the time-stamp counter since the last call for code to be prefetched: 40 to
65 us on today's processors."""
FEWEST = 2500
"""The least nodes of a kernel with this entry: to read the counter takes up to 20 ns, 5 % of the
time of so many nodes."""
READ, INTO_ALL_CACHES, DATA = 0, 3, 1
"""Arguments of LLVM's prefetch. No instruction prefetches into the instruction cache. The line goes
to the first-level data cache and to the unified second-level cache, 14 cycles away."""


def print_prefetching(name: str, parameters: str, first: str, straight: str) -> str:
    """The text of ``void name(parameters)``, which prefetches code and calls ``straight``.

    The code is that from the function ``first`` up to this one, the last of the module so far.

    Args:
        name: of the function.
        parameters: of both functions, types with names.
        first: the first function of the code.
        straight: the function that computes.
    """
    word, byte = pointer("i64"), pointer("i8")
    prefetch = f"void @llvm.prefetch.{'p0' if byte == 'ptr' else 'p0i8'}"
    declared = [f"declare {prefetch}({byte}, i32, i32, i32)"]
    out = Emitter()
    out.label("start")
    if machine.has_time_stamps():
        declared += ["@called = internal global i64 0, align 8"]
        declared += ["declare i64 @llvm.readcyclecounter()"]
        now = out.op("call i64 @llvm.readcyclecounter()")
        then = out.op(f"load atomic i64, {word} @called monotonic, align 8")
        since = out.op(f"sub i64 {now}, {then}")
        recent = out.op(f"icmp ult i64 {since}, {LONG_AGO // 2}")
        out.lines.append(f"br i1 {recent}, label %compute, label %renew")
        out.label("renew")  # not at each call: threads that call in turn would exchange the line
        out.lines.append(f"store atomic i64 {now}, {word} @called monotonic, align 8")
        late = out.op(f"icmp ugt i64 {since}, {LONG_AGO}")
        out.lines.append(f"br i1 {late}, label %prefetch, label %compute")
        out.label("prefetch")
    begin = out.op(f"ptrtoint {_function(parameters)} @{first} to i64")
    end = out.op(f"ptrtoint {_function(parameters)} @{name} to i64")
    with out.loop("%line", begin, end, LINE):
        place = out.op(f"inttoptr i64 %line to {byte}")
        how = f"i32 {READ}, i32 {INTO_ALL_CACHES}, i32 {DATA}"
        out.lines.append(f"call {prefetch}({byte} {place}, {how})")
    out.lines += ["br label %compute", "compute:", f"call void @{straight}({parameters})"]
    head = f"void @{name}({parameters})"
    return "\n".join([*declared, function(head, [*out.lines, "ret void"])])


def _function(parameters: str) -> str:
    """The type of a pointer to a function of these parameters."""
    kinds = ", ".join(parameter.rsplit(" ", 1)[0] for parameter in parameters.split(", "))
    return pointer(f"void ({kinds})")
