# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Quantities of a robot as differentiable operators of PyTorch, in machine code (extra ``torch``).

::

    forward_dynamics = dyn_core.torch.function(model, "aba")
    ddq = forward_dynamics(q, v, tau)  # tensors with any leading dimensions, on the CPU
    ddq.square().sum().backward()

Gradients are exact to rounding, and can be differentiated themselves, in reverse mode.
``torch.compile`` and ``torch.vmap`` take the functions. A quaternion in ``q`` is differentiated by
its four numbers: normalize it beforehand if it is a variable of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from dyn_core.compiler.signature import Asked, Extra
from dyn_core.model.model import Model
from dyn_core.reverse_mode import Differentiable

_functions: list[Differentiable] = []
"""What operators compute. Compiled programs of PyTorch hold their numbers: as texts, which are
constants to it, while integers may vary."""


class Function:
    """A quantity of a robot as a function of tensors: see :func:`function`."""

    def __init__(self, definition: Differentiable) -> None:
        self.definition = definition
        self.number = _number(definition)

    def __reduce__(self) -> Any:
        """Another process makes it anew: numbers are its own."""
        spec = self.definition.spec
        return function, (spec.model, spec.requests[0], spec.extras)

    def __call__(self, *tensors: torch.Tensor) -> Any:
        """The output for all states; a tuple for a quantity with several.

        Args:
            tensors: the inputs in order, all of float64 or all of float32; their leading dimensions
                are broadcast.

        Raises:
            TypeError, ValueError: a tensor of another type, shape or device.
        """
        leading = self.definition.leading([x.shape for x in tensors])
        for x in tensors:
            if x.dtype != tensors[0].dtype or x.dtype not in (torch.float64, torch.float32):
                raise TypeError("tensors must all be of float64, or all of float32")
            if x.device.type != "cpu":
                raise TypeError(f"a tensor is on {x.device}: machine code needs it on the CPU")
        lead, shapes = torch.broadcast_shapes(*leading), self.definition.inputs.values()
        pairs = zip(shapes, tensors, strict=True)
        rows = [x.expand(*lead, *s).reshape(lead.numel(), *s) for s, x in pairs]
        results = Operator.apply(self.number, *rows)
        shaped = [
            x.reshape((*lead, *s)) for x, s in zip(results, self.definition.outputs, strict=True)
        ]
        return tuple(shaped) if len(shaped) > 1 else shaped[0]


def function(model: Model, quantity: Asked, inputs: Sequence[Extra] = ()) -> Function:
    """A quantity of a robot as a differentiable function of tensors.

    Args:
        model: the robot.
        quantity: ``"rnea"``, ``dyn_core.aba``, ``frame_placement.request("tool0")``, ...
        inputs: optional inputs that become tensors too: as of :func:`dyn_core.compile`.

    Raises:
        KeyError, TypeError, ValueError: as of :func:`dyn_core.compile`.
    """
    return Function(Differentiable(model, [quantity], inputs))


def _number(definition: Differentiable) -> str:
    if definition not in _functions:
        _functions.append(definition)
    return str(_functions.index(definition))


@torch.library.custom_op("dyn_core::compute", mutates_args=())
def compute(number: str, rows: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The outputs of a function of rows of states."""
    arrays = [x.detach().contiguous().numpy() for x in rows]
    results = _functions[int(number)](*arrays, threads=torch.get_num_threads())
    return [torch.from_numpy(x) for x in results]


@compute.register_fake
def _(number: str, rows: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return [
        rows[0].new_empty(rows[0].shape[0], *shape) for shape in _functions[int(number)].outputs
    ]


@compute.register_vmap
def _(
    info: Any, dims: tuple[Any, list[int | None]], number: str, rows: Sequence[torch.Tensor]
) -> tuple[list[torch.Tensor], list[int]]:
    count = info.batch_size
    moved = [
        x.expand(count, *x.shape) if dim is None else x.movedim(dim, 0)
        for x, dim in zip(rows, dims[1], strict=True)
    ]
    results = compute(number, [x.flatten(0, 1) for x in moved])
    outputs = [x.reshape(count, moved[0].shape[1], *x.shape[1:]) for x in results]
    return outputs, [0] * len(outputs)


class Operator(torch.autograd.Function):
    """The same with its gradients, as PyTorch's transforms take it."""

    generate_vmap_rule = True

    @staticmethod
    def forward(number: str, *rows: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The outputs of a function of rows of states."""
        return tuple(compute(number, rows))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep the inputs for the gradients."""
        ctx.number, *rows = inputs
        ctx.save_for_backward(*rows)

    @staticmethod
    def backward(ctx: Any, *factors: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """The factors times the derivatives, summed for each input."""
        number, arguments, targets = _gradient(ctx.number, tuple(ctx.needs_input_grad[1:]))
        inputs = ctx.saved_tensors  # unpacked once, as checkpointing wants it
        given = [*inputs, *factors]
        rows = [given[k].reshape(len(inputs[0]), *shape) for k, shape in arguments]
        if torch.compiler.is_compiling():  # it differentiates once only
            results = compute(number, rows)
        else:
            results = Operator.apply(number, *rows)
        total: list[torch.Tensor | None] = [None] * len(inputs)
        for k, x in zip(targets, results, strict=True):
            before = total[k]
            total[k] = x if before is None else before + x
        return None, *total


@torch.compiler.assume_constant_result
def _gradient(
    number: str, wanted: tuple[bool, ...]
) -> tuple[str, tuple[tuple[int, tuple[int, ...]], ...], tuple[int, ...]]:
    """The number of a gradient.

    Also which of the inputs and factors its arguments are and their shapes, and which inputs its
    outputs belong to.
    """
    own = _functions[int(number)]
    names = list(own.inputs)
    by = [name for name, is_wanted in zip(names, wanted, strict=True) if is_wanted]
    gradient = own.gradient(by)
    count = len(names)
    given = own.arguments(by, range(count), range(count, count + len(own.outputs)))
    arguments = tuple((k, gradient.inputs[name]) for name, k in given.items())
    return _number(gradient), arguments, tuple(names.index(name) for _, name in own.by(by))
