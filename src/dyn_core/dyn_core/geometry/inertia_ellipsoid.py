# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The ellipsoid of uniform density with the inertia of a body, to display inertias."""

from __future__ import annotations

import numpy as np

from dyn_core.model.model import FloatArray
from dyn_core.spatial import Inertia, Vector3


def inertia_ellipsoid(inertia: Inertia) -> tuple[FloatArray, FloatArray]:
    """The ellipsoid with the inertia of a body: semi-axes (m) and axes as columns (3, 3).

    Its density is uniform: the second moment of mass along each axis is m length^2 / 5. A negative
    moment, which no physical body has, counts as zero.

    Args:
        inertia: the inertia of a body with mass; the ellipsoid is centred at its centre of mass.
    """
    about_center = Inertia.from_com(inertia.mass, Vector3.zero(), inertia.at_com)
    second_moment = [[float(x) for x in row] for row in about_center.second_moment.rows]
    moments, axes = np.linalg.eigh(second_moment)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    return np.sqrt(np.maximum(5.0 * moments / inertia.mass, 0.0)), axes
