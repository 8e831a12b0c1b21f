# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Names that belong to one quantity each: fields of Data, and Pinocchio's functions and fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import getfile
from weakref import WeakValueDictionary

from dyn_core.dynamics.declare.definition import Declared

SHARED_NAME_PREFIX = "also "
"""Precedes a name of Pinocchio that another quantity claims, for one of several results."""


_CLAIMED: WeakValueDictionary[str, Declared] = WeakValueDictionary()
"""The owners of names, as long as they exist."""
DEFINITIONS = "dyn_core.dynamics."
"""The prefix of modules that declare the package's own quantities."""


def names_in(names: str | None) -> dict[str, str]:
    """Pinocchio's names in a declaration, each with the options by which ours is the same.

    ``"v, ov(reference=WORLD)"`` are two. A name that several quantities have belongs to one of
    them; the others write ``"also centerOfMass"``.
    """
    return dict(_split(names or "", also=True))


def claim(quantity: Declared) -> None:
    """Claim the names of a quantity; a quantity that is declared again keeps them.

    The package imports its own definitions when they are first asked for: a user's declaration asks
    for all of them, so that it is not refused somewhere later.

    Raises:
        TypeError: another quantity has one of them; the message says which.
    """
    if not quantity.__module__.startswith(DEFINITIONS):
        from dyn_core.dynamics import QUANTITIES  # noqa: F401 - imports all
    claims = dict(_claims(quantity))
    for key, words in claims.items():
        other = _CLAIMED.get(key)
        if other is not None and not _same(other, quantity):
            raise TypeError(
                f"{quantity.__name__} and {other.__name__} (of {other.__module__}) both claim "
                f"{words}"
            )
    for key in claims:
        _CLAIMED[key] = quantity


def _claims(quantity: Declared) -> Iterator[tuple[str, str]]:
    """Descriptions of the names that a quantity claims: fields of Data and names of Pinocchio."""
    for name, options in _split(quantity.pinocchio or "", also=False):
        advice = f"if both are results of it, write '{SHARED_NAME_PREFIX}{name}' in one of them"
        yield f"pinocchio.{name}{options}", f"Pinocchio's function '{name}': {advice}"
    for output in quantity.outputs:
        yield f"Data.{output.field}", f"the field '{output.field}' of Data: rename one"
        for name, options in _split(output.pinocchio or output.field, also=False):
            advice = (
                f"write pinocchio_data='{SHARED_NAME_PREFIX}{name}' in one of them, or the name "
                "that it has"
            )
            yield f"pinocchio.Data.{name}{options}", f"Pinocchio's 'Data.{name}': {advice}"


def _split(names: str, also: bool) -> list[tuple[str, str]]:
    """Names and options; without ``also`` only the claimed ones."""
    found = re.findall(rf"({SHARED_NAME_PREFIX})?([\w.]+)(\([^)]*\))?", names)
    return [(name, options) for mark, name, options in found if also or not mark]


def _same(a: Declared, b: Declared) -> bool:
    """Whether one is a new declaration of the other: in a notebook, or by another module name."""
    places = ((x.__module__, getfile(x.definition)) for x in (a, b))
    return a.__name__ == b.__name__ and any(p == q for p, q in zip(*places, strict=True))
