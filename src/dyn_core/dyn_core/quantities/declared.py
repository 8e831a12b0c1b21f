"""Protocols of declarations, for lower layers that read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from dyn_core.quantities.definition import Option, Parameter
from dyn_core.quantities.output import Output


class Declared(Protocol):
    """The declaration of a quantity: see :class:`dyn_core.quantities.Quantity`."""

    __name__: str
    __module__: str
    definition: Callable[..., Any]
    parameters: dict[str, Parameter]
    options: dict[str, Option]
    outputs: tuple[Output, ...]
    pinocchio: str | None
