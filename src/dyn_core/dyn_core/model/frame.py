# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Named frames of a robot."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from dyn_core.spatial import SE3
from dyn_core.spatial.immutable import immutable


class FrameType(Enum):
    """Where a frame comes from."""

    BODY = "body"
    """A link of the description; the links of merged fixed joints keep theirs."""
    JOINT = "joint"
    """The child side of a moving joint."""
    FIXED_JOINT = "fixed_joint"
    """A fixed joint that was merged into the body of its parent."""
    OPERATIONAL = "operational"
    """A frame added by hand, such as a tool or a contact."""
    SENSOR = "sensor"
    """Where a sensor sits."""


SHADOWED_TYPES = (FrameType.JOINT, FrameType.FIXED_JOINT)
"""Frames that stand back behind a link of the same name."""


@immutable
@dataclass(frozen=True)
class Frame:
    """A frame fixed in the body of a joint."""

    name: str
    type: FrameType
    joint: int
    """Index of the joint whose body carries the frame; 0 is the universe."""
    placement: SE3
    """Placement in the joint's frame (``jMf``)."""

    def is_at(self, other: Frame) -> bool:
        """Whether both are the same place of the same body."""
        own, its = self.placement.homogeneous(), other.placement.homogeneous()
        return self.joint == other.joint and own == its

    @classmethod
    def of_joint(cls, name: str, joint: int) -> Frame:
        """The frame of a joint itself."""
        return cls(name, FrameType.JOINT, joint, SE3.identity())
