# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts that follow from a robot's state, as an option of quantities that they enter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dyn_core.dynamics.declare.definition import required
from dyn_core.dynamics.declare.options import content
from dyn_core.dynamics.declare.quantity import Quantity, Request, Resolved
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar

Numbers = NDArray[Any]
"""An array of floats or, with dtype ``object``, of any scalars."""


@dataclass(frozen=True)
class StateEfforts:
    """Quantities that are efforts of the state, such as springs and friction."""

    terms: tuple[Resolved, ...]
    expectation: ClassVar[str] = "a tuple of quantities or requests"
    given: ClassVar[str] = "tuple[str | Quantity | Request[Any], ...]"

    @classmethod
    def resolved_from(cls, model: Model, value: Any) -> StateEfforts:
        """Of quantities or requests. Raises TypeError, ValueError, KeyError or ModelError."""
        return cls(tuple(request.within(model) for request in effort_requests(model, value)))

    def total(self, model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Numbers:
        """Their sum (nv)."""
        total = symbols([0.0] * model.nv)
        for term in self.terms:
            (efforts,) = term.evaluate(model, {"q": q, "v": v})
            total = total + symbols(efforts)
        return total

    def content(self) -> str:
        """A text that differs wherever two sets lead to different code."""
        return content(tuple(self.terms))


NONE: Any = ()
"""No efforts of the state: the default of the option."""


def effort_requests(model: Model, quantities: Any) -> tuple[Request, ...]:
    """Quantities that give efforts and take q, v or both, as requests.

    Raises:
        TypeError: something that is no quantity.
        ValueError: a quantity that takes or gives something else.
    """
    requests = []
    for one in quantities if isinstance(quantities, (tuple, list)) else (quantities,):
        request = one.request() if isinstance(one, Quantity) else one
        if not isinstance(request, Request):
            raise TypeError(f"{one!r} is no quantity and no request")
        if request.shapes(model) != ((model.nv,),) or not set(required(request.parameters)) <= {
            "q",
            "v",
        }:
            raise ValueError(f"{request} is no effort of q and v")
        request.check(model)
        requests.append(request)
    return tuple(requests)


def with_efforts(
    model: Model,
    numbers: Sequence[Scalar],
    efforts: StateEfforts,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
) -> Sequence[Scalar]:
    """``numbers`` (nv) and the sum of ``efforts``, if there are any."""
    return (symbols(numbers) + efforts.total(model, q, v)).tolist() if efforts else numbers


def symbols(numbers: Sequence[Scalar]) -> Numbers:
    """An array of whatever scalars."""
    array = np.empty(len(numbers), dtype=object)
    array[:] = list(numbers)
    return array
