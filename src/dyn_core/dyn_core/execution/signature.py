"""What a compiled function takes and gives, and the check of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyn_core.algorithms.quantities import INPUTS, QUANTITIES, Quantity, joined_inputs
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

    def checked(self, arguments: Sequence[Any]) -> list[FloatArray]:
        """The arguments as C-contiguous arrays; nothing but layout is converted.

        Raises:
            TypeError: a wrong number of arguments, not an array, or not of float64.
            ValueError: an array of the wrong size.
        """
        if len(arguments) != len(self.inputs):
            names = ", ".join(self.inputs)
            raise TypeError(f"expected {len(self.inputs)} arrays ({names}), got {len(arguments)}")
        pairs = zip(self.inputs.items(), arguments, strict=True)
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
