"""In which form a program is printed: whole or cut, in which order, with which attributes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dyn_core.codegen import machine
from dyn_core.codegen.memory import LANES
from dyn_core.codegen.trace import Trace

LONG = 5000
"""Nodes from which on a program is cut, and
"""
PIECE = 1000
"""lines of each of its functions: the fewest that do not make calls slower."""
ALIGNED = '"frame-pointer"="all"'
"""Attribute of pieces with vectors of a line of the cache: with a pointer to the frame LLVM can
align it, and what it keeps there does not lie across two lines."""
SHORT = f'{ALIGNED} "no-realign-stack"'
"""Attributes of whole programs: where the frame need not be aligned, that pointer says where things
are in it, which takes a byte less than from the other end of it, each time."""
MATRICES = 100
"""Outputs of programs whose instructions stay in the order of the trace, which stores each as soon
as it is known. Moved forward for not having to wait, they would keep more values than there are
registers: derivatives of a panda's inverse dynamics take 580 ns then, and 480 in order. Where few
outputs end long chains, as forward dynamics does, they wait."""
IN_ORDER = range(2500, 15000)
"""Nodes that such programs have, and are not cut: in order, LLVM's time grows less."""


@dataclass(frozen=True)
class Form:
    """How a program becomes functions."""

    longest: float
    """Lines of a function."""
    attributes: str
    """Of each function."""

    @classmethod
    def of(cls, program: Trace, one_state: bool) -> Form:
        """That of a program for one state, or for a state in each lane."""
        live, widths = program.computed(), program.graph.widths
        entries = sum(store.entries for store in program.stores())
        nodes, wide = len(live), any(widths[x] > LANES for x in live)
        some = range(IN_ORDER.start, LONG) if wide else IN_ORDER
        in_order = one_state and nodes in some and entries >= MATRICES
        whole = in_order or nodes <= LONG
        attributes = [f'"{machine.IN_ORDER}"'] * in_order
        if one_state:
            attributes += [SHORT] * whole + [ALIGNED] * (wide and not whole)
        return cls(math.inf if whole else PIECE, " ".join(attributes))
