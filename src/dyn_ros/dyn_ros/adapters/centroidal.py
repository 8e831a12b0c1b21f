"""A Centroidal message, filled in place."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from dyn_ros.adapters.stamp import time_message


class CentroidalMessage:
    """Centre of mass, momentum and energy of a robot."""

    def __init__(self, kind: Any, joint_names: Sequence[str]) -> None:
        """Allocate it."""
        self.message = kind()

    def fill(self, stamp: int, frame: str, momentum: NDArray[Any], **fields: Any) -> Any:
        """Write what is said in the axes of `frame`, by its field: vectors [3] and numbers.

        `momentum` [6] has its linear part first.
        """
        fields = {**fields, "linear_momentum": momentum[:3], "angular_momentum": momentum[3:]}
        for field, value in fields.items():
            if value.ndim:
                vector = getattr(self.message, field)
                vector.x, vector.y, vector.z = value.tolist()
            else:
                setattr(self.message, field, float(value))
        self.message.header.stamp = time_message(stamp)
        self.message.header.frame_id = frame
        return self.message
