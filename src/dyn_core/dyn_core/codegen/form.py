"""In which form a program is printed: whole or cut, in which order, with which attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.codegen import machine
from dyn_core.codegen.memory import LANES
from dyn_core.codegen.passes import used
from dyn_core.codegen.trace import Trace

LONG = 7000
"""Nodes from which on a program is cut into functions."""
PIECE = 1000
"""Lines of each of them: the fewest that do not make calls slower."""
WIDE = 0.1
"""Share of nodes with a line of the cache each from which on these are what a program is about."""
ALIGNED = '"frame-pointer"="all"'
"""Attribute of the functions of such a program: with a pointer to the frame LLVM can align it, and
what it keeps there does not lie across two lines."""
SHORT = f'{ALIGNED} "no-realign-stack"'
"""Attributes of other whole programs: where the frame need not be aligned, that pointer says where
things are in it, which takes a byte less than from the other end of it, each time."""
FEW = 1500
"""Nodes up to which a program for one state is scheduled by ``schedule.py``, and left so unless it
has columns of matrices for lanes. What keeps far more values than there are registers, or takes
vectors apart, LLVM orders better, which sees each instruction. Where limbs are four lanes, so short
a program does not need the byte, and its frame is aligned."""
STORING = 3
"""Nodes per store below which a program is not scheduled: the sooner it stores, the better."""
MATRICES = 100
"""Outputs of longer programs that stay in the order of the trace, which stores each as soon as it
is known. Moved forward for not having to wait, they would keep more values than there are
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
    scheduled: bool
    """Whether the program gets another order than its trace had."""

    @classmethod
    def of_batch(cls, program: Trace, lanes: int) -> Form:
        """That of a program with a state in each of some lanes.

        The frame is aligned to what is kept in it. A program that gives more than it takes stores
        it in the order of its trace, unless it is cut: nothing has to wait where all is vectors.
        """
        whole, entries = len(program.computed()) <= LONG, sum(x.entries for x in program.stores())
        in_order = whole and entries > sum(program.inputs.values())
        attributes = [f'"{machine.IN_ORDER}"'] * in_order + [ALIGNED] * (lanes >= LANES)
        return cls(math.inf if whole else PIECE, " ".join(attributes), False)

    @classmethod
    def of(cls, program: Trace, live: Sequence[int] | None = None) -> Form:
        """That of a program for one state.

        Args:
            program: what is printed.
            live: positions of the nodes that are printed, if not all that the outputs need are.
        """
        live = program.computed() if live is None else live
        widths = [program.graph.nodes[x].width for x in live]
        stores, nodes = program.stores(), len(live)
        widest = max(widths, default=1)
        wide = sum(width > LANES for width in widths) > WIDE * nodes
        entries, short = sum(store.entries for store in stores), nodes <= FEW
        scheduled = used("schedule") and short and STORING * len(stores) < nodes
        matrices = used("order") and not wide and nodes in IN_ORDER and entries >= MATRICES
        in_order = matrices or (scheduled and widest <= LANES)
        whole = in_order or nodes <= LONG or not used("pieces")
        attributes = [f'"{machine.IN_ORDER}"'] * in_order
        aligned = wide or (short and widest == LANES)
        if used("frame"):
            attributes += [ALIGNED] if aligned else [SHORT] * whole
        return cls(math.inf if whole else PIECE, " ".join(attributes), scheduled)
