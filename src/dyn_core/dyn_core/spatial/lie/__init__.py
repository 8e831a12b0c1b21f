# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Configuration spaces: Lie groups with coordinates, generic over the scalar."""

from dyn_core.spatial.lie.circle import Circle
from dyn_core.spatial.lie.placements import Placements
from dyn_core.spatial.lie.plane import Plane
from dyn_core.spatial.lie.product import Product
from dyn_core.spatial.lie.rotations import Rotations
from dyn_core.spatial.lie.space import Space
from dyn_core.spatial.lie.vector_space import VectorSpace

__all__ = ["Circle", "Placements", "Plane", "Product", "Rotations", "Space", "VectorSpace"]
