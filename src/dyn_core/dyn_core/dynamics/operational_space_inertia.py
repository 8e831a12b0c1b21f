# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Operational-space inertia of a frame, and its inverse."""

from __future__ import annotations

import numpy as np

from dyn_core.dynamics.cholesky import inverse_form
from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.declare.options import LOCAL, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.dynamics.ldl_factorization import factorize, solve
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial.lie.space import identity
from dyn_core.spatial.scalars import Rows

SINGULAR_VALUE_TOLERANCE = 1e-9
"""How small a singular value of a Jacobian is, beside its largest entry, in a direction that is
held: the margin between reachable directions and rounding errors is wide on both sides."""


@quantity(
    "osim_inverse",
    "inverse operational-space inertia of a frame, linear rows first",
    unit="1/kg, 1/(kg m), 1/(kg m^2)",
    shape=(6, 6),
    frame="requested",
    source="Khatib 1987, equation 51",
    requires=refuse_singular,
)
def inverse_operational_space_inertia(
    model: Model, q: Configuration, *, frame: Frame, reference: Reference = LOCAL
) -> Rows:
    """``J M^-1 J'``: the acceleration of a frame at rest by a force on it. It always exists."""
    J = frame_jacobian.define(model, q, frame=frame, reference=reference)
    return inverse_form(model, q, J)


@quantity(
    "osim",
    "operational-space inertia of a frame, linear rows first",
    unit="kg, kg m, kg m^2",
    shape=(6, 6),
    frame="requested",
    source="Khatib 1987, equation 51; Nakamura and Hanafusa 1986, equation 24",
    requires=refuse_singular,
)
def operational_space_inertia(
    model: Model,
    q: Configuration,
    *,
    frame: Frame,
    reference: Reference = LOCAL,
    damping: float = 0.0,
) -> Rows:
    """``(J M^-1 J' + damping 1)^-1``: the force that gives a frame at rest an acceleration.

    Where the frame cannot accelerate in some direction, as at a singularity of the robot, the
    inverse without damping does not exist: what comes out is infinite, NaN or useless. With a
    damping above 0 (in 1/kg and 1/(kg m^2)) inertias come out as they are, to within their share
    of its inverse, and none is larger than that: 1e-4 means no more than 10 t.

    Raises:
        ValueError: a damping that is negative, or none for a frame with less than six degrees of
            freedom, which has no inverse anywhere.
    """
    if not damping >= 0.0:
        raise ValueError(f"damping {damping} of an inverse must not be negative")
    if damping == 0.0 and (freedom := _freedom(model, frame)) < 6:
        raise ValueError(
            f"frame '{frame.name}' has {freedom} degrees of freedom, so in some direction its "
            "inertia is infinite: give a damping above 0, such as 1e-4"
        )
    options = {"frame": frame, "reference": reference}
    mobility: Rows = inverse_operational_space_inertia.define(model, q, **options)
    for k in range(6):
        mobility[k][k] = mobility[k][k] + damping
    factor = factorize(mobility)
    return [solve(factor, row) for row in identity(6)]


def _freedom(model: Model, frame: Frame) -> int:
    """In how many directions a frame can move, in a random configuration as in almost any."""
    step = np.random.default_rng(0).normal(size=model.nv).tolist()
    q = model.space.integrate(model.space.neutral(), step)
    J = np.array(frame_jacobian.define(model, q, frame=frame), dtype=np.float64)
    return int(
        np.linalg.matrix_rank(
            J, tol=SINGULAR_VALUE_TOLERANCE * max(1.0, np.abs(J).max(initial=0.0))
        )
    )
