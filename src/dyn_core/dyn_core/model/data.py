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


FIELDS = {
    field.name: field
    for field in (
        Field("tau", "efforts of inverse dynamics", "N m, N", "joint", lambda m: (m.nv,)),
        Field("g", "generalized gravity", "N m, N", "joint", lambda m: (m.nv,)),
        Field("nle", "Coriolis, centrifugal and gravity", "N m, N", "joint", lambda m: (m.nv,)),
        Field("M", "mass matrix", "kg m^2, kg m, kg", "joint", lambda m: (m.nv, m.nv)),
        Field("ddq", "acceleration", "rad/s^2, m/s^2", "joint", lambda m: (m.nv,)),
        Field("oMi", "joint placements", "1, m", "world", lambda m: (m.njoints, 4, 4)),
        Field("q_next", "integrated configuration", "rad, m, 1", "joint", lambda m: (m.nq,)),
        Field("dv", "difference of configurations", "rad, m", "joint", lambda m: (m.nv,)),
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
