# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A loop over many states, which threads can share: each takes the next ones from a counter."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.codegen.number import pointer

COUNTER = pointer("i64")


def print_over_states(
    name: str, parameters: str, lanes: int, before: Sequence[str], each: Sequence[str]
) -> str:
    """The text of ``int64_t name(int64_t *taken, int64_t piece, int64_t count, parameters...)``.

    It returns how many states this call has computed. Calls that are given the same counter, zero
    at first, share the states: each takes the next ``piece``, a multiple of the lanes, until all
    of ``count`` are taken.

    Args:
        name: of the function.
        parameters: what it takes beside.
        lanes: states that are computed together.
        before: lines that a call begins with.
        each: lines that compute the states from ``%first`` on.
    """
    lines = [
        f"define i64 @{name}({COUNTER} %taken, i64 %piece, i64 %count, {parameters}) {{",
        "start:",
        *before,
        "br label %take",
        "take:",
        "%done = phi i64 [0, %start], [%done.next, %taken.all]",
        f"%from = atomicrmw add {COUNTER} %taken, i64 %piece monotonic",
        "%some = icmp slt i64 %from, %count",
        "br i1 %some, label %piece.begins, label %end",
        "piece.begins:",
        "%beyond = add i64 %from, %piece",
        "%whole = icmp slt i64 %beyond, %count",
        "%to = select i1 %whole, i64 %beyond, i64 %count",
        "br label %states",
        "states:",
        "%first = phi i64 [%from, %piece.begins], [%next, %states]",
        *each,
        f"%next = add i64 %first, {lanes}",
        "%more = icmp slt i64 %next, %to",
        "br i1 %more, label %states, label %taken.all",
        "taken.all:",
        "%size = sub i64 %to, %from",
        "%done.next = add i64 %done, %size",
        "br i1 %whole, label %take, label %end",
        "end:",
        "%computed = phi i64 [%done, %take], [%done.next, %taken.all]",
        "ret i64 %computed",
        "}",
    ]
    return "\n".join(lines) + "\n"
