# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Second derivatives of inverse dynamics (Singh, Russell and Wensing 2024).

The first derivatives (:mod:`dyn_core.dynamics.rnea_derivatives`) are products of a column of a
joint a with a force of a joint b that it carries, or is: ``S_a . G_b``. A coordinate k that carries
joint b varies the columns of b, as they turn with it, by

    by q_k:  V_q by V_q,k x S,   A_q by A_q,k x S + 2 V_q,k x V_q,   A_v by 2 V_q,k x S,
    by v_k:  V_q by S_k x S,     A_q by A_v,k x S + 2 S_k x V_q,     A_v by 2 S_k x S,
    by a_k:                      A_q by S_k x S,

(Jacobi's identity makes them that short), the half B of its inertia's rate by that of a body with
the velocity V_q,k or S_k, and its force by what the first derivatives say. Where k lies between a
and b, a's column rests while the force turns by ``S_k x*``. Where it lies beyond b, second
derivatives commute. Cost is that of three columns and as many rows for every pair, and of a scalar
product for every triple.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.dynamics.declare.arrays import (
    Acceleration,
    BodyForces,
    Configuration,
    Output,
    Velocity,
)
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.derivative import derivative
from dyn_core.dynamics.motion_derivatives import MotionColumn, MotionColumns, motion_columns
from dyn_core.dynamics.rnea_derivatives import (
    CompositeBody,
    ForceColumn,
    composites,
    rnea_derivatives,
)
from dyn_core.model.model import Model
from dyn_core.spatial import Force, InertiaRate
from dyn_core.spatial.scalars import Scalar

CUBE = ("nv", "nv", "nv")
Tensor = list[list[list[Scalar]]]


@quantity(
    Output("d2tau_dqdq", "[i, j, k]: derivative of tau_i by q_j, and of that by q_k", "N m", CUBE),
    Output("d2tau_dvdv", "[i, j, k]: derivative of tau_i by v_j and v_k", "N m s^2", CUBE),
    Output("d2tau_dqdv", "[i, j, k]: derivative of tau_i by q_j and v_k", "N m s", CUBE),
    Output("d2tau_dadq", "[i, j, k]: derivative of M_ij by q_k", "kg m^2", CUBE),
    source="Singh, Russell and Wensing 2024, algorithm 1",
    joint_space=True,
)
def rnea_second_derivatives(
    model: Model,
    q: Configuration,
    v: Velocity,
    a: Acceleration,
    f_ext: BodyForces | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Second derivatives of inverse dynamics; those by q are along velocity coordinates.

    Of joints whose subspace moves with q they are taken by dual numbers.
    """
    motion = motion_columns(model, q, v, a, model.gravity_vector)
    if any(moves(column) for own in motion.of for column in own):
        return by_dual_numbers(model, q, v, a, f_ext)
    found = SecondDerivatives(*(zeros(model.nv) for _ in range(4)))
    bodies = composites(model, motion, f_ext)
    for b in model.moving_joints:
        chain = carrying(model, motion, b)
        for column in motion.of[b]:
            for k, varying in chain:
                pair = Pair.of(column, varying, bodies[b], same=k == b)
                for i, row in chain:
                    found.add_upper(pair, row, i, k, b)
                    if i < b:
                        found.add_lower(pair, row, i, k, b)
    return found.qq, found.vv, found.qv, found.aq


def moves(column: MotionColumn) -> bool:
    """Whether the subspace that it belongs to depends on q."""
    return any(not isinstance(x, float) or x != 0.0 for motion in column.S_q for x in motion)


def by_dual_numbers(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    f_ext: Sequence[Force] | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The same by differentiating the first derivatives."""
    state = {"q": q, "v": v, "a": a, "f_ext": f_ext}
    qq, vq, aq = derivative.request(rnea_derivatives, by="q").evaluate(model, state)
    _, vv, _ = derivative.request(rnea_derivatives, by="v").evaluate(model, state)
    qq_, vq_, aq_, vv_ = (cube(numbers, model.nv) for numbers in (qq, vq, aq, vv))
    qv = [[list(column) for column in zip(*rows, strict=True)] for rows in vq_]
    return qq_, vv_, qv, aq_


def carrying(model: Model, motion: MotionColumns, b: int) -> list[tuple[int, MotionColumn]]:
    """The columns of joint b and of all that carry it, each with its joint."""
    found: list[tuple[int, MotionColumn]] = []
    while b:
        found += [(b, column) for column in motion.of[b]]
        b = model.parents[b]
    return found


@dataclass(frozen=True)
class Pair:
    """A column of joint b, and how the forces that it stands for vary with another column.

    The other column is of b or of a joint that carries b. Forces are seen by joint b, not turning
    with the other.
    """

    column: MotionColumn
    other: MotionColumn
    by_q: Force
    """``G = I A_q + 2 B V_q + S x* F``: what joints that carry b feel of the column's q."""
    by_v: Force
    """``H = I A_v + 2 B S``: what they feel of its rate."""
    momentum: Force
    """``N = I S``"""
    turning: Force
    """``m = 2 B' S``"""
    q_by_q: Force
    """G by the other's q, but for what F varies by."""
    turned_by_q: Force
    """What F varies by: ``S x* dF``."""
    v_by_q: Force
    """H by the other's q."""
    v_by_v: Force
    """H by the other's rate."""
    q_by_v: Force
    """G by the rate of one that carries b."""
    q_by_a: Force
    """G by the acceleration of one that carries b."""
    turning_by_q: Force
    """m by the other's q."""
    turning_by_v: Force
    """m by the other's rate."""

    @classmethod
    def of(cls, column: MotionColumn, other: MotionColumn, body: CompositeBody, same: bool) -> Pair:
        """The pair of a column of a joint and one of the ``same`` joint, or of one before it."""
        inertia, rate = body.inertia, body.rate
        S, V_q, K, K_q = column.S, column.V_q, other.S, other.V_q
        own, others = ForceColumn.of(column, body), ForceColumn.of(other, body)
        by_q, by_v = InertiaRate.of_body(inertia, K_q), InertiaRate.of_body(inertia, K)
        across = K.cross(S)
        S_by_q, V_by_q = K_q.cross(S), K_q.cross(V_q)
        return cls(
            column,
            other,
            by_q=own.by_q + S.cross_force(body.force),
            by_v=own.by_v,
            momentum=own.by_a,
            turning=rate.apply_transpose(S) * 2.0,
            q_by_q=inertia.apply(other.A_q.cross(S) + V_by_q * 2.0)
            + (by_q.apply(V_q) + rate.apply(S_by_q)) * 2.0,
            turned_by_q=S.cross_force(others.by_q),
            v_by_q=(inertia.apply(S_by_q) + by_q.apply(S)) * 2.0,
            v_by_v=inertia.apply(across * (1.0 if same else 2.0)) + by_v.apply(S) * 2.0,
            q_by_v=inertia.apply(other.A_v.cross(S) + K.cross(V_q) * 2.0)
            + (by_v.apply(V_q) + rate.apply(across)) * 2.0
            + S.cross_force(others.by_v),
            q_by_a=inertia.apply(across) + S.cross_force(others.by_a),
            turning_by_q=by_q.apply_transpose(S) * 2.0,
            turning_by_v=by_v.apply_transpose(S) * 2.0,
        )


@dataclass(frozen=True)
class SecondDerivatives:
    """The four tensors, to which every triple of columns on a chain adds its entries."""

    qq: Tensor
    vv: Tensor
    qv: Tensor
    aq: Tensor

    def add_upper(self, pair: Pair, row: MotionColumn, i: int, k: int, b: int) -> None:
        """Second derivatives of the effort of joint i, an ancestor of b or b itself, by b and k."""
        i_, k_, b_ = row.k, pair.other.k, pair.column.k
        q_by_q, v_by_q = pair.q_by_q, pair.v_by_q
        if i < b:
            q_by_q = q_by_q + pair.turned_by_q
        if i < k:  # the forces turn against joint i
            q_by_q = q_by_q + pair.other.S.cross_force(pair.by_q)
            v_by_q = v_by_q + pair.other.S.cross_force(pair.by_v)
            by_a = row.S.dot(pair.other.S.cross_force(pair.momentum))
            add(self.aq, i_, b_, k_, by_a)
            add(self.aq, b_, i_, k_, by_a)
        add(self.qq, i_, b_, k_, row.S.dot(q_by_q), swapped=k < b)
        add(self.vv, i_, b_, k_, row.S.dot(pair.v_by_v), swapped=k < b)
        add(self.qv, i_, k_, b_, row.S.dot(v_by_q))
        if i < b and k < b:
            add(self.qv, i_, b_, k_, row.S.dot(pair.q_by_v))
            add(self.aq, i_, k_, b_, row.S.dot(pair.q_by_a))

    def add_lower(self, pair: Pair, row: MotionColumn, i: int, k: int, b: int) -> None:
        """Second derivatives of the effort of joint b by i and k, where i is an ancestor of b."""
        i_, k_, b_ = row.k, pair.other.k, pair.column.k
        K, K_q = pair.other.S, pair.other.V_q
        if i < k:  # joint b turns against i; derivatives by q twice and v twice commute
            by_qv = row.S.dot(K.cross_force(pair.turning) + pair.turning_by_q)
            by_qv = by_qv + row.A_v.dot(K.cross_force(pair.momentum))
            add(self.qv, b_, k_, i_, by_qv)
            return
        S_by_q = K_q.cross(row.S)
        A_by_q = pair.other.A_q.cross(row.S) + K_q.cross(row.V_q) * 2.0
        by_qq = S_by_q.dot(pair.turning) + row.V_q.dot(pair.turning_by_q)
        by_qq = by_qq + A_by_q.dot(pair.momentum)
        across = K.cross(row.S) * (1.0 if k == i else 2.0)
        by_vv = row.S.dot(pair.turning_by_v) + across.dot(pair.momentum)
        by_qv = row.S.dot(pair.turning_by_q) + S_by_q.dot(pair.momentum) * 2.0
        add(self.qq, b_, i_, k_, by_qq, swapped=k < i)
        add(self.vv, b_, i_, k_, by_vv, swapped=k < i)
        add(self.qv, b_, k_, i_, by_qv)


def add(tensor: Tensor, i: int, j: int, k: int, entry: Scalar, swapped: bool = False) -> None:
    """Add to an entry, and, where derivatives commute, to the one with j and k swapped."""
    tensor[i][j][k] = tensor[i][j][k] + entry
    if swapped:
        tensor[i][k][j] = tensor[i][k][j] + entry


def zeros(n: int) -> Tensor:
    """A tensor of zeros."""
    return [[[0.0] * n for _ in range(n)] for _ in range(n)]


def cube(numbers: Sequence[Scalar], n: int) -> Tensor:
    """Numbers in C order as a tensor."""
    rows = [list(numbers[k : k + n]) for k in range(0, n**3, n)]
    return [rows[k : k + n] for k in range(0, n * n, n)]
