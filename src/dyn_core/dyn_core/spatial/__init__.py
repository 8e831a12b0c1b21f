# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Spatial algebra, generic over the scalar: floats compute, symbolic scalars are traced."""

from dyn_core.spatial.articulated_inertia import ArticulatedInertia
from dyn_core.spatial.body_motion import BodyMotion
from dyn_core.spatial.exponential import exp3, exp6, jexp3, jexp6, jlog3, jlog6, log3, log6
from dyn_core.spatial.inertia import Inertia
from dyn_core.spatial.inertia_rate import InertiaRate
from dyn_core.spatial.matrix3 import Matrix3, Symmetric3
from dyn_core.spatial.motion import Force, Motion
from dyn_core.spatial.quaternion import of_matrix as quaternion_of_matrix
from dyn_core.spatial.se3 import SE3
from dyn_core.spatial.validity import objection, placement_objection
from dyn_core.spatial.vector3 import Vector3

__all__ = [
    "SE3",
    "ArticulatedInertia",
    "BodyMotion",
    "Force",
    "Inertia",
    "InertiaRate",
    "Matrix3",
    "Motion",
    "Symmetric3",
    "Vector3",
    "exp3",
    "exp6",
    "jexp3",
    "jexp6",
    "jlog3",
    "jlog6",
    "log3",
    "log6",
    "objection",
    "placement_objection",
    "quaternion_of_matrix",
]
