# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Matrices of six or three rows that are made column by column, one per coordinate."""

from __future__ import annotations

from collections.abc import Iterable

from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar


class Columns:
    """A matrix with a column for each of nv coordinates, zero at first.

    What several joints add to the column of a coordinate that they share is summed, as is right for
    whatever is linear in velocities.
    """

    def __init__(self, model: Model, height: int = 6) -> None:
        self.rows: list[list[Scalar]] = [[0.0] * model.nv for _ in range(height)]

    def add(self, k: int, column: Iterable[Scalar]) -> None:
        """Add to column k."""
        for row, x in zip(self.rows, column, strict=True):
            row[k] = row[k] + x
