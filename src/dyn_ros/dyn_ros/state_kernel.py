"""All that a node computes from a joint state: one compiled kernel, its inputs and results."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_ros.adapters.refusal import InputRefusedError


class StateKernel:
    """The `quantities` of a model, evaluated together so that they share their work.

    `results` are the same arrays at all times, overwritten by `update`. Nothing but the
    constructor compiles or allocates.
    """

    def __init__(self, model: dyn_core.Model, quantities: Sequence[str]) -> None:
        """Compile, and compute once so that the first joint state finds everything warm."""
        self.model = model
        self.joint_names: tuple[str, ...] = tuple(model.dof_names)
        data = model.create_data()
        kernel = dyn_core.compile(model, quantities)
        self._compute = kernel.bind(data)
        self._takes_velocity = "v" in kernel.inputs
        self._integrate = dyn_core.compile(model, ["integrate"]).bind(data)
        self._neutral = dyn_core.neutral(model)
        first = self._evaluate(np.zeros(model.nv), np.zeros(model.nv))
        arrays = first if len(quantities) > 1 else (first,)
        self.results: dict[str, NDArray[np.float64]] = dict(zip(quantities, arrays, strict=True))

    def update(self, position: NDArray[np.float64], velocity: NDArray[np.float64]) -> None:
        """Compute from positions and velocities [nv] in the order of `joint_names`.

        Raises InputRefusedError if a result is not finite (positions beyond any reason).
        """
        self._evaluate(position, velocity)
        for name, values in self.results.items():
            if not np.isfinite(values).all():
                raise InputRefusedError("result not finite", self._describe(name, values))

    def _evaluate(self, position: NDArray[np.float64], velocity: NDArray[np.float64]) -> Any:
        q = self._integrate(self._neutral, position)
        return self._compute(q, velocity) if self._takes_velocity else self._compute(q)

    def _describe(self, quantity: str, values: NDArray[np.float64]) -> str:
        index = int(np.argmin(np.isfinite(values).reshape(len(self.joint_names), -1).all(axis=1)))
        return (
            f"{quantity} of joint '{self.joint_names[index]}' is not finite: check positions and "
            "velocities"
        )
