# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Groups of angles whose sines and cosines are computed in one vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dyn_core.compiler.ir.graph import Graph
from dyn_core.compiler.targets.llvm.array_layouts import LANES
from dyn_core.spatial.scalars.operations import COS, SIN


def levels(graph: Graph, live: Sequence[int]) -> list[list[int]]:
    """Arguments of sine and cosine, by the number of nested sines and cosines in them."""
    level: dict[int, int] = {}
    found: list[list[int]] = []
    for position in live:
        node = graph.nodes[position]
        level[position] = max((level[x] for x in node.operands), default=0)
        if node.kind in (SIN, COS):
            depth = level[position]
            found.extend([] for _ in range(depth + 1 - len(found)))
            if node.operands[0] not in found[depth]:
                found[depth].append(node.operands[0])
            level[position] += 1
    return found


def groups(angles: Sequence[int], width: Callable[[int], int]) -> list[list[int]]:
    """The angles in groups that fit into a vector; ``width`` is the numbers in an angle."""
    found: list[list[int]] = [[]]
    for angle in sorted(angles, key=lambda x: -width(x)):
        if sum(map(width, found[-1])) + width(angle) > LANES:
            found.append([])
        found[-1].append(angle)
    return [group for group in found if group]
