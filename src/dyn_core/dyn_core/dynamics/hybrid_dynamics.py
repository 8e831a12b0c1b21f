# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Hybrid dynamics: some joints' accelerations are given, the others' efforts (Featherstone 2008).

With the coordinates f that yield and the coordinates p that are prescribed,

    [M_ff M_fp] [ddq_f]   [C_f]   [tau_f]
    [M_pf M_pp] [ddq_p] + [C_p] = [tau_p],

so that ddq_f comes from the first row, where ``M_fp ddq_p + C_f`` is the inverse dynamics of the
prescribed motion alone, and then tau_p from the second (section 9.2).
"""

from __future__ import annotations

from dyn_core.dynamics.crba import crba
from dyn_core.dynamics.declare.arrays import (
    Acceleration,
    BodyForces,
    Configuration,
    Effort,
    Output,
    Velocity,
)
from dyn_core.dynamics.declare.options import Joints
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.ldl_factorization import solve_from_the_leaves
from dyn_core.dynamics.rnea import rnea
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.errors import ModelError
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar


@quantity(
    Output("ddq_hybrid", "acceleration: given or computed", "rad/s^2, m/s^2", ("nv",)),
    Output("tau_hybrid", "joint effort: given or computed", "N m, N", ("nv",)),
    source="Featherstone 2008, section 9.2",
    joint_space=True,
    requires=refuse_singular,
)
def hybrid_dynamics(
    model: Model,
    q: Configuration,
    v: Velocity,
    tau: Effort,
    a: Acceleration,
    f_ext: BodyForces | None = None,
    *,
    prescribed: Joints = (),
) -> tuple[list[Scalar], list[Scalar]]:
    """Accelerations and efforts of all joints, of which each joint is given one.

    The joints named in ``prescribed`` move with the accelerations ``a``, the others yield to the
    efforts ``tau``; entries of the other kind do not matter. With no joint prescribed that is
    forward dynamics, with all of them inverse dynamics.
    """
    moved = _coordinates(model, prescribed)
    free = [k for k in range(model.nv) if k not in moved]
    efforts = rnea.define(
        model, q, v, [a[k] if k in moved else 0.0 for k in range(model.nv)], f_ext
    )
    M = crba.define(model, q)
    rest = [tau[k] - efforts[k] for k in free]
    rates = solve_from_the_leaves([[M[j][k] for k in free] for j in free], rest) if free else []
    ddq, total = list(a), list(tau)
    for k, rate in zip(free, rates, strict=True):
        ddq[k] = rate
    for j in moved:
        total[j] = efforts[j]
        for k, rate in zip(free, rates, strict=True):
            total[j] = total[j] + M[j][k] * rate
    return ddq, total


def _coordinates(model: Model, joints: Joints) -> list[int]:
    """Indices of the velocity coordinates of joints.

    Raises:
        ModelError: a joint has none of its own; the message names it.
    """
    found: list[int] = []
    for i in joints:
        entry = model.tree[i]
        if entry.primary != i:
            leader = model.names[entry.primary]
            raise ModelError(
                f"hybrid_dynamics: joint '{entry.name}' follows '{leader}'; prescribe that one"
            )
        found += range(model.idx_v[i], model.idx_v[i] + entry.joint.nv)
    return sorted(set(found))
