# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions of many states with their gradients, for programs that differentiate by themselves.

:mod:`dyn_core.torch` and :mod:`dyn_core.jax` make operators of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.runtime.backend import chosen
from dyn_core.compiler.runtime.batch import Batch
from dyn_core.compiler.runtime.build_spec import BuildSpec, flattened
from dyn_core.compiler.signature import Asked, Extra, extras_of, in_words, requests_of
from dyn_core.dynamics.declare import Request
from dyn_core.dynamics.vector_jacobian_product import VECTOR, vector_jacobian_product
from dyn_core.model.model import Model

Floats = NDArray[np.floating[Any]]
T = TypeVar("T")


class Differentiable:
    """Quantities of a robot as a function of batches of arrays, and its gradients.

    A gradient is such a function too. Each is compiled when it is first asked for.
    """

    def __init__(self, model: Model, asked: Sequence[Asked], inputs: Sequence[Extra] = ()) -> None:
        self.spec = BuildSpec(model, requests_of(asked), extras_of(inputs), chosen(None))
        self._batch = Batch(self.spec)
        self.inputs = {name: x.shape for name, x in self.spec.signature.inputs.items()}
        """Shapes of the inputs for one state, by name, in order."""
        self.outputs = self.spec.signature.outputs
        """Shapes of the outputs for one state."""
        self._gradients: dict[tuple[str, ...], Differentiable] = {}

    def __call__(self, *arrays: Floats, threads: int = 1) -> list[Floats]:
        """The outputs, a row for each state.

        Args:
            arrays: the inputs, of shape (B, ...), all of float64 or all of float32.
            threads: the most threads that share the work.

        Raises:
            TypeError, ValueError: an array of another type or shape.
        """
        single = arrays and all(x.dtype == np.float32 for x in arrays)
        batch = self._batch.single if single else self._batch
        return list(flattened((batch(*arrays, threads=threads),)))

    def leading(self, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """The leading dimensions of each argument, of these shapes: how many states it has.

        Raises:
            TypeError: a wrong number of arguments.
            ValueError: a wrong shape.
        """
        if len(shapes) != len(self.inputs):
            names = ", ".join(self.inputs)
            raise TypeError(f"expected {len(self.inputs)} arrays ({names}), got {len(shapes)}")
        found = []
        for (name, of_one), shape in zip(self.inputs.items(), shapes, strict=True):
            found.append(tuple(shape[: max(0, len(shape) - len(of_one))]))
            if tuple(shape[len(found[-1]) :]) != of_one:
                expected = in_words(("...", *of_one))
                raise ValueError(f"{name} must have shape {expected}, not {tuple(shape)}")
        return found

    def gradient(self, names: Collection[str]) -> Differentiable:
        """The gradients by these inputs of the sum of all outputs times given factors.

        :meth:`arguments` says what it takes, :meth:`by` what it gives.
        """
        key = tuple(name for name in self.inputs if name in names)
        if key not in self._gradients:
            requests = [vector_jacobian_product.request(x, by=name) for x, name in self.by(key)]
            self._gradients[key] = Differentiable(self.spec.model, requests, self.spec.extras)
        return self._gradients[key]

    def arguments(
        self, names: Collection[str], inputs: Sequence[T], factors: Sequence[T]
    ) -> dict[str, T]:
        """The arguments of a gradient in order: inputs of this function, a factor per output.

        The factor of a number has the shape (1,).
        """
        given = dict(zip(self.inputs, inputs, strict=True))
        fields = [f"{VECTOR}_{x.field}" for x in self.spec.outputs]
        given.update(zip(fields, factors, strict=True))
        return {name: given[name] for name in self.gradient(names).inputs}

    def by(self, names: Collection[str]) -> Iterator[tuple[Request, str]]:
        """What each output of a gradient is: of which quantity, and by which input."""
        for request in self.spec.requests:
            others = {name for x in self.spec.requests for name in x.parameters}
            for name in self.inputs:
                if name in names and (name in request.parameters or name not in others):
                    yield request, name
