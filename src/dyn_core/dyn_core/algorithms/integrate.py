"""Configuration spaces: the product of the joints' own."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.model.model import Model
from dyn_core.spatial import Scalar


def integrate(model: Model, q: Sequence[Scalar], dv: Sequence[Scalar]) -> list[Scalar]:
    """``q (+) dv`` (nq): where the constant velocity ``dv`` leads in unit time."""
    result: list[Scalar] = []
    for i in model.own_coordinates:
        result.extend(model.joints[i].space.integrate(model.q_of(i, q), model.v_of(i, dv)))
    return result


def difference(model: Model, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> list[Scalar]:
    """``q1 (-) q0`` (nv): the constant velocity that leads from ``q0`` to ``q1`` in unit time."""
    result: list[Scalar] = []
    for i in model.own_coordinates:
        result.extend(model.joints[i].space.difference(model.q_of(i, q0), model.q_of(i, q1)))
    return result
