# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Names of joints as people read them."""

from __future__ import annotations

from collections.abc import Sequence

ENDING = "_joint"


def short_names(names: Sequence[str]) -> list[str]:
    """The names without the ending ``_joint``, if all of them have it."""
    if names and all(name.endswith(ENDING) and name != ENDING for name in names):
        return [name.removesuffix(ENDING) for name in names]
    return list(names)
