# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A Centroidal message, serialized once, whose numbers are overwritten in place."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from dyn_ros.adapters.joint_message import PreparedMessage


class CentroidalMessage:
    """Centre of mass, momentum and energy of a robot."""

    def __init__(self, kind: Any, joint_names: Sequence[str]) -> None:
        """Allocate it."""
        self._prepared = PreparedMessage(kind())

    def fill(self, stamp: int, frame: str, momentum: NDArray[Any], **fields: Any) -> bytes:
        """Return the message, serialized: what is said in the axes of `frame`, by its field.

        Vectors have 3 numbers, `momentum` 6, its linear part first.
        """
        fields["linear_momentum"], fields["angular_momentum"] = momentum[:3], momentum[3:]
        return self._prepared.fill({"header.frame_id": frame, **fields}, stamp)
