"""From what is asked to the program that takes the fewest operations."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.codegen.count import count
from dyn_core.codegen.fuse import fuse
from dyn_core.codegen.lanes import in_lanes
from dyn_core.codegen.passes import used
from dyn_core.codegen.signature import Extra
from dyn_core.codegen.trace import Trace, trace
from dyn_core.model.model import Model
from dyn_core.quantities import Request
from dyn_core.scalars.graph import TooLongError

HOPELESS = 1.1
"""How much longer than the first the trace of another definition may become: those that win are
shorter from the start."""


def program(
    model: Model, requests: Sequence[Request], extras: Sequence[Extra] = (), limbs: bool = True
) -> Trace:
    """The shortest program that computes the requests together, all passes done.

    Where a quantity has several definitions, each is tried, one quantity after the other: which is
    the shortest depends on the robot, and on what else is computed that it can share. Of two that
    are equally long the later is taken (a panda's accelerations need 1111 operations by articulated
    bodies and by its mass matrix; one waits for the other more often: 208 ns and 179 ns).

    Args and errors are those of :func:`trace`; without ``limbs`` every node is one number.
    """
    way = list(requests)
    first = trace(model, requests, extras, limbs=limbs)
    best, limit = finished(first, model), HOPELESS * len(first.graph.nodes)
    for k, request in enumerate(requests if used("alternatives") else ()):
        for other in request.ways[1:]:
            tried = [*way[:k], other, *way[k + 1 :]]
            try:
                candidate = finished(trace(model, tried, extras, limit, limbs), model)
            except TooLongError:
                continue
            if count(candidate).total <= count(best).total:
                best, way = candidate, tried
    return best


def finished(found: Trace, model: Model) -> Trace:
    """A trace with all passes done."""
    packed = in_lanes(found, model)
    return fuse(packed) if used("fuse") else packed
