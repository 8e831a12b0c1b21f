"""Configuration spaces: the product of the joints' own."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.lie.space import Rows
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar


def integrate(model: Model, q: Sequence[Scalar], dv: Sequence[Scalar]) -> list[Scalar]:
    """``q (+) dv`` (nq): where the constant velocity ``dv`` leads in unit time."""
    return list(model.space.integrate(q, dv))


def difference(model: Model, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> list[Scalar]:
    """``q1 (-) q0`` (nv): the constant velocity that leads from ``q0`` to ``q1`` in unit time."""
    return list(model.space.difference(q0, q1))


def d_integrate_dq(model: Model, q: Sequence[Scalar], dv: Sequence[Scalar]) -> Rows:
    """Jacobian (nv, nv) of ``q (+) dv`` by ``q``."""
    return model.space.d_integrate(q, dv)[0]


def d_integrate_dv(model: Model, q: Sequence[Scalar], dv: Sequence[Scalar]) -> Rows:
    """Jacobian (nv, nv) of ``q (+) dv`` by ``dv``."""
    return model.space.d_integrate(q, dv)[1]


def d_difference_dq0(model: Model, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> Rows:
    """Jacobian (nv, nv) of ``q1 (-) q0`` by ``q0``."""
    return model.space.d_difference(q0, q1)[0]


def d_difference_dq1(model: Model, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> Rows:
    """Jacobian (nv, nv) of ``q1 (-) q0`` by ``q1``."""
    return model.space.d_difference(q0, q1)[1]
