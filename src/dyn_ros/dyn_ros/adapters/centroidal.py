"""A Centroidal message, filled in place."""

from collections.abc import Sequence
from typing import Any

from builtin_interfaces.msg import Time
from numpy.typing import NDArray


class CentroidalMessage:
    """Centre of mass, momentum and energy of a robot, in the axes of its root link."""

    def __init__(self, kind: Any, joint_names: Sequence[str], *, frame: str) -> None:
        """Name the root link."""
        self.message = kind()
        self.message.header.frame_id = frame

    def fill(self, stamp: Time, momentum: NDArray[Any], **fields: Any) -> Any:
        """Write `momentum` [6], linear part first, and vectors [3] and numbers by their field."""
        fields = {**fields, "linear_momentum": momentum[:3], "angular_momentum": momentum[3:]}
        for field, value in fields.items():
            if value.ndim:
                vector = getattr(self.message, field)
                vector.x, vector.y, vector.z = value.tolist()
            else:
                setattr(self.message, field, float(value))
        self.message.header.stamp = stamp
        return self.message
