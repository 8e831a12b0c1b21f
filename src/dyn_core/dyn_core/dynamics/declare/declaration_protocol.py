# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Protocols of declarations, for lower layers that read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from dyn_core.dynamics.declare.definition import Option, Parameter
from dyn_core.dynamics.declare.output import Output


class Declared(Protocol):
    """The declaration of a quantity: see :class:`dyn_core.dynamics.declare.Quantity`."""

    __name__: str
    __module__: str
    definition: Callable[..., Any]
    parameters: dict[str, Parameter]
    options: dict[str, Option]
    outputs: tuple[Output, ...]
    pinocchio: str | None
