# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The number of operations of a program."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass, fields

from dyn_core.compiler.ir.graph import LANE_CONVERSIONS, LEAVES
from dyn_core.compiler.ir.program import Trace
from dyn_core.spatial.scalars.operations import ADD, DIV, FMA, MUL, NEG, SUB

KINDS = {
    MUL: "multiplications",
    FMA: "fused",
    ADD: "additions",
    SUB: "additions",
    DIV: "divisions",
} | dict.fromkeys(LANE_CONVERSIONS, "moves")
"""The field of :class:`OperationCount` by the kind of a node; other kinds are functions."""
UNCOUNTED = LEAVES | {NEG}
"""Nodes without an instruction of their own: signs are part of the operations that use them."""


@dataclass(frozen=True)
class OperationCount:
    """Operations by kind; an operation on several lanes counts once."""

    multiplications: int
    additions: int
    """Sums and differences."""
    fused: int
    """Fused multiply-adds."""
    divisions: int
    functions: int
    """Sines, cosines, roots, comparisons and choices."""
    moves: int
    """Between numbers and lanes, and sums over lanes."""

    @property
    def total(self) -> int:
        """All of them."""
        return sum(astuple(self))


def count(program: Trace) -> OperationCount:
    """The operations that the outputs of a program need."""
    kinds = (program.graph.nodes[position].kind for position in program.computed())
    named = Counter(KINDS.get(kind, "functions") for kind in kinds if kind not in UNCOUNTED)
    return OperationCount(*(named[field.name] for field in fields(OperationCount)))
