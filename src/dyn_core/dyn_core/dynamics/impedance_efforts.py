# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts of Cartesian impedance control: a spring and a damper between a frame and its target.

::

    tau = J' (F - L J u) + M u + C v + g
    F   = K clamp(e) + 2 zeta R S^-1/2 R (V_d - V) + W    along and about the world's axes
    e   = [p_d - p; log(R_d R_f')]                        from the frame to its target
    K   = R R,   S = R L^-1 R,   L^-1 = J M^-1 J' + damping 1
    u   = w^2 (posture - q) - 2 zeta w v

No force has to be measured, since the inertia stays the robot's own (Hogan 1985). F is minus the
gradient of ``e' K e / 2`` where no error is clamped and the three stiffnesses about the axes are
equal. With ``y = R e`` the frame moves by ``y'' + 2 zeta S^1/2 y' + S y = 0``: each mode, whose
natural frequency is the root of an eigenvalue of S, has the damping ratio zeta (Albu-Schaeffer et
al. 2003, section III). An axis without stiffness has no damping.

``M u - J' L J u`` moves the joints to a posture and does not accelerate the frame (Khatib 1987,
section VIII). Near a singularity ``damping`` (1/kg, 1/(kg m^2)) bounds L.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, pi

from dyn_core.dynamics.declare.arrays import (
    BodyForces,
    Configuration,
    DampingRatio,
    FramePlacement,
    FrameTwist,
    FrameWrench,
    Frequency,
    PoseError,
    Stiffness,
    Velocity,
)
from dyn_core.dynamics.declare.options import LOCAL_WORLD_ALIGNED
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.dynamics.frame_motion import frame_placement
from dyn_core.dynamics.integrate import difference
from dyn_core.dynamics.ldl_factorization import factorize, solve
from dyn_core.dynamics.operational_space_inertia import inverse_operational_space_inertia
from dyn_core.dynamics.rnea import rnea
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial import SE3
from dyn_core.spatial.exponential import log3
from dyn_core.spatial.scalars import Rows, Scalar, dot, select, sqrt

STEP = 2.0
NODES = tuple(0.3 * exp(STEP * k) for k in range(6))  # rad/s


@quantity(
    "tau_impedance",
    "efforts of a spring and a damper between a frame and its target, gravity compensated",
    unit="N m, N",
    shape=("nv",),
    source="Albu-Schaeffer et al. 2003, section III; Khatib 1987, section VIII",
    requires=refuse_singular,
)
def impedance_efforts(
    model: Model,
    q: Configuration,
    v: Velocity,
    target: FramePlacement,
    target_twist: FrameTwist,
    target_wrench: FrameWrench,
    stiffness: Stiffness,
    max_error: PoseError,
    damping_ratio: DampingRatio,
    posture: Configuration,
    posture_frequency: Frequency,
    max_frequency: Frequency,
    f_ext: BodyForces | None = None,
    *,
    frame: Frame,
    damping: float = 1e-4,
) -> Sequence[Scalar]:
    """Efforts that hold a frame at ``target`` like a spring, and joints at ``posture`` beside it.

    ``target_wrench`` is exerted beside spring and damper. Stiffnesses with which a mode might be
    faster than ``max_frequency``, which the rate of the control loop carries, are lowered.
    """
    where = {"frame": frame, "reference": LOCAL_WORLD_ALIGNED}
    J = frame_jacobian.define(model, q, **where)
    mobility = inverse_operational_space_inertia.define(model, q, **where)
    for k in range(6):
        mobility[k][k] = mobility[k][k] + damping
    R = roots_of_stiffness(mobility, stiffness, max_frequency[0])
    oMf, goal = frame_placement.define(model, q, frame=frame), SE3.from_homogeneous(target)
    turn = log3(goal.rotation @ oMf.rotation.transpose())
    error = (*(goal.translation - oMf.translation), *turn)
    zeta, w = damping_ratio[0], posture_frequency[0]
    late = [r * (x - dot(row, v)) for r, x, row in zip(R, target_twist, J, strict=True)]
    damper = inverse_root_product(scaled(mobility, R), late)
    force = [
        r * (r * clamped(e, -most, most) + 2.0 * zeta * rate) + push
        for r, e, most, rate, push in zip(R, error, max_error, damper, target_wrench, strict=True)
    ]
    u = [
        w * (w * way - 2.0 * zeta * rate)
        for way, rate in zip(difference.define(model, q, posture), v, strict=True)
    ]
    moved = solve(factorize(mobility), [dot(row, u) for row in J])  # by the posture
    tool = [x - y for x, y in zip(force, moved, strict=True)]
    tau = rnea.define(model, q, v, u, f_ext)
    return [x + dot(column, tool) for x, column in zip(tau, zip(*J, strict=True), strict=True)]


def roots_of_stiffness(mobility: Rows, stiffness: Sequence[Scalar], most: Scalar) -> list[Scalar]:
    """R, of stiffnesses that are lowered so far that no mode is faster than ``most``, rad/s.

    No eigenvalue exceeds the largest sum of a column (Gershgorin 1931), and a share of a stiffness
    is a share of its column.
    """
    R = [sqrt(select(k > 0.0, k, 0.0)) for k in stiffness]
    sums = [sum(select(x < 0.0, -x, x) for x in row) for row in scaled(mobility, R)]
    largest = [select(x > most * most, x, most * most) for x in sums]
    return [r * most / sqrt(x) for r, x in zip(R, largest, strict=True)]


def scaled(matrix: Rows, R: Sequence[Scalar]) -> Rows:
    """``R matrix R`` with a diagonal R."""
    return [
        [r * x * s for x, s in zip(row, R, strict=True)] for r, row in zip(R, matrix, strict=True)
    ]


def inverse_root_product(S: Rows, b: Sequence[Scalar]) -> list[Scalar]:
    """``S^-1/2 b``, to within 4 % for eigenvalues of S from 2^2 to 1000^2; smaller for lower ones.

    ``S^-1/2 = (2 / pi) integral (S + t^2 1)^-1 dt`` from 0 to infinity, by the trapezoidal rule
    over log t, which converges exponentially (Hale, Higham and Trefethen 2008).
    """
    result: list[Scalar] = [0.0] * len(b)
    for t in NODES:
        shifted = [list(row) for row in S]
        for k, row in enumerate(shifted):
            row[k] = row[k] + t * t
        part = solve(factorize(shifted), b)
        result = [x + STEP * t * 2.0 / pi * y for x, y in zip(result, part, strict=True)]
    return result


def clamped(x: Scalar, lowest: Scalar, highest: Scalar) -> Scalar:
    """``x``, or the limit beyond which it is."""
    return select(x < lowest, lowest, select(x > highest, highest, x))
