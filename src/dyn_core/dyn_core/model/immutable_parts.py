# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Dataclasses that a robot is made of: nothing in them can be changed, however it was given."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from dyn_core.model.content import number_or_text
from dyn_core.spatial.immutable import Value

K = TypeVar("K", bound=type[Any])


def lasting(kind: K) -> K:
    """Let a frozen dataclass say how another robot is made where it refuses an assignment.

    One that holds collections closes them, by :func:`close` after its initialization.
    """
    for name in ("__setattr__", "__delattr__"):
        setattr(kind, name, vars(Value)[name])
    return kind


def close(part: Any) -> None:
    """Make what a part holds immutable: see :func:`closed`."""
    own = vars(part)
    for name, value in own.items():
        own[name] = closed(value)


def closed(value: Any) -> Any:
    """The same with tuples for lists and arrays, read-only mappings, and plain numbers and texts.

    A user's subclass of float may compute or compare otherwise than its value does.
    """
    if isinstance(value, Mapping):
        return MappingProxyType({name: closed(item) for name, item in value.items()})
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(map(closed, value)) if isinstance(value, (tuple, list)) else number_or_text(value)
