# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the centroidal momentum and of its rate.

As in :mod:`dyn_core.dynamics.rnea_derivatives`, a coordinate changes the momentum and the forces
of the subtree that it moves, and turns them. What is about the centre of mass ``c`` changes also
because c moves: ``n - c x f`` by ``- dc x f``.
"""

from __future__ import annotations

from dyn_core.dynamics.center_of_mass import refuse_massless
from dyn_core.dynamics.declare.arrays import Acceleration, Configuration, Output, Velocity
from dyn_core.dynamics.declare.options import WHOLE_ROBOT
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.motion_derivatives import motion_columns
from dyn_core.dynamics.rnea_derivatives import ForceColumn, composites
from dyn_core.dynamics.tree_passes import Columns
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Force, Vector3
from dyn_core.spatial.scalars import Rows

ROWS = (6, "nv")
FRAME = "world, about the centre of mass"


@quantity(
    Output("dh_dq", "derivative of the centroidal momentum by q", "kg/s, kg m/s", ROWS, FRAME),
    Output("dhdot_dq", "derivative of its rate by q", "N/m, N", ROWS, FRAME),
    Output("dhdot_dv", "derivative of its rate by v", "kg/s, kg m/s", ROWS, FRAME),
    Output(
        "dhdot_da",
        "derivative of its rate by a",
        "kg, kg m, kg m^2",
        ROWS,
        FRAME,
        pinocchio="also Ag",
    ),
    pinocchio="computeCentroidalDynamicsDerivatives",
    source="Carpentier and Mansard 2018, section III; Orin, Goswami and Lee 2013",
    requires=lambda model: refuse_massless(model, WHOLE_ROBOT),
)
def centroidal_dynamics_derivatives(
    model: Model, q: Configuration, v: Velocity, a: Acceleration
) -> tuple[Rows, Rows, Rows, Rows]:
    """Derivatives of the centroidal momentum by q, and of its rate by q, v and a.

    Rows are linear first. The derivative of the momentum by v is that of its rate by a.
    """
    motion = motion_columns(model, q, v, a, Vector3.zero())
    bodies = composites(model, motion)
    whole = bodies[0]
    mass = whole.inertia.mass
    at = SE3(motion.placements[0].rotation, whole.inertia.com)
    results = [Columns(model) for _ in range(4)]
    for i in model.moving_joints:
        body = bodies[i]
        for column in motion.of[i]:
            change = ForceColumn.of(column, body)
            shift = change.by_a.linear * (1.0 / mass)  # of the centre of mass
            momentum = body.inertia.apply(column.V_q) + column.S.cross_force(body.momentum)
            force = change.by_q + column.S.cross_force(body.force)
            forces = (
                _about_moving(momentum, shift, whole.momentum),
                _about_moving(force, shift, whole.force),
                change.by_v,
                change.by_a,
            )
            for result, found in zip(results, forces, strict=True):
                result.add(column.k, at.act_inv_force(found))
    by_q, rate_by_q, rate_by_v, rate_by_a = (result.rows for result in results)
    return by_q, rate_by_q, rate_by_v, rate_by_a


def _about_moving(change: Force, shift: Vector3, whole: Force) -> Force:
    """The change of a force about a point that shifts."""
    return Force(change.linear, change.angular - shift.cross(whole.linear))
