# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The choice between several definitions of a quantity."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any


class Choice:
    """The number of the definition of each quantity; the default is 0, the first one."""

    def __init__(self, chosen: Mapping[Any, int]) -> None:
        self.chosen = chosen
        self.seen: dict[Any, None] = {}
        """Quantities with several definitions, in the order in which they ran."""


_CHOICE: ContextVar[Choice | None] = ContextVar("choice", default=None)


@contextmanager
def choosing(chosen: Mapping[Any, int]) -> Iterator[Choice]:
    """Choose definitions for the context, also for calls from other definitions."""
    choice = Choice(chosen)
    token = _CHOICE.set(choice)
    try:
        yield choice
    finally:
        _CHOICE.reset(token)


def chosen_definition(
    quantity: Hashable, definitions: Sequence[Callable[..., Any]]
) -> Callable[..., Any]:
    """The chosen definition."""
    choice = _CHOICE.get()
    if choice is None or len(definitions) == 1:
        return definitions[0]
    choice.seen[quantity] = None
    return definitions[choice.chosen.get(quantity, 0)]
