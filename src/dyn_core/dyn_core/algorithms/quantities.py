"""The one table of what can be computed: names, algorithms, inputs, and the Data field filled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dyn_core.algorithms.aba import aba
from dyn_core.algorithms.configuration import (
    d_difference_dq0,
    d_difference_dq1,
    d_integrate_dq,
    d_integrate_dv,
    difference,
    integrate,
)
from dyn_core.algorithms.crba import crba
from dyn_core.algorithms.forward_kinematics import forward_kinematics
from dyn_core.algorithms.rnea import generalized_gravity, nonlinear_effects, rnea
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar
from dyn_core.spatial import SE3


@dataclass(frozen=True)
class Input:
    """An input vector of algorithms."""

    name: str
    meaning: str
    size: Callable[[Model], int]


@dataclass(frozen=True)
class Quantity:
    """Something that an algorithm computes from input vectors into one field of Data."""

    name: str
    algorithm: Callable[..., Any]
    inputs: tuple[str, ...]
    field: str

    def evaluate(self, model: Model, *inputs: Sequence[Scalar]) -> list[Scalar]:
        """Run the algorithm on floats or symbols; the result's scalars in C order."""
        return list(_scalars(self.algorithm(model, *inputs)))


def _nq(model: Model) -> int:
    return model.nq


def _nv(model: Model) -> int:
    return model.nv


INPUTS = {
    x.name: x
    for x in (
        Input("q", "configuration", _nq),
        Input("q0", "configuration to start from", _nq),
        Input("q1", "configuration to reach", _nq),
        Input("v", "velocity (m/s, rad/s)", _nv),
        Input("a", "acceleration (m/s^2, rad/s^2)", _nv),
        Input("tau", "effort (N, N m)", _nv),
        Input("dv", "velocity times time (m, rad)", _nv),
    )
}
"""All inputs, in the order in which functions take them."""

QUANTITIES = {
    x.name: x
    for x in (
        Quantity("inverse_dynamics", rnea, ("q", "v", "a"), "tau"),
        Quantity("gravity", generalized_gravity, ("q",), "g"),
        Quantity("nonlinear_effects", nonlinear_effects, ("q", "v"), "nle"),
        Quantity("mass_matrix", crba, ("q",), "M"),
        Quantity("forward_dynamics", aba, ("q", "v", "tau"), "ddq"),
        Quantity("placements", forward_kinematics, ("q",), "oMi"),
        Quantity("integrate", integrate, ("q", "dv"), "q_next"),
        Quantity("difference", difference, ("q0", "q1"), "dv"),
        Quantity("d_integrate_dq", d_integrate_dq, ("q", "dv"), "dq_next_dq"),
        Quantity("d_integrate_dv", d_integrate_dv, ("q", "dv"), "dq_next_dv"),
        Quantity("d_difference_dq0", d_difference_dq0, ("q0", "q1"), "ddv_dq0"),
        Quantity("d_difference_dq1", d_difference_dq1, ("q0", "q1"), "ddv_dq1"),
    )
}


def joined_inputs(quantities: Iterable[Quantity]) -> tuple[str, ...]:
    """All inputs that the quantities need, in the table's order."""
    needed = {name for quantity in quantities for name in quantity.inputs}
    return tuple(name for name in INPUTS if name in needed)


def _scalars(value: Any) -> Iterable[Scalar]:
    if isinstance(value, SE3):
        value = value.homogeneous()
    if isinstance(value, list):
        for x in value:
            yield from _scalars(x)
    else:
        yield value
