# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Quantities of a robot as differentiable functions of JAX, in machine code (extra ``jax``).

::

    forward_dynamics = dyn_core.jax.function(model, "aba")
    gradient = jax.jit(jax.grad(lambda tau: (forward_dynamics(q, v, tau) ** 2).sum()))

Functions work on the CPU, under ``jit``, ``vmap`` and ``grad`` of any order (in reverse mode); XLA
calls them back. Arrays are of float64 (``jax.config.update("jax_enable_x64", True)``) or float32. A
quaternion in ``q`` is differentiated by its four numbers.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dyn_core.compiler.signature import Asked, Extra
from dyn_core.model.model import Model
from dyn_core.reverse_mode import Differentiable


def function(model: Model, quantity: Asked, inputs: Sequence[Extra] = ()) -> Callable[..., Any]:
    """A quantity of a robot as a differentiable function of arrays.

    It takes the inputs in order; their leading dimensions are broadcast. It returns the output for
    all states, or a tuple for a quantity with several.

    Args:
        model: the robot.
        quantity: ``"rnea"``, ``dyn_core.aba``, ``frame_placement.request("tool0")``, ...
        inputs: optional inputs that become arrays too: as of :func:`dyn_core.compile`.

    Raises:
        KeyError, TypeError, ValueError: as of :func:`dyn_core.compile`; from the function for
            arrays that do not fit.
    """
    own = Differentiable(model, [quantity], inputs)
    computed = _differentiable(own)

    def compute(*arrays: Any) -> Any:
        given = [jnp.asarray(x) for x in arrays]
        leading = own.leading([x.shape for x in given])
        dtype, lead = jnp.result_type(*given, jnp.float32), jnp.broadcast_shapes(*leading)
        rows = [
            jnp.broadcast_to(x.astype(dtype), (*lead, *shape))
            for shape, x in zip(own.inputs.values(), given, strict=True)
        ]
        results = computed(*rows)
        return results if len(results) > 1 else results[0]

    return compute


def _differentiable(own: Differentiable) -> Callable[..., Any]:
    """The function of arrays of equal leading dimensions."""
    dimensions = [len(shape) for shape in own.inputs.values()]

    def on_host(*arrays: Any) -> tuple[Any, ...]:
        lead = arrays[0].shape[: arrays[0].ndim - dimensions[0]]
        rows = [
            np.ascontiguousarray(x).reshape(math.prod(lead), *x.shape[x.ndim - n :])
            for n, x in zip(dimensions, arrays, strict=True)
        ]
        results = own(*rows, threads=len(os.sched_getaffinity(0)))
        return tuple(x.reshape((*lead, *x.shape[1:])) for x in results)

    @jax.custom_vjp
    def compute(*rows: Any) -> Any:
        lead = rows[0].shape[: rows[0].ndim - dimensions[0]]
        shapes = [jax.ShapeDtypeStruct((*lead, *s), rows[0].dtype) for s in own.outputs]
        return jax.pure_callback(on_host, tuple(shapes), *rows, vmap_method="broadcast_all")

    def forward(*rows: Any) -> tuple[Any, Any]:
        return compute(*rows), rows

    def backward(rows: Any, factors: Any) -> tuple[Any, ...]:
        gradient = own.gradient(own.inputs)
        lead = rows[0].shape[: rows[0].ndim - dimensions[0]]
        given = own.arguments(own.inputs, rows, factors)
        results = _differentiable(gradient)(
            *(x.reshape(*lead, *gradient.inputs[name]) for name, x in given.items())
        )
        total: dict[str, Any] = {}
        for (_, name), x in zip(own.by(own.inputs), results, strict=True):
            total[name] = total[name] + x if name in total else x
        return tuple(total[name] for name in own.inputs)

    compute.defvjp(forward, backward)
    return compute
