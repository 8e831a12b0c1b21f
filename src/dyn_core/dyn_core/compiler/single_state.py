# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The kernel of one state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from dyn_core.compiler.pipeline import program
from dyn_core.compiler.signature import Extra
from dyn_core.compiler.targets.llvm.functions import print_llvm
from dyn_core.dynamics.declare import Request
from dyn_core.model.model import Model

Goal: TypeAlias = Literal["latency", "throughput"]
"""The calls that a kernel is optimized for: ``latency`` for one call per millisecond with cold
caches, ``throughput`` for successive calls."""


def print_one_state(
    model: Model,
    requests: Sequence[Request],
    extras: Sequence[Extra] = (),
    optimize_for: Goal = "latency",
) -> str:
    """The module text of ``void kernel(double *inputs..., double *outputs...)``.

    Args and errors are those of :func:`dyn_core.compiler.tracing.trace`.
    """
    return print_llvm(program(model, requests, extras), cold=optimize_for == "latency")
