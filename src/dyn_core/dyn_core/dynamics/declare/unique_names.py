# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Names that belong to one quantity each: fields of Data, and Pinocchio's functions and fields."""

from __future__ import annotations

import re

from dyn_core.dynamics.declare.definition import Declared

DEFINITIONS = "dyn_core.dynamics."
"""The prefix of modules that declare the package's own quantities."""


def names_in(names: str | None) -> dict[str, str]:
    """Pinocchio's names in a declaration, each with the options by which ours is the same.

    ``"v, ov(reference=WORLD)"`` are two. A name that several quantities have belongs to one of
    them; the others write ``"also centerOfMass"``.
    """
    return dict(re.findall(r"(?:also )?([\w.]+)(\([^)]*\))?", names or ""))


def refuse_taken_fields(quantity: Declared) -> None:
    """Refuse a user's quantity whose result a quantity of the package has as a field of Data.

    Raises:
        TypeError: the message names the field and the quantity.
    """
    if quantity.__module__.startswith(DEFINITIONS):  # tests compare those of the package
        return
    from dyn_core.dynamics import QUANTITIES

    fields = {output.field for output in quantity.outputs}
    for other in QUANTITIES.values():
        for field in fields.intersection(output.field for output in other.outputs):
            raise TypeError(
                f"{quantity.__name__} and {other.__name__} (of {other.__module__}) both claim the "
                f"field '{field}' of Data: rename one"
            )
