# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Which of a quantity's definitions runs, where it has several."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any


class Choice:
    """For each quantity the number of its definition, 0 being the first, which runs otherwise."""

    def __init__(self, ways: Mapping[Any, int]) -> None:
        self.ways = ways
        self.met: dict[Any, None] = {}
        """Quantities with several definitions that were run, in the order in which they were."""


_CHOICE: ContextVar[Choice | None] = ContextVar("choice", default=None)


@contextmanager
def choosing(ways: Mapping[Any, int]) -> Iterator[Choice]:
    """These definitions run meanwhile, also where other definitions use the quantities."""
    choice = Choice(ways)
    token = _CHOICE.set(choice)
    try:
        yield choice
    finally:
        _CHOICE.reset(token)


def chosen(quantity: Hashable, definitions: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """The one of its definitions that runs."""
    choice = _CHOICE.get()
    if choice is None or len(definitions) == 1:
        return definitions[0]
    choice.met[quantity] = None
    return definitions[choice.ways.get(quantity, 0)]
