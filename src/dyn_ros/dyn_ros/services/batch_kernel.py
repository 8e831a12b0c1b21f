# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Quantities of a robot for many given states."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from math import prod

import numpy as np

import dyn_core
from dyn_core.compiler.runtime import Backend
from dyn_ros.arrays import Matrix, Rows
from dyn_ros.kernels.robot import KernelRequest, Quantities
from dyn_ros.kernels.surroundings import Surroundings, in_surroundings
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.description_source import submit

Vectors = Mapping[str, Rows]  # [k, n] by name
NAMES = {"q": "position", "v": "velocity", "a": "acceleration", "tau": "effort"}  # of vectors
MAX_NUMBERS = 100_000
"""Numbers in a response, and efforts of a trajectory; more are refused, for while they are computed
no other request is answered."""
MIN_BATCH_STATES = 16  # states in a request, from which on they are computed side by side
INTEGRATION_KERNEL = KernelRequest(("integrate",))
Prepare = Callable[[Sequence[KernelRequest]], None]


class BatchKernel:
    """Quantities that are functions of positions, velocities, accelerations or efforts.

    `outputs` says what the arrays are that `compute` returns. What computes many states side by
    side is compiled when they are first asked for; until then one is computed after the other.
    """

    def __init__(
        self, model: dyn_core.Model, quantities: Quantities, backend: Backend | None = None
    ) -> None:
        """Compile, unless that was done. Raises ValueError if there is no such frame."""
        self._model, self._backend = model, backend
        self._recipe = in_surroundings(quantities)
        kernel = self._recipe.compile(model, backend)
        self.outputs = tuple(output for request in kernel.requests for output in request.outputs)
        self.shapes = kernel.signature.outputs
        self.numbers = sum(map(prod, self.shapes))  # for each state
        data = model.create_data()
        self._kernel = kernel
        arrays = [array for request in kernel.requests for array in data.arrays(request)]
        self._of_one = [array[np.newaxis] for array in arrays]
        self._compute = kernel.bind(data)
        self._moved = INTEGRATION_KERNEL.compile(model)
        self._integrate = self._moved.bind(data)
        self._taken = [NAMES[name] for name in kernel.inputs[1:] if name in NAMES]
        self._around: Surroundings | None = None  # whose arrays the kernel got last
        self._arrays_around: tuple[Matrix, ...] = ()
        self._repeated: dict[str, Matrix] = {}  # gravity, payloads, wrenches for many states
        self._many: dict[tuple[str, ...], Future[dyn_core.Kernel]] = {}
        """What computes many states, by the surroundings that it takes."""

    @property
    def ready(self) -> bool:
        """Whether there is machine code."""
        return self._kernel.ready

    def compute(
        self,
        reference: Rows,
        vectors: Vectors,
        surroundings: Surroundings,
        prepare: Prepare = lambda kernels: None,
    ) -> list[Matrix]:
        """Return an array [k, ...] for each output; `vectors` are in the model's order.

        Those of a single state are overwritten by the next call. The configurations are
        `reference` [k, nq] integrated by the positions. `prepare` is called, in another thread,
        before what computes many states side by side is compiled.
        """
        position, taken = vectors["position"], [vectors[name] for name in self._taken]
        count, of_one = len(position), self._of_one
        many = self._for_many(surroundings, prepare) if count >= MIN_BATCH_STATES else None
        if many is not None:
            q = self._moved.batch(np.ascontiguousarray(reference), position)
            return self._all_at_once(many, [q, *map(np.asarray, taken)], surroundings.named(many))
        if surroundings is not self._around:
            self._around, self._arrays_around = surroundings, surroundings.arguments(self._kernel)
        around = self._arrays_around
        results = of_one if count == 1 else [np.empty((count, *x)) for x in self.shapes]
        for i in range(count):
            q = self._integrate(reference[i], position[i])
            self._compute(q, *[rows[i] for rows in taken], *around)
            if count > 1:
                for result, one in zip(results, of_one, strict=True):
                    result[i] = one[0]
        return results

    def _all_at_once(
        self, kernel: dyn_core.Kernel, vectors: Sequence[Matrix], around: Mapping[str, Matrix]
    ) -> list[Matrix]:
        count = len(vectors[0])
        repeated = [self._repeat(name, array, count) for name, array in around.items()]
        results = [np.empty((count, *shape)) for shape in self.shapes]
        kernel.batch(*vectors, *repeated, out=kernel.spec.arranged(results))
        return results

    def _repeat(self, name: str, array: Matrix, count: int) -> Matrix:
        """Return an array as often as there are states; kept, for it changes seldom."""
        known = self._repeated.get(name)
        if known is None or len(known) < count or not np.array_equal(known[0], array):
            known = self._repeated[name] = np.repeat(array[np.newaxis], count, axis=0)
        return known[:count]

    def _for_many(self, surroundings: Surroundings, prepare: Prepare) -> dyn_core.Kernel | None:
        """Return what computes many states; None: its machine code is being compiled.

        A robot without payload and external wrench is computed in half of the time by
        a kernel that knows its bodies.
        """
        takes = tuple(x for x in surroundings.unlike_description if x in self._recipe.inputs)
        compiled = self._many.get(takes)
        if compiled is None and self.ready:
            recipe = self._recipe._replace(inputs=takes, many=True)
            compiled = self._many[takes] = submit(self._compile_for_many, recipe, prepare)
        if compiled is None or not compiled.done() or compiled.exception():
            return None
        kernel = compiled.result()
        return kernel if self._moved.batch.rows.ready and kernel.batch.rows.ready else None

    def _compile_for_many(self, recipe: KernelRequest, prepare: Prepare) -> dyn_core.Kernel:
        moved = INTEGRATION_KERNEL._replace(many=True)
        prepare([recipe, moved])
        moved.compile(self._model)
        return recipe.compile(self._model, self._backend)


def refuse_too_many(count: int, numbers: int) -> None:
    """Raise InputRefusedError if `count` states have more than MAX_NUMBERS, `numbers` each."""
    if count * numbers > MAX_NUMBERS:
        raise InputRefusedError(
            "too large",
            f"{count} states give {count * numbers} numbers, and a response has at most "
            f"{MAX_NUMBERS}: ask for at most {MAX_NUMBERS // numbers} states at once",
        )
