"""The number of operations of a program."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass

from dyn_core.codegen.trace import Trace
from dyn_core.scalars.graph import BETWEEN, LEAVES

KINDS = {"mul": "multiplications", "fma": "fused", "add": "additions", "sub": "additions"}
FREE = LEAVES | {"neg"}
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
    kinds = Counter(program.graph.nodes[position].kind for position in program.computed())
    taken = {kind: number for kind, number in kinds.items() if kind not in FREE}
    divisions = taken.pop("div", 0)
    named = Counter({"multiplications": 0, "additions": 0, "fused": 0})
    for kind in KINDS:
        named[KINDS[kind]] += taken.pop(kind, 0)
    moves = sum(taken.pop(kind, 0) for kind in BETWEEN)
    functions = sum(taken.values())
    return OperationCount(**named, divisions=divisions, functions=functions, moves=moves)
