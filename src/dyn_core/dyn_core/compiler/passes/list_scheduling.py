# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A pass on the graph: list scheduling of the instructions of one state.

The trace has the order of a recursion, in which each body depends on its parent. An out-of-order
core looks ahead by some hundred instructions and issues those whose operands are ready. So nodes
come by priority: the cycle in which a node is ready, less a part of its distance to the outputs
(critical path). Early values have long live ranges. Beyond a share of the registers, nodes that end
live ranges get priority; if more values are alive than at the same point of the trace, the next
node of the trace comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, islice

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.graph import LEAVES
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.passes.multiply_add import latency

FREE = 0.75
"""The share of the registers beyond which register pressure counts. Constants and temporaries take
the rest."""
CROWDED = 4.0
"""Priority of freeing a register, in cycles per value beyond this share."""
URGENT = 0.25
"""Weight of the distance to the outputs; the cycle in which a node is ready has the rest of one."""
AHEAD = 64
"""Size of the window of candidates, in the order of the trace. It bounds how far a node moves
forward, and with it the live ranges of long programs."""
MORE = 4
"""Live values allowed beyond those of the trace at the same point."""


def scheduled(trace: Trace) -> Trace:
    """The same program with its nodes in another order."""
    return trace.of_nodes(*trace.graph.rebuilt(_Schedule(trace).order()))


class _Schedule:
    def __init__(self, trace: Trace) -> None:
        nodes, live = trace.graph.nodes, trace.live()
        self.registers = int(FREE * machine.registers())
        self.leaves = [x for x in live if nodes[x].kind in LEAVES]
        self.inner = [x for x in live if nodes[x].kind not in LEAVES]
        self.operands = {x: tuple(set(nodes[x].operands)) for x in live}
        self.users: dict[int, list[int]] = {x: [] for x in live}
        for position in live:
            for x in self.operands[position]:
                self.users[x].append(position)
        self.turn = self._turns(trace)
        self.left = {x: len(users) for x, users in self.users.items()}
        """For each node the number of users that are not placed yet."""
        self.alive: set[int] = set()
        self.most = self._most()
        """For each step the number of live values beyond which the order of the trace is kept."""

    def _turns(self, trace: Trace) -> dict[int, float]:
        """The priority of each node, in cycles; a smaller one comes first."""
        ready = dict.fromkeys(self.leaves, 0)
        wait = {x: latency(trace.graph.nodes[x]) for x in self.inner}
        for position in self.inner:
            ready[position] = wait[position] + max(ready[x] for x in self.operands[position])
        ahead = dict[int, int]()
        for position in reversed(self.inner):
            after = max((ahead[x] for x in self.users[position]), default=0)
            ahead[position] = wait[position] + after
        return {x: (1.0 - URGENT) * ready[x] - URGENT * ahead[x] for x in self.inner}

    def _most(self) -> list[int]:
        last = {x: k for k, position in enumerate(self.inner) for x in self.operands[position]}
        change = [int(bool(self.users[x])) for x in self.inner]
        for x, k in last.items():
            change[k] -= x in self.turn
        return [max(self.registers, alive + MORE) for alive in accumulate(change)]

    def order(self) -> list[int]:
        """All nodes in their new order, leaves first."""
        order, coming = list(self.leaves), iter(self.inner)
        missing = {x: sum(y in self.turn for y in self.operands[x]) for x in self.inner}
        seen = set(islice(coming, AHEAD))
        choice = [x for x in sorted(seen) if not missing[x]]
        for most in self.most:
            position = min(choice) if len(self.alive) > most else self._next(choice)
            order.append(position)
            self._place(position)
            choice.remove(position)
            for x in self.users[position]:
                missing[x] -= 1
            new = set(islice(coming, 1))
            seen |= new
            choice += [x for x in {*self.users[position], *new} if x in seen and not missing[x]]
        return order

    def _next(self, choice: Sequence[int]) -> int:
        """The candidate of the highest priority."""
        crowded = CROWDED * max(0, len(self.alive) - self.registers)
        if not crowded:
            return min(choice, key=lambda x: (self.turn[x], x))
        return min(choice, key=lambda x: (self.turn[x] + crowded * self._more(x), x))

    def _more(self, position: int) -> int:
        """The change of the number of live values by a node."""
        freed = sum(self.left[x] == 1 and x in self.alive for x in self.operands[position])
        return bool(self.users[position]) - freed

    def _place(self, position: int) -> None:
        for x in self.operands[position]:
            self.left[x] -= 1
            if not self.left[x]:
                self.alive.discard(x)
        if self.users[position]:
            self.alive.add(position)
