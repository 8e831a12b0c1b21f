"""Dataclasses that a robot is made of: nothing in them can be changed, however it was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from dyn_core.spatial.value import Value

K = TypeVar("K", bound=type[Any])


def lasting(kind: K) -> K:
    """Close a frozen dataclass.

    Its lists and arrays become tuples, dictionaries become read-only ones, and what refuses an
    assignment says how another robot is made.
    """
    construct: Callable[..., None] = kind.__init__

    @wraps(construct)
    def closing(self: Any, *arguments: Any, **named: Any) -> None:
        construct(self, *arguments, **named)
        own = vars(self)
        for name, value in own.items():
            if isinstance(value, (tuple, list, np.ndarray, Mapping)):
                own[name] = closed(value)

    kind.__init__ = closing
    for name in ("__setattr__", "__delattr__"):
        setattr(kind, name, vars(Value)[name])
    return kind


def closed(value: Any) -> Any:
    """The same with tuples for lists and arrays, and read-only mappings, all the way down."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return tuple([closed(item) for item in value])
    if isinstance(value, Mapping):
        return MappingProxyType({name: closed(item) for name, item in value.items()})
    return value
