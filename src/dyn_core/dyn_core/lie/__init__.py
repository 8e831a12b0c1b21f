# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Configuration spaces: Lie groups with coordinates, generic over the scalar."""

from dyn_core.lie.circle import Circle
from dyn_core.lie.placements import Placements
from dyn_core.lie.plane import Plane
from dyn_core.lie.product import Product
from dyn_core.lie.rotations import Rotations
from dyn_core.lie.space import Space
from dyn_core.lie.vector_space import VectorSpace

__all__ = ["Circle", "Placements", "Plane", "Product", "Rotations", "Space", "VectorSpace"]
