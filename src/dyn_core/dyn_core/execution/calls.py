# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Calls of quantities: ``dyn_core.rnea(model, data, q, v, a)`` computes, here.

A quantity is a declaration and computes nothing; this module makes it callable with a model. What a
call needs is compiled when it is first made, and kept with the Data or with the model.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dyn_core.codegen.signature import passed_extras
from dyn_core.execution.data import Data
from dyn_core.execution.kernel import Kernel, compile
from dyn_core.model.model import FloatArray, Model
from dyn_core.quantities import Quantity, Request


def call(
    quantity: Quantity, model: Any = None, data: Any = None, /, *arrays: Any, **named: Any
) -> Any:
    """Compute it, or, without a model, ask for it with options: see the class."""
    try:  # the way of a control loop
        if data.model is model and not named:
            return data.bound[quantity](*arrays)
    except (AttributeError, KeyError):
        pass
    if isinstance(model, Model):
        return _computed(quantity, model, data, arrays, named)
    given = [x for x in (model, data) if x is not None] + list(arrays)
    return quantity.request(*given, **named)


Quantity.__call__ = call  # type: ignore[method-assign,assignment]


class Call:
    """A call: the quantity, its options as they were given, and the names of its arrays."""

    def __init__(
        self, quantity: Quantity, options: Mapping[str, Any], named: Mapping[str, Any]
    ) -> None:
        passed = passed_extras(named) if named else {}
        self.quantity = quantity
        self.options = options
        self.names = tuple(passed)
        self.inputs = {x if isinstance(x, str) else x.name: y for x, y in passed.items()}

    @property
    def key(self) -> Hashable:
        """Equal for calls that machine code does not tell apart; types matter, as for requests."""
        options = self.options
        if not options:
            return (self.quantity, self.names)
        key = (self.quantity, self.names, *options.items(), repr([*options.values()]))
        try:
            hash(key)
        except TypeError:  # a list, which the request makes a tuple of, or refuses
            return (self.request, self.names)
        return key

    @cached_property
    def request(self) -> Request:
        """The quantity with its options."""
        return self.quantity.request(**self.options)

    @property
    def plain(self) -> bool:
        """Whether nothing is said beside the arrays that have to be passed."""
        if self.names:
            return False
        try:
            return self.request == self.quantity.request()
        except TypeError:  # some options must be said
            return False

    def kernel(self, model: Model) -> Kernel:
        """Machine code for such calls."""
        needed = self.request.inputs
        return compile(model, [self.request], [x for x in self.names if x not in needed])

    def bound(self, data: Data) -> Callable[..., Any]:
        """A function that computes such calls into the arrays of ``data``."""
        compute = self._returning(self.kernel(data.model).bind(data), data.model)
        if self.plain:
            data.bound[self.quantity] = compute
        return compute

    def unbound(self, model: Model) -> Callable[..., Any]:
        """A function that computes such calls into new arrays."""
        compute = self._returning(self.kernel(model), model)
        if self.plain:
            model.kernels[self.quantity] = compute
        return compute

    def _returning(self, compute: Callable[..., Any], model: Model) -> Callable[..., Any]:
        return _as_float(compute) if self.request.shapes(model) == ((),) else compute


def _computed(
    quantity: Quantity, model: Model, data: Any, arrays: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Compute a quantity into the arrays of a Data, or into new ones if there is none.

    Args:
        quantity: what to compute.
        model: the robot; that of the data, or an equal one.
        data: the Data, an input if there is none, or None.
        arrays: more inputs by position, and
        named: by name, optional ones and options among them; those of frames as dictionaries.

    Raises:
        KeyError: the model has no such frame.
        TypeError, ValueError: an argument has the wrong type or size, or the model is another.
    """
    if isinstance(data, Model):
        raise TypeError(
            f"{quantity.__name__}: the model is given twice; its Data comes second, as of "
            "model.create_data(), or arrays do"
        )
    if isinstance(data, np.ndarray) and not named and (kernel := model.kernels.get(quantity)):
        return kernel(data, *arrays)
    options = {name: named.pop(name) for name in quantity.options if name in named}
    if isinstance(data, Data):
        data.check(model)
        asked = Call(quantity, options, named)
        compute = data.computing.get(asked.key)
        if compute is None:
            compute = data.computing[asked.key] = asked.bound(data)
        return compute(*arrays, **asked.inputs)
    given: Sequence[Any] = arrays if data is None else (data, *arrays)
    asked = Call(quantity, options, named)
    compute = model.kernels.get(asked.key)
    if compute is None:
        compute = model.kernels[asked.key] = asked.unbound(model)
    return compute(*given, **asked.inputs)


def _as_float(compute: Callable[..., FloatArray]) -> Callable[..., float]:
    def value(*arguments: Any, **named: Any) -> float:
        return compute(*arguments, **named).item()

    return value
