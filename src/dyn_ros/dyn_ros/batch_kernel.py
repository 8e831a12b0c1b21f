"""Quantities of a robot for one given state after the other."""

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.execution.backend import Backend
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.robot import Quantities
from dyn_ros.surroundings import Surroundings, in_surroundings

Matrix = NDArray[np.float64]
Vectors = Mapping[str, Matrix]  # [k, n] by name
NAMES = {"q": "position", "v": "velocity", "a": "acceleration", "tau": "effort"}  # of vectors


class BatchKernel:
    """Quantities that are functions of positions, velocities, accelerations or efforts.

    `outputs` says what the arrays are that `compute` returns. Nothing but the constructor compiles.
    """

    def __init__(
        self, model: dyn_core.Model, quantities: Quantities, backend: Backend | None = None
    ) -> None:
        """Compile, unless that was done. Raises ValueError if there is no such frame."""
        kernel = in_surroundings(quantities).compile(model, backend)
        self.outputs = tuple(output for request in kernel.requests for output in request.outputs)
        self.shapes = kernel.signature.outputs
        self.numbers = sum(map(prod, self.shapes))  # for each state
        data = model.create_data()
        self._kernel = kernel
        self._arrays = [array for request in kernel.requests for array in data.arrays(request)]
        self._compute = kernel.bind(data)
        self._integrate = dyn_core.compile(model, ["integrate"]).bind(data)
        self._taken = [NAMES[name] for name in kernel.inputs[1:] if name in NAMES]

    @property
    def ready(self) -> bool:
        """Whether there is machine code."""
        return self._kernel.ready

    def compute(
        self, reference: Matrix, vectors: Vectors, surroundings: Surroundings
    ) -> list[Matrix]:
        """Return an array [k, ...] for each output; `vectors` are in the model's order.

        The configurations are `reference` [k, nq] integrated by the positions.
        """
        around = surroundings.arguments(self._kernel)
        count = len(vectors["position"])
        results = [np.empty((count, *shape)) for shape in self.shapes]
        taken = [vectors[name] for name in self._taken]
        for i, (start, position) in enumerate(zip(reference, vectors["position"], strict=True)):
            q = self._integrate(start, position)
            self._compute(q, *(rows[i] for rows in taken), *around)
            for result, array in zip(results, self._arrays, strict=True):
                result[i] = array
        return results


def refuse_too_many(count: int, numbers: int, most: int) -> None:
    """Raise InputRefusedError if `count` states have more than `most` numbers, `numbers` each."""
    if count * numbers > most:
        raise InputRefusedError(
            "too large",
            f"{count} states give {count * numbers} numbers, max_numbers is {most}: ask for "
            f"at most {most // numbers} states at once, or raise the parameter",
        )
