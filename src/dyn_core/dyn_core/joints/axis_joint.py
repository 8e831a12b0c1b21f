"""What joints along or about one axis have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyn_core.joints.axis import unit_axis
from dyn_core.joints.joint import Joint
from dyn_core.lie import VectorSpace
from dyn_core.lie.space import Space


class AxisJoint(Joint):
    """One coordinate and an axis that is fixed in both bodies."""

    space: Space = VectorSpace(1)

    def __init__(self, axis: Sequence[float] = (0.0, 0.0, 1.0)) -> None:
        self.axis = unit_axis(axis)

    @property
    def parameters(self) -> dict[str, Any]:
        return {"axis": list(self.axis)}
