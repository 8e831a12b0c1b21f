# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Arrays and options of a definition, read from its signature, and its results as scalars."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol, get_type_hints

from dyn_core.dynamics.declare.arrays import Array, Output
from dyn_core.spatial import SE3
from dyn_core.spatial.scalars import Scalar


@dataclass(frozen=True)
class Parameter:
    """An array parameter of a definition."""

    name: str
    array: Array
    optional: bool
    """Whether it is an input of machine code only if a caller passes it."""


@dataclass(frozen=True)
class Option:
    """A keyword of a definition: a hashable value that selects what is computed."""

    name: str
    annotation: Any
    default: Any
    """The default, or ``inspect.Parameter.empty``."""


class Declared(Protocol):
    """The declaration of a quantity: see :class:`dyn_core.dynamics.declare.Quantity`."""

    __name__: str
    __module__: str
    definition: Callable[..., Any]
    parameters: dict[str, Parameter]
    options: dict[str, Option]
    outputs: tuple[Output, ...]
    pinocchio: str | None


def required(parameters: Mapping[str, Parameter]) -> tuple[str, ...]:
    """Names of the required arrays, in order."""
    return tuple(name for name, x in parameters.items() if not x.optional)


def read_signature(
    definition: Callable[..., Any],
) -> tuple[dict[str, Parameter], dict[str, Option]]:
    """The arrays and options of a definition, read from its signature."""
    hints = get_type_hints(definition, include_extras=True)
    arrays: dict[str, Parameter] = {}
    options: dict[str, Option] = {}
    for name, parameter in list(inspect.signature(definition).parameters.items())[1:]:
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            options[name] = Option(name, hints.get(name), parameter.default)
            continue
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            continue  # arrays that follow from the options
        array = _array(hints.get(name))
        if array is None:
            raise TypeError(
                f"quantity '{definition.__name__}': annotate the parameter '{name}' with a type of "
                "dyn_core.dynamics.declare.arrays, such as Configuration, or make it a keyword "
                "if it is an option"
            )
        optional = parameter.default is not inspect.Parameter.empty
        arrays[name] = Parameter(name, array, optional)
    return arrays, options


def _array(hint: Any) -> Array | None:
    """The Array in an annotation, which may be that of an optional parameter."""
    for candidate in (hint, *getattr(hint, "__args__", ())):
        for extra in getattr(candidate, "__metadata__", ()):
            if isinstance(extra, Array):
                return extra
    return None


def has_shape(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether nested sequences and spatial types have this shape, or are flat of this size."""
    if isinstance(value, SE3):
        return shape == (4, 4)
    if not hasattr(value, "__iter__") or isinstance(value, (str, dict)):
        return not shape and not isinstance(value, (str, dict, type(None)))
    rows = list(value)
    if not any(hasattr(row, "__iter__") or isinstance(row, SE3) for row in rows):
        return len(rows) == prod(shape)
    return len(rows) == shape[0] and all(has_shape(row, shape[1:]) for row in rows)


def scalars_in(value: Any) -> Iterable[Scalar]:
    """All scalars in nested sequences and spatial types, in C order."""
    if isinstance(value, SE3):
        value = value.homogeneous()
    if hasattr(value, "__iter__"):
        for item in value:
            yield from scalars_in(item)
    else:
        yield value
