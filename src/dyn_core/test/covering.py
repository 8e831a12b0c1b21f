# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a test says of the quantities that it checks, and what a quantity is on floats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pinocchio as pin

from dyn_core import Model, Quantity, Request
from dyn_core.compiler.signature import requests_of

Oracle = Callable[[pin.Model, pin.Data, Mapping[str, np.ndarray]], Any]
"""What another implementation says of a state: a function of its model, its data, the state."""


def covers(*quantities: Quantity) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Say that a test checks quantities against an oracle or by an identity."""

    def mark(test: Callable[..., None]) -> Callable[..., None]:
        test.covers = quantities  # type: ignore[attr-defined]
        return test

    return mark


def evaluated(model: Model, asked: Quantity | Request, state: Mapping[str, np.ndarray]) -> Any:
    """What the definition says on floats: an array, or a tuple of them if it has several.

    It takes no time to compile, so that large robots cost little.
    """
    (request,) = requests_of([asked])
    request.quantity.check(model)
    numbers = {
        name: parameter.array.seen(state[name].tolist())
        for name, parameter in request.quantity.parameters.items()
        if name in state
    }
    results = zip(request.evaluate(model, numbers), request.shapes(model), strict=True)
    arrays = tuple(np.array(scalars, dtype=float).reshape(shape) for scalars, shape in results)
    return arrays if len(arrays) > 1 else arrays[0]
