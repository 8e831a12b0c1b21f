# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Many states at once on definitions: a definition's number that holds that of every state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dyn_core import Model, Quantity, Request
from dyn_core.codegen.signature import requests_of
from dyn_core.spatial import SE3


class Many(np.ndarray):
    """An array of the numbers of all states; numpy computes with it as with one number."""

    def sin(self) -> Many:
        return np.sin(self)

    def cos(self) -> Many:
        return np.cos(self)

    def sqrt(self) -> Many:
        return np.sqrt(self)

    def exp(self) -> Many:
        return np.exp(self)

    def arctan2(self, y: Any, x: Any) -> Many:
        return np.arctan2(y, x)

    def select(self, if_true: Any, if_false: Any) -> Many:
        return np.where(self, if_true, if_false).view(Many)


def evaluated_in_all(
    model: Model, asked: Quantity | Request, states: Sequence[Mapping[str, np.ndarray]]
) -> tuple[np.ndarray, ...]:
    """What the definition says in all states: of each output an array with them in front."""
    (request,) = requests_of([asked])
    request.quantity.check(model)
    arrays = [
        parameter.array.seen(_lanes(np.array([state[name] for state in states])))
        for name, parameter in request.parameters.items()
        if not parameter.optional
    ]
    with np.errstate(all="ignore"):  # both sides of a choice are computed
        value = request.quantity.definition(model, *arrays, **request.resolved(model))
    results = value if len(request.outputs) > 1 else (value,)
    found = []
    for result, shape in zip(results, request.shapes(model), strict=True):
        rows = [np.broadcast_to(x, len(states)) for x in _numbers(result)]
        found.append(np.reshape(rows, (-1, len(states))).T.reshape(len(states), *shape))
    return tuple(found)


def _lanes(array: np.ndarray) -> Any:
    """The numbers of an array with states in front, nested as those of one state."""
    if array.ndim == 1:
        return array.view(Many)
    return [_lanes(np.ascontiguousarray(array[:, k])) for k in range(array.shape[1])]


def _numbers(value: Any) -> Iterator[Any]:
    """All numbers in what a definition returned, in C order."""
    if isinstance(value, SE3):
        value = value.homogeneous()
    if isinstance(value, Many) or not hasattr(value, "__iter__"):
        yield value
        return
    for item in value:
        yield from _numbers(item)
