# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Pairs of bodies whose collisions an SRDF disables."""

from __future__ import annotations

import os

from dyn_core.errors import ModelError
from dyn_core.geometry.geometry_model import GeometryModel
from dyn_core.readers.srdf import srdf_root


def with_disabled_collisions(
    geometry: GeometryModel, source: str | os.PathLike[str]
) -> GeometryModel:
    """``geometry`` without the pairs that an SRDF disables.

    ``<disable_collisions link1= link2=/>`` removes the pairs of two links; links without shapes are
    ignored.

    Raises:
        ModelError: no SRDF, or an entry that does not name two links.
    """
    disabled = set()
    for number, entry in enumerate(srdf_root(source).findall("disable_collisions"), 1):
        links = entry.get("link1"), entry.get("link2")
        if not links[0] or not links[1]:
            raise ModelError(f"disable_collisions number {number} must name link1 and link2")
        disabled.add(frozenset({links[0], links[1]}))
    return geometry.without_bodies(disabled)
