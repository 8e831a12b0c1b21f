# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Texts that differ for parts of a robot that differ: what keys of compiled code are made of.

All fields of a dataclass and all attributes of a joint or space of this package are in the text,
found by reflection: a new field cannot be forgotten. :func:`close` makes collections immutable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from numbers import Integral, Real
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.model.joints import Joint
from dyn_core.spatial.lie import Space

PACKAGE = f"{__name__.split('.')[0]}."
PLAIN_TYPES = frozenset({float, int, str, bool, type(None)})


def content(value: Any) -> str:
    """A text that differs for values that differ.

    Subclasses of numbers and texts count as what they are: how they print themselves does not.

    Raises:
        TypeError: equality of such values is unknown.
    """
    return repr(_plain(value))


def number_or_text(value: Any) -> Any:
    """Numbers and texts of numpy's and users' subclasses as Python's own; others unchanged."""
    kind = type(value)
    if kind in PLAIN_TYPES or isinstance(value, Enum) or kind.__module__.startswith(PACKAGE):
        return value
    known = (bool, np.bool_, np.integer, np.floating, float, int, str)
    return _plain(value) if isinstance(value, known) else value


def close(part: Any) -> None:
    """Make what a part holds immutable: see :func:`closed`.

    Raises:
        ModelError: a field that is not declared as bool holds True or False.
    """
    own = vars(part)
    for name, value in own.items():
        own[name] = closed(value)
        if _holds_truth(own[name]) and not _is_declared_bool(part, name):
            raise ModelError(
                f"{type(part).__name__}: {name} is {value!r:.100}; True and False are no numbers: "
                "write 1 or 0"
            )


def _holds_truth(value: Any) -> bool:
    if isinstance(value, Mapping):
        value = tuple(value.values())
    return isinstance(value, bool) or (isinstance(value, tuple) and any(map(_holds_truth, value)))


def _is_declared_bool(part: Any, name: str) -> bool:
    return any(field.name == name and "bool" in str(field.type) for field in fields(part))


def closed(value: Any) -> Any:
    """The same with tuples for lists and arrays, read-only mappings, and plain numbers and texts.

    A user's subclass of float may compute or compare otherwise than its value does.
    """
    if isinstance(value, Mapping):
        return MappingProxyType({name: closed(item) for name, item in value.items()})
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(map(closed, value)) if isinstance(value, (tuple, list)) else number_or_text(value)


def _plain(value: Any) -> Any:
    """A value in numbers, texts and tuples, of Python's own types."""
    kind = type(value)
    if kind in PLAIN_TYPES:
        return value
    if kind is tuple:
        return tuple([_plain(item) for item in value])
    form = _known.get(kind)
    if form is None:
        form = _known[kind] = _form(kind)
    return form(value)


_known: dict[type[Any], Callable[[Any], Any]] = {}
"""How values of a type become plain, once it is known."""


def _form(kind: type[Any]) -> Callable[[Any], Any]:
    """How values of a type become plain."""
    for base, form in FORMS.items():
        if issubclass(kind, base):
            return form
    name = f"{kind.__module__}.{kind.__qualname__}"
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
    elif issubclass(kind, (Joint, Space)):
        own = kind.__module__.startswith(PACKAGE)
        return lambda value: (name, *(_attributes(value) if own else [repr(value)]))
    else:
        raise TypeError(
            f"{name} has no known content: use numbers, texts and tuples, or give it a method "
            "content()"
        )
    if len(names) < 2:
        return lambda value: (name, *(_plain(getattr(value, x)) for x in names))
    values = attrgetter(*names)
    return lambda value: (name, *[_plain(x) for x in values(value)])


def _attributes(value: Any) -> list[Any]:
    """The attributes of a joint or space of this package, with their names."""
    own = sorted((name, x) for name, x in vars(value).items() if name != "sealed")
    return [(name, _plain(x)) for name, x in own]


FORMS: dict[type[Any], Callable[[Any], Any]] = {
    bool: bool,
    np.bool_: bool,
    Enum: lambda value: (type(value).__qualname__, value.name),
    Integral: lambda value: int.__int__(value) if isinstance(value, int) else int(value),
    float: float.__float__,
    Real: float,
    str: str.__str__,
    list: lambda value: tuple([_plain(item) for item in value]),
    tuple: lambda value: tuple([_plain(item) for item in value]),
    Mapping: lambda value: tuple([(_plain(k), _plain(x)) for k, x in value.items()]),
}
"""How values become plain, by type; a subclass takes the first that fits."""
