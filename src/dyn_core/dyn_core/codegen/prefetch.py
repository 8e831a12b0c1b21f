# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The entry of a kernel that is called once in a while: its code is prefetched before it runs.

A controller calls a kernel once per millisecond, after other work has gone through the caches.
Straight code then misses the cache at every line, and each miss waits for the one before: 290 KB of
a humanoid's derivatives take 100 us where they take 7 us from the cache. The entry walks over the
addresses of the code first, a prefetch per line. Prefetches do not wait for each other; a core has
16 of them under way: 35 us.

Code that is in the cache does not need that. The entry reads the processor's time-stamp counter,
which takes a few nanoseconds, and prefetches if the last call was long ago.
"""

from __future__ import annotations

from dyn_core.codegen import machine
from dyn_core.codegen.number import pointer

LINE = 64
"""Bytes of a cache line."""
LONG_AGO = 2**17
"""Cycles of the time-stamp counter since the last call from which on code is prefetched: 40 to 65
us on today's processors."""
FEWEST = 2500
"""Nodes from which on a kernel has this entry: reading the counter takes up to 20 ns, 5 % of the
time of so many."""
READ, INTO_ALL_CACHES, DATA = 0, 3, 1
"""How code is prefetched. There is no prefetch into the cache of instructions; the line goes to the
first cache of data and the second cache, which both share, and from there it comes in 14 cycles."""


def print_prefetching(name: str, parameters: str, first: str, straight: str) -> str:
    """The text of ``void name(parameters)``, which prefetches code and calls ``straight``.

    The code is that from the function ``first`` up to this one, the last of the module so far.

    Args:
        name: of the function.
        parameters: its parameters, types with names, which ``straight`` has too.
        first: the function where the code begins.
        straight: the function that computes.
    """
    word, byte = pointer("i64"), pointer("i8")
    timed = machine.has_time_stamps()
    start = [
        "  %now = call i64 @llvm.readcyclecounter()",
        f"  %then = load atomic i64, {word} @called monotonic, align 8",
        "  %since = sub i64 %now, %then",
        f"  %recent = icmp ult i64 %since, {LONG_AGO // 2}",
        "  br i1 %recent, label %compute, label %renew",
        "renew:",
        # not at each call: threads that call in turn would take the line from each other
        f"  store atomic i64 %now, {word} @called monotonic, align 8",
        f"  %late = icmp ugt i64 %since, {LONG_AGO}",
        "  br i1 %late, label %prefetch, label %compute",
    ]
    lines = [
        *(["@called = internal global i64 0, align 8"] if timed else []),
        *(["declare i64 @llvm.readcyclecounter()"] if timed else []),
        f"declare void @llvm.prefetch.{'p0' if byte == 'ptr' else 'p0i8'}({byte}, i32, i32, i32)",
        f"define void @{name}({parameters}) noinline {{",
        "start:",
        *(start if timed else ["  br label %prefetch"]),
        "prefetch:",
        f"  %from = ptrtoint {_function(parameters)} @{first} to i64",
        f"  %to = ptrtoint {_function(parameters)} @{name} to i64",
        "  br label %line",
        "line:",
        "  %at = phi i64 [%from, %prefetch], [%next, %line]",
        f"  %place = inttoptr i64 %at to {byte}",
        f"  call void @llvm.prefetch.{'p0' if byte == 'ptr' else 'p0i8'}"
        f"({byte} %place, i32 {READ}, i32 {INTO_ALL_CACHES}, i32 {DATA})",
        f"  %next = add i64 %at, {LINE}",
        "  %more = icmp ult i64 %next, %to",
        "  br i1 %more, label %line, label %compute",
        "compute:",
        f"  call void @{straight}({parameters})",
        "  ret void",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _function(parameters: str) -> str:
    """The type of a pointer to a function of these parameters."""
    kinds = ", ".join(parameter.rsplit(" ", 1)[0] for parameter in parameters.split(", "))
    return pointer(f"void ({kinds})")
