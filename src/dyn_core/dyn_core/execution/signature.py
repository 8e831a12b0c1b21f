"""What a compiled function takes and gives, and the check of its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyn_core.algorithms.quantities import INPUTS, QUANTITIES, Quantity, joined_inputs
from dyn_core.execution.data import FIELDS
from dyn_core.model.model import FloatArray, Model


@dataclass(frozen=True)
class Signature:
    """Names and sizes of a compiled function's inputs, and the Data fields that it fills."""

    inputs: dict[str, int]
    outputs: tuple[str, ...]

    @classmethod
    def of(cls, model: Model, quantities: Sequence[Quantity]) -> Signature:
        """The signature of the quantities computed together."""
        sizes = {name: INPUTS[name].size(model) for name in joined_inputs(quantities)}
        return cls(sizes, tuple(quantity.field for quantity in quantities))

    def describe(self, function: Callable[..., Any]) -> None:
        """Give a Python function of these inputs its name, its signature and its docstring."""
        function.__name__ = function.__qualname__ = "_".join(("compute", *self.outputs))
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(name, kind) for name in self.inputs]
        function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        lines = [f"Fill and return {', '.join(self.outputs)} of a Data.", "", "Args:"]
        lines += [
            f"    {name}: {INPUTS[name].meaning}; float64, shape ({size},)."
            for name, size in self.inputs.items()
        ]
        lines += ["", "Returns:"]
        for name in self.outputs:
            lines.append(f"    {name}: {FIELDS[name].meaning} ({FIELDS[name].unit}).")
        lines += ["", "Raises:", "    TypeError, ValueError: an argument has a wrong type or size."]
        function.__doc__ = "\n".join(lines)

    def checked(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> list[FloatArray]:
        """The arguments as C-contiguous arrays; nothing but layout is converted.

        Args:
            arguments: those that are given by position.
            named: those that are given by name.

        Raises:
            TypeError: a wrong number of arguments, not an array, or not of float64; an unknown
                name, or an argument given twice.
            ValueError: an array of the wrong size.
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
        values = [*arguments, *(named[name] for name in names[len(arguments) :])]
        pairs = zip(self.inputs.items(), values, strict=True)
        return [check_vector(name, size, value) for (name, size), value in pairs]


def find_quantities(names: Sequence[str]) -> list[Quantity]:
    """The quantities of the given names.

    Raises:
        ValueError: no name, a name twice, or one that is not in the table.
    """
    if isinstance(names, str):
        raise ValueError(f"give a list of quantities, such as ['{names}'], not a string")
    unknown = [name for name in names if name not in QUANTITIES]
    if unknown:
        known = ", ".join(QUANTITIES)
        raise ValueError(f"no quantity '{unknown[0]}'; choose from {known}")
    if not names or len(set(names)) != len(names):
        raise ValueError(f"give each quantity once, at least one of them: got {list(names)}")
    return [QUANTITIES[name] for name in names]


def check_vector(name: str, size: int, value: Any) -> FloatArray:
    """``value`` as a C-contiguous vector of ``size`` doubles for the input ``name``.

    Raises:
        TypeError: not an array, or not of float64.
        ValueError: an array of another shape.
    """
    meaning = INPUTS[name].meaning
    if not isinstance(value, np.ndarray):
        raise TypeError(
            f"{name} ({meaning}) must be a numpy array of float64, not {type(value).__name__}"
        )
    if value.dtype != np.float64:
        raise TypeError(
            f"{name} ({meaning}) must be an array of float64, not {value.dtype}: "
            f"convert it once with {name}.astype(float)"
        )
    if value.shape != (size,):
        raise ValueError(f"{name} ({meaning}) must have shape ({size},), not {value.shape}")
    return np.require(value, requirements=["C", "A"])
