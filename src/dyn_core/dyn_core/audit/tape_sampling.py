# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Evaluation of quantities at many states without compilation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyn_core.compiler.runtime import compile
from dyn_core.compiler.runtime.batch import Batch
from dyn_core.model.model import Model


def sampled(model: Model, quantities: Sequence[Any]) -> Batch:
    """A function of many states that interprets the tape.

    Compiling machine code would take longer than these few hundred states.
    """
    return compile(model, quantities, backend="tape").batch
