"""The kernel of one state."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.codegen.llvm import print_llvm
from dyn_core.codegen.program import program
from dyn_core.codegen.signature import Extra
from dyn_core.model.model import Model
from dyn_core.quantities import Request


def print_one_state(model: Model, requests: Sequence[Request], extras: Sequence[Extra] = ()) -> str:
    """The module text of ``void kernel(double *inputs..., double *outputs...)``.

    Args and errors are those of :func:`dyn_core.codegen.trace.trace`.
    """
    return print_llvm(program(model, requests, extras))
