# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The program with the fewest operations for some requests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from dyn_core.compiler.ir.graph import TooLongError
from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.ir.verify import verified
from dyn_core.compiler.passes.limb_lanes import in_lanes
from dyn_core.compiler.passes.multiply_add import fuse
from dyn_core.compiler.passes.switches import used
from dyn_core.compiler.signature import Extra
from dyn_core.compiler.targets.llvm.functions import print_llvm
from dyn_core.compiler.tracing import trace, uncollected
from dyn_core.dynamics.declare import Quantity, Request
from dyn_core.model.model import Model

Chosen: TypeAlias = Mapping[Quantity, int]
"""The number of the definition of each quantity."""
Goal: TypeAlias = Literal["latency", "throughput"]
"""The calls that a kernel is optimized for: ``latency`` for one call per millisecond with cold
caches, ``throughput`` for successive calls."""
MAX_TRACE_RATIO = 1.1
"""Tracing an alternative stops at this multiple of the first definition's number of nodes:
alternatives with a shorter program have a shorter trace."""
MAX_OPERATION_RATIO, MIN_OPERATIONS = 1.02, 100
"""An alternative is given up before the passes, which take most of the time, if its outputs need
this multiple of the nodes that those of the best definition need, and so many more. Of 1394
alternatives 437 need that multiple; the only shorter one of them is of a robot of four joints."""


@uncollected()
def program(
    model: Model, requests: Sequence[Request], extras: Sequence[Extra] = (), limbs: bool = True
) -> Trace:
    """The shortest program that computes the requests together, after all passes.

    Args and errors are those of :func:`trace`; without ``limbs`` every node is one number.
    """
    return _DefinitionSearch(model, limbs).run(requests, extras)[0]


def print_one_state(
    model: Model,
    requests: Sequence[Request],
    extras: Sequence[Extra] = (),
    optimize_for: Goal = "latency",
) -> str:
    """The module text of ``void kernel(double *inputs..., double *outputs...)`` for one state."""
    return print_llvm(program(model, requests, extras), cold=optimize_for == "latency")


def finished(found: Trace, model: Model) -> Trace:
    """A trace after the passes on graphs."""
    packed = verified(in_lanes(verified(found, "trace"), model), "limbs")
    return verified(fuse(packed), "fuse") if used("fuse") else packed


class _DefinitionSearch:
    """The search for the definitions with the shortest program.

    For each requested quantity in turn all definitions are tried: the length of the program depends
    on the robot and on the operations that requests share. A quantity that definitions call, such
    as inverse dynamics, is computed by the definition that is the shortest for this quantity alone.
    Of programs of equal length the later one is chosen: a panda's accelerations need 1111
    operations both by articulated bodies (208 ns) and by the mass matrix (179 ns), which has
    shorter chains of dependent operations.
    """

    def __init__(self, model: Model, limbs: bool) -> None:
        self.model = model
        self.limbs = limbs
        self.alone: dict[Quantity, int] = {}
        """The number of the chosen definition of quantities that definitions call."""

    def run(
        self, requests: Sequence[Request], extras: Sequence[Extra] = ()
    ) -> tuple[Trace, Chosen]:
        """The shortest program, and the definitions that make it."""
        asked = {request.quantity for request in requests}

        def traced(chosen: Chosen, limit: float = math.inf) -> tuple[Trace, Chosen]:
            """The trace by these definitions, and the chosen ones of quantities that they call."""
            while True:
                found = trace(self.model, requests, extras, limit, self.limbs, chosen)
                within = {x: self._alone(x) for x in found.seen if x not in asked | chosen.keys()}
                chosen = {**chosen, **within}
                if not any(within.values()):
                    return found, chosen

        first, chosen = traced({})
        best, limit = finished(first, self.model), MAX_TRACE_RATIO * len(first.graph.nodes)
        needed = len(first.live())
        for quantity in (x for x in first.seen if x in asked and used("alternatives")):
            for k in range(1, len(quantity.alternatives) + 1):
                try:
                    found, tried = traced({**chosen, quantity: k}, limit)
                except TooLongError:
                    continue
                if len(found.live()) > MAX_OPERATION_RATIO * needed + MIN_OPERATIONS:
                    continue
                candidate = finished(found, self.model)
                if count(candidate)["total"] <= count(best)["total"]:
                    best, chosen, needed = candidate, tried, len(found.live())
        return best, chosen

    def _alone(self, quantity: Quantity) -> int:
        if not used("alternatives"):
            return 0
        if quantity not in self.alone:
            self.alone[quantity] = 0  # also while its own definitions are tried
            _, chosen = self.run([quantity.request()])
            self.alone[quantity] = chosen.get(quantity, 0)
        return self.alone[quantity]
