# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inputs and outputs of a compiled function, and the check of its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeAlias

import numpy as np

from dyn_core.dynamics import ALIASES, QUANTITIES
from dyn_core.dynamics.declare import Quantity, Request
from dyn_core.dynamics.declare.arrays import Array
from dyn_core.dynamics.declare.optional_inputs import (
    FORCES,
    FRAME_INPUTS,
    ROBOT_INPUTS,
    OptionalInput,
)
from dyn_core.model.model import FloatArray, Model

Asked: TypeAlias = str | Quantity | Request
"""A quantity to compute: its name, the quantity, or a request with options."""
Extra: TypeAlias = str | OptionalInput
"""An optional input: the name of a definition's optional parameter, or an OptionalInput."""

FLOAT64 = np.dtype(np.float64)


@dataclass(frozen=True)
class Input:
    """An input array of a compiled function."""

    array: Array
    shape: tuple[int, ...]

    def checked(self, name: str, value: Any, batch: BatchShape | None = None) -> FloatArray:
        """``value`` as a C-contiguous array of doubles; nothing but layout is converted.

        Args:
            name: of the argument.
            value: of the argument.
            batch: the layout of an array of many states; None for one state.

        Raises:
            TypeError: not an array, or not of float64.
            ValueError: an array of another shape.
        """
        shape = batch.shape(self.shape) if batch else self.shape
        dtype = batch.dtype if batch else FLOAT64
        require(f"{name} ({self.array.meaning})", name, value, shape, dtype)
        checked: FloatArray = value
        usable = checked.flags.c_contiguous and checked.flags.aligned
        return checked if usable else np.require(checked, requirements=["C", "A"])


@dataclass(frozen=True)
class BatchShape:
    """The layout of arrays of many states."""

    count: int | str
    """The number of states, or of blocks of states; a letter while it is unknown."""
    lanes: tuple[int, ...] = ()
    """``(8,)`` if the last dimension is that of the states in a block."""
    dtype: np.dtype[np.floating] = FLOAT64
    """The type of the numbers."""

    def shape(self, of_one: tuple[int, ...]) -> tuple[int | str, ...]:
        """The shape of an array whose shape for one state is ``of_one``."""
        return (self.count, *of_one, *self.lanes)


def require(
    what: str,
    name: str,
    value: Any,
    shape: tuple[int | str, ...],
    dtype: np.dtype[np.floating] = FLOAT64,
) -> None:
    """Refuse a value that is not an array of this type and shape; letters stand for any size.

    Raises:
        TypeError, ValueError: the message says how to convert the value.
    """
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{what} must be a numpy array of {dtype}, not {type(value).__name__}")
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{what} must not be a MaskedArray, whose mask would be ignored: pass "
            f"{name}.filled(...), with a number for what is masked"
        )
    if value.dtype != dtype:
        kind = "float" if dtype == FLOAT64 else f"np.{dtype}"
        raise TypeError(
            f"{what} must be an array of {dtype}, not {value.dtype}: "
            f"convert it once with {name}.astype({kind})"
        )
    pairs = zip(shape, value.shape, strict=False)
    fits = value.shape == shape or all(a == b or isinstance(a, str) for a, b in pairs)
    if not fits or len(shape) != value.ndim:
        raise ValueError(f"{what} must have shape {in_words(shape)}, not {value.shape}")


