# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whether models, joints and quantities are those of the package as installed.

The cache key of such a program is the hash of the package's files, the robot and the requests. A
program with a class or definition of the user is keyed by its module text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any

from dyn_core.dynamics import QUANTITIES
from dyn_core.dynamics.declare import Quantity, Request
from dyn_core.model.content import PLAIN_TYPES
from dyn_core.model.joints import Joint
from dyn_core.model.model import Model
from dyn_core.spatial.lie import Space

PACKAGE = f"{__name__.split('.')[0]}."


def is_ours(model: Model, requests: Iterable[Request], extras: Iterable[Any] = ()) -> bool:
    """Whether the model with all its parts, quantities, options and inputs are the package's."""
    return (
        _is_ours(model)
        and all(map(_option_is_ours, extras))
        and all(map(_request_is_ours, requests))
    )


def joints_are_themselves(model: Model) -> bool:
    """Whether the attributes of joints agree with their methods: no class of ours was patched.

    Attributes of the user's own classes are believed.
    """
    return _is_of_package(type(model)) and all(
        _is_ours(joint) or not type(joint).__module__.startswith(PACKAGE) for joint in model.joints
    )


def _request_is_ours(request: Request) -> bool:
    options = (value for _, value in request.options)
    quantity = request.quantity
    return (
        QUANTITIES.get(quantity.__name__) is quantity
        and quantity.definition.__module__.startswith(PACKAGE)
        and all(map(_option_is_ours, options))
    )


def _option_is_ours(value: Any) -> bool:
    if isinstance(value, (Quantity, Request)):
        return _request_is_ours(value if isinstance(value, Request) else value.request())
    if type(value) is tuple:
        return all(map(_option_is_ours, value))
    return type(value) in PLAIN_TYPES or _is_of_package(type(value))


def _is_ours(part: Any) -> bool:
    """Whether a part of a model and all that it holds are of classes of the package."""
    return all(map(_is_of_package, {*_kinds(part)}))


def _kinds(part: Any) -> Iterator[type[Any]]:
    """The classes of a part of a model and of all that it holds, but for numbers and texts."""
    kind = type(part)
    if kind in PLAIN_TYPES:
        return
    if kind is tuple:
        held = part
    elif isinstance(part, (Joint, Space)):
        yield kind
        held = (*vars(part).values(), getattr(part, "space", None))
    elif is_dataclass(kind):
        yield kind
        held = [getattr(part, field.name) for field in fields(kind)]
    else:
        return
    for value in held:
        yield from _kinds(value)


def _is_of_package(kind: type[Any]) -> bool:
    """Whether a class is the one that a module of the package defines, with unpatched methods.

    Inherited methods count too. Those that dataclasses and enum add are its own.
    """
    module = sys.modules.get(kind.__module__)
    return (
        kind.__module__.startswith(PACKAGE)
        and getattr(module, kind.__qualname__, None) is kind
        and all(
            function.__module__.startswith(PACKAGE)
            or function.__module__ in ("dataclasses", "enum")
            for base in kind.__mro__
            if base.__module__.startswith(PACKAGE)
            for member in vars(base).values()
            for function in _functions(member)
        )
    )


def _functions(member: Any) -> Iterator[FunctionType]:
    """The functions of a method, a property or a class method."""
    inner = (getattr(member, name, None) for name in ("__func__", "fget", "func"))
    yield from (x for x in (member, *inner) if isinstance(x, FunctionType))
