# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint types: one file each, all with the contract of :mod:`dyn_core.model.joints.joint`."""

from dyn_core.model.joints.composite import Composite
from dyn_core.model.joints.ellipsoid import Ellipsoid
from dyn_core.model.joints.fixed import Fixed
from dyn_core.model.joints.free_flyer import FreeFlyer
from dyn_core.model.joints.helical import Helical
from dyn_core.model.joints.joint import Freedom, Joint
from dyn_core.model.joints.mimic import Mimic
from dyn_core.model.joints.planar import Planar
from dyn_core.model.joints.prismatic import Prismatic
from dyn_core.model.joints.revolute import Revolute
from dyn_core.model.joints.revolute_unbounded import RevoluteUnbounded
from dyn_core.model.joints.spherical import Spherical
from dyn_core.model.joints.spherical_zyx import SphericalZYX
from dyn_core.model.joints.translation import Translation
from dyn_core.model.joints.universal import Universal
from dyn_core.model.joints.universe import Universe

__all__ = [
    "Composite",
    "Ellipsoid",
    "Fixed",
    "FreeFlyer",
    "Freedom",
    "Helical",
    "Joint",
    "Mimic",
    "Planar",
    "Prismatic",
    "Revolute",
    "RevoluteUnbounded",
    "Spherical",
    "SphericalZYX",
    "Translation",
    "Universal",
    "Universe",
]
