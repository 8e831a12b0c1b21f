# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What calls of quantities do: ``dyn_core.rnea(model, data, q, v, a)``.

The first call compiles a kernel, which is kept with the Data or with the model.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from enum import Enum
from typing import Any

import numpy as np

from dyn_core.compiler.runtime.data import Data
from dyn_core.compiler.runtime.kernel import compile
from dyn_core.compiler.signature import Extra, passed_extras
from dyn_core.dynamics.declare import Quantity
from dyn_core.model.content import PACKAGE, PLAIN_TYPES
from dyn_core.model.model import FloatArray, Model


def compute(
    quantity: Quantity, model: Any, data: Any, arrays: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Compute a quantity into the arrays of a Data, or into new arrays.

    Args:
        quantity: the quantity.
        model: the robot, equal to that of the data.
        data: a Data; or the first input; or None if there is no input.
        arrays: more inputs by position, and
        named: inputs, optional inputs and options by name; inputs of frames as dictionaries.

    Raises:
        KeyError: the model has no such frame.
        TypeError, ValueError: an argument has the wrong type or size, or the model is another.
    """
    if not isinstance(model, Model):
        raise TypeError(_without_model(quantity, model, data, *arrays, **named))
    if isinstance(data, Model):
        raise TypeError(
            f"{quantity.__name__}: the model is given twice; the second argument is its Data "
            "(model.create_data()) or an array"
        )
    if isinstance(data, np.ndarray) and not named and (kernel := model.kernels.get(quantity)):
        return kernel(data, *arrays)
    options = {name: named.pop(name) for name in quantity.options if name in named}
    passed, own = passed_extras(named), data if isinstance(data, Data) else None
    if own is not None:
        own.check(model)
    elif data is not None:
        arrays = (data, *arrays)
    known = model.kernels if own is None else own.bound
    inputs = {x if isinstance(x, str) else x.name: y for x, y in passed.items()}
    key = call_key(quantity, options, tuple(passed))
    filled = known.get(key)
    try:
        if filled is None:
            request = quantity.request(**options)
            kernel = compile(
                model if own is None else own.model,
                [request],
                [x for x in passed if x not in request.inputs],
            )
            filled = kernel if own is None else kernel.bind(own)
            filled = known[key] = _as_float(filled) if request.shapes(model) == ((),) else filled
        return filled(*arrays, **inputs)
    except TypeError as error:
        if misplaced := _misplaced(quantity, arrays, options):
            raise TypeError(misplaced) from error
        raise


def call_key(quantity: Quantity, options: Mapping[str, Any], names: tuple[Extra, ...]) -> Hashable:
    """A key of the function for calls with these options and optional arrays.

    Types of options matter, as for requests. It is the quantity itself if there are neither.
    """
    if not options and not names:
        return quantity
    if not all(map(_is_exact, options.values())):  # the request converts or refuses it
        return (quantity.request(**options), names)
    return (quantity, names, *options.items(), repr([*options.values()]))


def _without_model(quantity: Quantity, *values: Any, **named: Any) -> str:
    """The message of a call without a model: whether it was to be a request."""
    name = quantity.__name__
    given = [x for x in values if x is not None]
    try:
        quantity.request(*given, **named)
    except TypeError:
        arrays = ", ".join(["model", "data", *quantity.inputs])
        return f"{name}: the model comes first: {name}({arrays})"
    text = ", ".join([*map(repr, given), *(f"{option}={x!r}" for option, x in named.items())])
    return f"{name}: a call computes and takes a model first; a request is {name}.request({text})"


def _misplaced(quantity: Quantity, arrays: tuple[Any, ...], options: Mapping[str, Any]) -> str:
    """The message of a call with options by position; empty if there are none."""
    count = len(quantity.inputs) if quantity.parameters else len(arrays)
    given = [x for k, x in enumerate(arrays) if k >= count or isinstance(x, (str, Enum))]
    given = [x for x in given if not isinstance(x, (np.ndarray, list))]
    left = [name for name in quantity.options if name not in options]
    words = ", ".join(f"{name}={x!r}" for name, x in zip(left, given, strict=False))
    return words and f"{quantity.__name__}: options are given by name: {words}"


def _is_exact(option: Any) -> bool:
    """Whether equal values of this type with equal texts are the same."""
    kind = type(option)
    if kind is tuple:
        return all(map(_is_exact, option))
    return kind in PLAIN_TYPES or kind.__module__.startswith(PACKAGE)


def _as_float(compute: Callable[..., FloatArray]) -> Callable[..., float]:
    def value(*arguments: Any, **named: Any) -> float:
        return compute(*arguments, **named).item()

    return value
