# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Geometry of robots: shapes of URDF and MJCF, their placements, collisions and distances.

This package is an extension above the core: meshes need ``trimesh``, collisions and distances need
``coal`` (the extra ``geometry``).
"""

from dyn_core.geometry.collision_checker import CollisionChecker
from dyn_core.geometry.from_description import geometry_from_description
from dyn_core.geometry.from_mjcf import geometry_from_mjcf
from dyn_core.geometry.from_urdf import geometry_from_urdf
from dyn_core.geometry.geometry_model import (
    GeometryModel,
    GeometryObject,
    Kind,
    with_disabled_collisions,
)
from dyn_core.geometry.shape_properties import inertia_ellipsoid
from dyn_core.geometry.shapes import (
    Box,
    Capsule,
    Cylinder,
    EllipsoidShape,
    HalfSpace,
    Shape,
    Sphere,
    TriangleMesh,
)

__all__ = [
    "Box",
    "Capsule",
    "CollisionChecker",
    "Cylinder",
    "EllipsoidShape",
    "GeometryModel",
    "GeometryObject",
    "HalfSpace",
    "Kind",
    "Shape",
    "Sphere",
    "TriangleMesh",
    "geometry_from_description",
    "geometry_from_mjcf",
    "geometry_from_urdf",
    "inertia_ellipsoid",
    "with_disabled_collisions",
]
