# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A loop over many states that threads share: each thread takes pieces of them from a counter."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.compiler.targets.llvm.instructions import Emitter, function
from dyn_core.compiler.targets.llvm.number_type import pointer

COUNTER = pointer("i64")


def print_over_states(
    name: str, parameters: str, lanes: int, before: Sequence[str], each: Sequence[str]
) -> str:
    """The text of ``int64_t name(int64_t *taken, int64_t piece, int64_t count, parameters...)``.

    It returns the number of states that this call has computed. Calls with the same counter, which
    begins at zero, share the states: each takes ``piece`` states at a time, a multiple of the
    lanes, until all of ``count`` are taken.

    Args:
        name: of the function.
        parameters: of the function, after the first three.
        lanes: states that are computed at once.
        before: lines at the begin of the function.
        each: lines that compute the states from ``%first`` on.
    """
    out = Emitter()
    out.lines += [
        "start:",
        *before,
        "br label %take",
        "take:",
        "%done = phi i64 [0, %start], [%done.next, %first.done]",
        f"%from = atomicrmw add {COUNTER} %taken, i64 %piece monotonic",
        "%some = icmp slt i64 %from, %count",
        "br i1 %some, label %states, label %end",
    ]
    out.label("states")
    out.lines += [
        "%beyond = add i64 %from, %piece",
        "%whole = icmp slt i64 %beyond, %count",
        "%to = select i1 %whole, i64 %beyond, i64 %count",
    ]
    with out.loop("%first", "%from", "%to", lanes):
        out.lines += each
    out.lines += [
        "%size = sub i64 %to, %from",
        "%done.next = add i64 %done, %size",
        "br i1 %whole, label %take, label %end",
        "end:",
        "%computed = phi i64 [%done, %take], [%done.next, %first.done]",
        "ret i64 %computed",
    ]
    leading = f"{COUNTER} %taken, i64 %piece, i64 %count"
    return function(f"i64 @{name}({leading}, {parameters})", out.lines)
