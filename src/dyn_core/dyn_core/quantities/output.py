"""What a quantity fills."""

from __future__ import annotations

from dataclasses import dataclass

from dyn_core.quantities.arrays import Shape


@dataclass(frozen=True)
class Output:
    """An array that a quantity fills, a field of Data."""

    field: str
    meaning: str
    unit: str
    shape: Shape
    frame: str = "joint"
    """Whose coordinates the numbers are: of the joints, of the world, of a frame that is asked."""
    pinocchio: str | None = None
    """The field of Pinocchio's Data, where it is called otherwise: see
    :func:`dyn_core.quantities.claims.names_in`."""
