# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Names of joints as people read them."""

from __future__ import annotations

from collections.abc import Sequence

ENDING = "_joint"


def short_names(names: Sequence[str]) -> list[str]:
    """The names without the ending ``_joint``, if all of them have it, as ``a_joint/vx`` has."""
    parts = [name.partition("/") for name in names]
    if names and all(joint.endswith(ENDING) and joint != ENDING for joint, _, _ in parts):
        return [joint.removesuffix(ENDING) + slash + part for joint, slash, part in parts]
    return list(names)
