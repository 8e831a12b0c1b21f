# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Preallocated results of computations on a model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from difflib import get_close_matches
from math import prod
from typing import Any, overload

import numpy as np

from dyn_core.compiler.runtime.data_fields import Fields
from dyn_core.compiler.signature import Asked, requests_of
from dyn_core.dynamics import QUANTITIES
from dyn_core.dynamics.declare import Output, Quantity, Request
from dyn_core.dynamics.declare.result_types import Arrays
from dyn_core.model.model import FloatArray, Model

FIELDS: dict[str, tuple[Quantity, Output]] = {
    output.field: (quantity, output)
    for quantity in QUANTITIES.values()
    for output in quantity.outputs
}
"""All fields of Data, each with its quantity and its output: meaning, unit and shape."""


ATTRIBUTE_NAMES = frozenset({"model", "bound", "_arrays", "_twin"})
"""Attributes of Data that are no fields."""


class Field:
    """An attribute of Data: the array of a field, of a quantity with default options."""

    def __init__(self, quantity: Quantity, output: Output) -> None:
        self.quantity = quantity
        self.output = output
        self.__doc__ = f"{output.meaning}, {output.unit} ({output.frame} frame)"

    def __get__(self, data: Data | None, owner: type[Data]) -> Any:
        """The array; later the instance has it as an attribute of the same name."""
        if data is None:
            return self
        field = self.output.field
        try:
            request = self.quantity.request()
        except TypeError as error:
            raise AttributeError(f"'{field}' belongs to a quantity with options: {error}") from None
        array = data.arrays(request)[self.quantity.outputs.index(self.output)]
        data.__dict__[field] = array
        return array


def with_fields(kind: type[Data]) -> type[Data]:
    """Give the class an attribute for each field of the declared quantities."""
    for field, (quantity, output) in FIELDS.items():
        setattr(kind, field, Field(quantity, output))
    return kind


@with_fields
class Data(Fields):
    """The results of one model: what each quantity computes is an attribute (``data.M``).

    Results of a quantity with options are ``data[frame_jacobian.request("tool0")]``. An array is
    allocated when it is first accessed, holds NaN until a kernel has filled it, and keeps its
    address: views of it stay valid and show the newest result. Use one Data per thread.
    """

    __slots__ = ("__dict__", "__weakref__", "bound", "model")
    # Slots for the attributes of the fast path save 40 of the 190 ns of a call.

    def __init__(self, model: Model) -> None:
        self.model = model
        self.bound: dict[Hashable, Callable[..., Any]] = {}
        """Functions that fill these arrays, by :func:`.quantity_calls.call_key`."""
        self._arrays: dict[Request, tuple[FloatArray, ...]] = {}
        self._twin = model

    def arrays(self, request: Request) -> tuple[FloatArray, ...]:
        """The arrays that hold the outputs of a request.

        Raises:
            KeyError, TypeError, ValueError: an option does not fit the model.
        """
        arrays = self._arrays.get(request)
        if arrays is None:
            self.together([request])
            arrays = self._arrays[request]
        return arrays

    def together(self, requests: Sequence[Request]) -> FloatArray:
        """One array of numbers, in which the outputs of these requests lie one after the other.

        Raises:
            ValueError: a request has arrays already, or comes twice.
            KeyError, TypeError: an option does not fit the model.
        """
        if len(set(requests)) < len(requests) or not self._arrays.keys().isdisjoint(requests):
            raise ValueError(
                "results share an array only if each is requested once and has no array yet, not "
                f"{', '.join(map(repr, requests))}"
            )
        shapes = [request.shapes(self.model) for request in requests]
        block = np.full(sum(prod(shape) for of_one in shapes for shape in of_one), np.nan)
        start = 0
        for request, of_one in zip(requests, shapes, strict=True):
            arrays = []
            for shape in of_one:
                end = start + prod(shape)
                arrays.append(block[start:end].reshape(shape))
                start = end
            self._arrays[request] = tuple(arrays)
        return block

    @overload
    def __getitem__(self, asked: Quantity[Arrays] | Request[Any, Arrays]) -> Arrays: ...

    @overload
    def __getitem__(self, asked: str) -> Any: ...

    def __getitem__(self, asked: Asked) -> Any:
        """The array of a quantity or request; a tuple of them if it has several."""
        arrays = self.arrays(*requests_of([asked]))
        return arrays if len(arrays) > 1 else arrays[0]

    def __setattr__(self, name: str, value: object) -> None:
        if name in FIELDS:
            raise AttributeError(f"compiled code fills this very array: write data.{name}[...] = x")
        if name == "model" and hasattr(self, name):
            raise AttributeError("data belong to one model: make new data with create_data()")
        if name not in ATTRIBUTE_NAMES:
            near = get_close_matches(name, FIELDS, 1)
            hint = f"; do you mean data.{near[0]}[...]?" if near else ""
            raise AttributeError(f"Data have no field '{name}'{hint}")
        super().__setattr__(name, value)

    def check(self, model: Model) -> None:
        """Refuse a model that is not equal to that of these results.

        Raises:
            ValueError: the models differ; the message says in what.
        """
        if model is self.model or model is self._twin:
            return
        why = self.model.difference(model)
        if why:
            raise ValueError(
                f"data is of {self.model!r}, not of {model!r}: {why}; make one with "
                "model.create_data()"
            )
        self._twin = model

    def stored(self) -> dict[Request, tuple[FloatArray, ...]]:
        """All arrays, by request."""
        return dict(self._arrays)

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "arrays": self._arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["model"])  # type: ignore[misc]
        self._arrays.update(state["arrays"])

    def __repr__(self) -> str:
        return f"Data of {self.model!r}"
