"""All that a node computes from a joint state: one compiled kernel, its inputs and results."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.codegen.signature import Asked
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.robot import Kernel

Vector = NDArray[np.float64]


class StateKernel:
    """The `quantities` of a model, evaluated together so that they share their work.

    They are functions of configuration, velocity, if they need it, and `others`: efforts, say.
    `results` are the same arrays at all times, overwritten by `update`. Nothing but the
    constructor compiles or allocates.
    """

    def __init__(self, model: dyn_core.Model, quantities: Kernel) -> None:
        """Compile, and compute once so that the first joint state finds everything warm."""
        self.model = model
        self.joint_names: tuple[str, ...] = tuple(model.dof_names)
        data = model.create_data()
        kernel = dyn_core.compile(model, quantities)
        self._requests = kernel.requests
        self._compute = kernel.bind(data)
        self._takes_velocity = "v" in kernel.inputs
        self._integrate = dyn_core.compile(model, ["integrate"]).bind(data)
        self._neutral = dyn_core.neutral(model)
        others = [np.zeros(model.nv) for name in kernel.inputs if name not in ("q", "v")]
        first = self._evaluate(np.zeros(model.nv), np.zeros(model.nv), *others)
        arrays = first if len(quantities) > 1 else (first,)
        self.results: dict[Asked, Vector] = dict(zip(quantities, arrays, strict=True))

    def update(self, position: Vector, velocity: Vector, *others: Vector) -> None:
        """Compute from positions and velocities [nv] in the order of `joint_names`.

        Raises InputRefusedError if a result is not finite (positions beyond any reason).
        """
        self._evaluate(position, velocity, *others)
        for request, values in zip(self._requests, self.results.values(), strict=True):
            if not np.isfinite(values).all():
                raise InputRefusedError("result not finite", self._describe(request, values))

    def _evaluate(self, position: Vector, velocity: Vector, *others: Vector) -> Any:
        self.q: Vector = self._integrate(self._neutral, position)  # the configuration, [nq]
        if self._takes_velocity:
            return self._compute(self.q, velocity, *others)
        return self._compute(self.q, *others)

    def _describe(self, request: dyn_core.Request, values: Vector) -> str:
        whose = ""
        if request.quantity.outputs[0].shape[:1] == ("nv",):  # one row for each joint
            finite = np.isfinite(values).reshape(len(self.joint_names), -1).all(axis=1)
            whose = f" of joint '{self.joint_names[int(np.argmin(finite))]}'"
        name = request.quantity.name
        return f"{name}{whose} is not finite: check positions and velocities"
