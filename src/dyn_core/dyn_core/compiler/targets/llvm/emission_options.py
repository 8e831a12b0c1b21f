# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The form of a printed program: every choice that its printer makes by the program's size.

One function or several, their order and LLVM attributes, and how angles and outputs are grouped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.passes.switches import used
from dyn_core.compiler.targets.llvm.array_layouts import LANES
from dyn_core.compiler.targets.llvm.code_prefetch import FEWEST
from dyn_core.compiler.targets.llvm.symmetric_stores import mirrored

LONG = 7000
"""Programs of more nodes are cut into several functions."""
PIECE = 1000
"""Lines of each of these functions: with fewer, programs run slower."""
WIDE = 0.1
"""A program is wide if more than this share of its nodes are vectors of a whole cache line."""
ALIGNED = '"frame-pointer"="all"'
"""Attribute of wide programs: with a frame pointer LLVM aligns the stack frame, so that no spill
slot crosses a cache line."""
SHORT = f'{ALIGNED} "no-realign-stack"'
"""Attributes of other programs of one function. Spill slots are addressed relative to the frame
pointer, which takes one byte less per access than relative to the stack pointer."""
FEW = 1500
"""Programs for one state of up to so many nodes are scheduled by ``schedule.py``. LLVM keeps this
order unless columns of matrices are lanes. LLVM's own scheduler, which sees machine instructions,
is better where many values are spilled or lanes are extracted. The stack frame of short programs
with limbs in four lanes is aligned."""
STORING = 3
"""Programs with fewer nodes per store are not scheduled: their stores should come early."""
MATRICES = 100
"""Longer programs with at least so many output entries keep the order of the trace, in which live
ranges are short: each output is stored as soon as it is known. LLVM's scheduler hides more latency
and spills more: derivatives of a panda's inverse dynamics take 580 ns with it and 480 without.
Programs with few outputs at the ends of long dependency chains, such as forward dynamics, gain."""
IN_ORDER = range(2500, 15000)
"""Numbers of nodes of such programs. They are not cut: LLVM is faster without scheduling."""


@dataclass(frozen=True)
class Form:
    """The choices with which a program is printed."""

    longest: float
    """The most lines of a function."""
    attributes: str
    """LLVM attributes of each function."""
    angles: bool
    """Whether sines and cosines of several angles are computed in one vector."""
    scheduled: bool = False
    """Whether ``schedule.py`` orders the nodes."""
    prefetched: bool = False
    """Whether the kernel prefetches its code after a pause."""
    tiles: bool = False
    """Whether outputs of limbs are transposed before they are stored."""
    mirrored: Mapping[str, list[int]] = field(default_factory=dict)
    """Symmetric outputs that are copied across the diagonal: first stored columns of their rows."""

    @classmethod
    def of_batch(cls, program: Trace, lanes: int) -> Form:
        """The form of a program that computes several states, one per lane.

        The stack frame is aligned to vectors. A program of one function with more outputs than
        inputs keeps the order of its trace: with a state per lane, latency is hidden anyway.
        """
        whole, entries = len(program.computed()) <= LONG, sum(x.entries for x in program.stores())
        in_order = whole and entries > sum(program.inputs.values())
        attributes = [f'"{machine.IN_ORDER}"'] * in_order + [ALIGNED] * (lanes >= LANES)
        angles = used("angles") and lanes < LANES  # else one angle fills a vector
        return cls(math.inf if whole else PIECE, " ".join(attributes), angles)

    @classmethod
    def of(cls, program: Trace, cold: bool = False) -> Form:
        """The form of a program for one state.

        Args:
            program: the program.
            cold: whether calls come after pauses, in which other work goes through the caches.
        """
        columns = {name: mirrored(xs) for name, xs in program.outputs.items() if used("mirror")}
        kept = {name: first for name, first in columns.items() if first}
        live, stores = program.computed(kept), program.stores()
        widths, nodes = [program.graph.nodes[x].width for x in live], len(live)
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
        return cls(
            longest=math.inf if whole else PIECE,
            attributes=" ".join(attributes),
            angles=used("angles"),
            scheduled=scheduled,
            prefetched=used("prefetch") and cold and nodes >= FEWEST,
            tiles=used("tiles") and whole,
            mirrored=kept,
        )
