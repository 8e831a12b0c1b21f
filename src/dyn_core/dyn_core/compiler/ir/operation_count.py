# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The number of operations of a program."""

from __future__ import annotations

from collections import Counter

from dyn_core.compiler.ir.graph import LANE_CONVERSIONS, LEAVES
from dyn_core.compiler.ir.program import Trace
from dyn_core.spatial.scalars.operations import ADD, DIV, FMA, MUL, NEG, SUB

KINDS = {
    MUL: "multiplications",
    ADD: "additions",
    SUB: "additions",
    FMA: "fused",
    DIV: "divisions",
}
"""The group of an operation; sines, roots, comparisons and choices are functions."""
UNCOUNTED = LEAVES | {NEG}
"""Nodes without an instruction of their own: signs are part of the operations that use them."""


def count(program: Trace) -> dict[str, int]:
    """The operations that the outputs need, by group, and their total.

    An operation on several lanes counts once. Moves are between numbers and lanes, and sums over
    lanes.
    """
    groups = dict.fromkeys((*KINDS.values(), "functions", "moves"), 0)
    kinds = (program.graph.nodes[position].kind for position in program.computed())
    for kind, times in Counter(kind for kind in kinds if kind not in UNCOUNTED).items():
        groups[KINDS.get(kind, "moves" if kind in LANE_CONVERSIONS else "functions")] += times
    return {**groups, "total": sum(groups.values())}