def in_words(shape: Sequence[int | str]) -> str:
    """A shape as Python writes it, letters without quotes."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


@dataclass(frozen=True)
class Signature:
    """The inputs of a compiled function by name, in order, and the shapes of its outputs."""

    inputs: dict[str, Input]
    outputs: tuple[tuple[int, ...], ...]

    @classmethod
    def of(
        cls, model: Model, requests: Sequence[Request], extras: Sequence[Extra] = ()
    ) -> Signature:
        """The signature of a kernel of these requests.

        Inputs come in the order in which the definitions first name them, then the optional ones.

        Raises:
            KeyError: the model has no such frame.
            ValueError: no request takes one of the ``extras``.
        """
        parameters = [p for request in requests for p in request.parameters.values()]
        known = {p.name: p.array for p in parameters}
        owners = {name: request for request in requests for name in request.parameters}
        for p in parameters:
            if (other := known[p.name]) != p.array:
                raise ValueError(
                    f"'{p.name}' is {p.array.meaning} of one quantity and {other.meaning} of "
                    "another: compile them apart, or rename it in one definition"
                )
        arrays = {p.name: p.array for p in parameters if not p.optional}
        optional = {p.name: p.array for p in parameters if p.optional}
        for extra in extras:
            if isinstance(extra, OptionalInput):
                extra.content(model)  # its frame is there
                if extra.kind == "wrench" and FORCES not in optional:
                    raise ValueError(f"{extra.name}: none of {list(requests)} takes {FORCES}")
                arrays[extra.name] = extra.array
            elif extra in optional:
                arrays[extra] = optional[extra]
            else:
                raise ValueError(
                    f"none of {list(requests)} takes '{extra}'; there are "
                    f"{', '.join([*optional, *ROBOT_INPUTS])}, and {', '.join(FRAME_INPUTS)} of a "
                    "frame"
                )
        inputs = {
            name: Input(array, owners.get(name, requests[0]).sized(model, array.shape))
            for name, array in arrays.items()
        }
        return cls(inputs, tuple(shape for request in requests for shape in request.shapes(model)))

    def describe(self, function: Callable[..., Any], requests: Sequence[Request]) -> None:
        """Give a Python function of these inputs its name, its signature and its docstring."""
        outputs = [output for request in requests for output in request.outputs]
        fields = [output.field for output in outputs]
        function.__name__ = function.__qualname__ = "_".join(("compute", *fields))
        if all(name.isidentifier() for name in self.inputs):
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters = [inspect.Parameter(name, kind) for name in self.inputs]
            function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        lines = [f"Fill and return {', '.join(fields)} of a Data.", "", "Args:"]
        lines += [
            f"    {name}: {expected.array.meaning}; float64, shape {expected.shape}."
            for name, expected in self.inputs.items()
        ]
        lines += ["", "Returns:"]
        lines += [f"    {output.field}: {output.meaning} ({output.unit})." for output in outputs]
        lines += ["", "Raises:", "    TypeError, ValueError: an argument has a wrong type or size."]
        function.__doc__ = "\n".join(lines)

    def checked(
        self,
        arguments: Sequence[Any],
        named: Mapping[str, Any],
        batch: BatchShape | None = None,
    ) -> list[FloatArray]:
        """The arguments as C-contiguous arrays; nothing but layout is converted.

        Args:
            arguments: by position.
            named: by name.
            batch: the layout of arrays of as many states as the first one has; None for one state.

        Raises:
            TypeError: a wrong number of arguments, not an array, or not of float64; an unknown
                name, or an argument given twice.
            ValueError: an array of the wrong size; a batch without arrays.
        """
        if batch and not self.inputs:
            raise ValueError("no quantity takes an array: results are the same in every state")
        arrays: list[FloatArray] = []
        values = self.in_order(arguments, named)
        for (name, expected), value in zip(self.inputs.items(), values, strict=True):
            arrays.append(expected.checked(name, value, batch))
            batch = batch and replace(batch, count=len(arrays[0]))
        return arrays

    def in_order(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """The arguments in the order of the inputs.

        Raises:
            TypeError: a wrong number of them, an unknown name, or an argument given twice.
        """
        names = list(self.inputs)
        for name in named:
            if name not in names:
                raise TypeError(f"no argument '{name}'; expected arrays ({', '.join(names)})")
            if name in names[: len(arguments)]:
                raise TypeError(f"argument {name} is given twice, by position and by name")
        got = len(arguments) + len(named)
        if got != len(names):
            raise TypeError(f"expected {len(names)} arrays ({', '.join(names)}), got {got}")
        return [*arguments, *(named[name] for name in names[len(arguments) :])]


def requests_of(asked: Sequence[Asked]) -> tuple[Request, ...]:
    """The quantities as requests.

    Raises:
        TypeError: not a quantity, or an option without default is missing.
        ValueError: no request, a request twice, or an unknown name.
    """
    if isinstance(asked, (str, Quantity, Request)):
        raise ValueError(f"give a list of quantities, such as [{asked!r}], not one alone")
    requests = tuple(_request(one) for one in asked)
    if not requests or len(set(requests)) != len(requests):
        raise ValueError(f"give each quantity once, at least one of them: got {list(asked)}")
    return requests


def extras_of(asked: Sequence[Extra]) -> tuple[Extra, ...]:
    """Optional inputs; names of inputs that a robot has once become their objects.

    Raises:
        TypeError: not an input.
        ValueError: an input twice, or an input of a frame without its frame.
    """
    if isinstance(asked, (str, OptionalInput)):
        raise ValueError(f"give a list of inputs, such as [{asked!r}], not one alone")
    for one in asked:
        if not isinstance(one, (str, OptionalInput)):
            raise TypeError(f"{one!r} is no input: give its name, payload(frame) or wrench(frame)")
        if one in FRAME_INPUTS:
            raise ValueError(f"'{one}' belongs to a frame: write {one}(frame) from dyn_core")
    extras = tuple(ROBOT_INPUTS.get(one, one) if isinstance(one, str) else one for one in asked)
    if len(set(extras)) != len(extras):
        raise ValueError(f"give each input once: got {list(asked)}")
    return extras


def passed_extras(named: Mapping[str, Any]) -> dict[Extra, Any]:
    """Optional inputs and their values, from keyword arguments.

    Inputs of frames are dictionaries: ``payload={"tool0": parameters}``.

    Raises:
        TypeError: not a dictionary of frames.
    """
    passed: dict[Extra, Any] = {}
    for name, value in named.items():
        if value is None:
            continue
        if name not in FRAME_INPUTS:
            passed[ROBOT_INPUTS.get(name, name)] = value
            continue
        if not isinstance(value, Mapping):
            raise TypeError(f"{name} must be a dictionary from frames to arrays, not {value!r}")
        passed.update((FRAME_INPUTS[name](frame), array) for frame, array in value.items())
    return passed


def _request(asked: Any) -> Request:
    if isinstance(asked, Request):
        return asked
    if isinstance(asked, Quantity):
        return asked.request()
    if not isinstance(asked, str):
        raise TypeError(f"{asked!r} is no quantity: give its name or the function of dyn_core")
    return quantity_named(asked).request()


def quantity_named(asked: str) -> Quantity:
    """The quantity of a name or an alias.

    Raises:
        ValueError: there is none; the message has the nearest name.
    """
    name = ALIASES.get(asked, asked)
    if name not in QUANTITIES:
        near = get_close_matches(asked, [*QUANTITIES, *ALIASES], 1)
        hint = f"is '{near[0]}' meant?" if near else f"choose from {', '.join(QUANTITIES)}"
        raise ValueError(f"no quantity '{asked}'; {hint}")
    return QUANTITIES[name]
