"""Quantities at many states of a robot that is audited once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyn_core.execution import compile
from dyn_core.execution.batch import Batch
from dyn_core.model.model import Model


def sampled(model: Model, quantities: Sequence[Any]) -> Batch:
    """A function of many states, evaluated by the tape: no machine code is compiled.

    Machine code would take longer to make than these few hundred states.
    """
    return compile(model, quantities, backend="tape").batch
