"""The kernel of one state: straight code, or functions that walk over tables."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.codegen.llvm import print_llvm
from dyn_core.codegen.loops import print_loops
from dyn_core.codegen.program import finished, program, shortest_trace
from dyn_core.codegen.signature import Extra
from dyn_core.codegen.steps import Steps, few_columns
from dyn_core.codegen.trace import trace
from dyn_core.model.model import Model
from dyn_core.quantities import Request


def print_one_state(model: Model, requests: Sequence[Request], extras: Sequence[Extra] = ()) -> str:
    """The module text of ``void kernel(double *inputs..., double *outputs...)``.

    Straight code is the fastest as long as it is short. Steps of long recursions become loops, if
    enough of them are alike. Args and errors are those of :func:`trace`.
    """
    first = trace(model, requests, extras)
    steps = Steps.found(first)
    if steps is None:
        return print_llvm(program(model, requests, extras, first=first))
    shortest = shortest_trace(model, requests, extras, first)
    if few_columns(shortest):
        return print_llvm(finished(shortest, model))
    return print_loops(steps if shortest is first else Steps.found(shortest) or steps)
