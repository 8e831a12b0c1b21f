# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Outputs of quantities."""

from __future__ import annotations

from dataclasses import dataclass

from dyn_core.dynamics.declare.arrays import Shape


@dataclass(frozen=True)
class Output:
    """An output array of a quantity, which is a field of Data."""

    field: str
    meaning: str
    unit: str
    shape: Shape
    frame: str = "joint"
    """The frame of the coordinates: of the joints, the world, or an option of the request."""
    pinocchio: str | None = None
    """The field of Pinocchio's Data if its name differs: see
    :func:`dyn_core.dynamics.declare.unique_names.names_in`."""
