"""Results of computations on a model, preallocated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyn_core.model.model import FloatArray, Model


@dataclass(frozen=True)
class Field:
    """One array of :class:`Data`."""

    name: str
    meaning: str
    unit: str
    frame: str
    shape: Callable[[Model], tuple[int, ...]]


def _vector(model: Model) -> tuple[int, ...]:
    return (model.nv,)


def _matrix(model: Model) -> tuple[int, ...]:
    return (model.nv, model.nv)


FIELDS = {
    field.name: field
    for field in (
        Field("tau", "efforts of inverse dynamics", "N m, N", "joint", _vector),
        Field("g", "generalized gravity", "N m, N", "joint", _vector),
        Field("nle", "Coriolis, centrifugal and gravity", "N m, N", "joint", _vector),
        Field("M", "mass matrix", "kg m^2, kg m, kg", "joint", _matrix),
        Field("ddq", "acceleration", "rad/s^2, m/s^2", "joint", _vector),
        Field("oMi", "joint placements", "1, m", "world", lambda m: (m.njoints, 4, 4)),
        Field("q_next", "integrated configuration", "rad, m, 1", "joint", lambda m: (m.nq,)),
        Field("dv", "difference of configurations", "rad, m", "joint", _vector),
        Field("dq_next_dq", "Jacobian of q_next by q", "rad, m, 1", "joint", _matrix),
        Field("dq_next_dv", "Jacobian of q_next by dv", "rad, m, 1", "joint", _matrix),
        Field("ddv_dq0", "Jacobian of dv by q0", "rad, m, 1", "joint", _matrix),
        Field("ddv_dq1", "Jacobian of dv by q1", "rad, m, 1", "joint", _matrix),
    )
}
"""All fields: what each one means, its unit, the frame of its coordinates and its shape."""


class Data:
    """One array per entry of :data:`FIELDS`, an attribute of the same name.

    An array holds NaN until an algorithm has filled it, and keeps its address for life: views of
    it stay valid and show the newest result. Use one Data per thread.
    """

    tau: FloatArray
    g: FloatArray
    nle: FloatArray
    M: FloatArray
    ddq: FloatArray
    oMi: FloatArray
    q_next: FloatArray
    dv: FloatArray
    dq_next_dq: FloatArray
    dq_next_dv: FloatArray
    ddv_dq0: FloatArray
    ddv_dq1: FloatArray

    def __init__(self, model: Model) -> None:
        self.model = model
        self.kernels: dict[str, Callable[..., Any]] = {}
        """Compiled functions bound to these arrays, by quantity (see :mod:`dyn_core.compile`)."""
        for field in FIELDS.values():
            setattr(self, field.name, np.full(field.shape(model), np.nan))

    def __setattr__(self, name: str, value: object) -> None:
        if name in FIELDS and name in self.__dict__:
            raise AttributeError(f"compiled code fills this very array: write data.{name}[...] = x")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"Data of {self.model!r}"
