"""Grow a Model joint by joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.joints import Joint, Universe
from dyn_core.model.frame import Frame, FrameType
from dyn_core.model.model import FloatArray, Model
from dyn_core.spatial import SE3, Inertia

GRAVITY = (0.0, 0.0, -9.81)
"""Acceleration of gravity in the world frame (m/s^2), unless the user says otherwise."""


@dataclass(frozen=True)
class Limits:
    """Limits and losses of one joint, the same for all its coordinates; SI units."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0


@dataclass
class ModelBuilder:
    """Add joints parents first, hang bodies and frames on them, then :meth:`build`."""

    name: str
    gravity: tuple[float, float, float] = GRAVITY
    names: list[str] = field(default_factory=lambda: ["universe"])
    joints: list[Joint] = field(default_factory=lambda: [Universe()])
    parents: list[int] = field(default_factory=lambda: [0])
    placements: list[SE3] = field(default_factory=lambda: [SE3.identity()])
    inertias: list[Inertia] = field(default_factory=lambda: [Inertia.zero()])
    limits: list[Limits] = field(default_factory=lambda: [Limits()])
    frames: list[Frame] = field(default_factory=list)

    def add_joint(
        self, parent: int, joint: Joint, placement: SE3, name: str, limits: Limits | None = None
    ) -> int:
        """Add a joint at ``placement`` in the frame of joint ``parent``; its index is returned.

        Raises:
            ModelError: another joint has this name.
        """
        if name in self.names:
            raise ModelError(f"joint '{name}' exists already in '{self.name}'; rename one of them")
        self.names.append(name)
        self.joints.append(joint)
        self.parents.append(parent)
        self.placements.append(placement)
        self.inertias.append(Inertia.zero())
        self.limits.append(limits or Limits())
        index = len(self.names) - 1
        self.add_frame(name, FrameType.JOINT, index, SE3.identity())
        return index

    def add_body(self, joint: int, inertia: Inertia, placement: SE3) -> None:
        """Fix a body of ``inertia``, given in its own frame at ``placement``, to a joint."""
        self.inertias[joint] = self.inertias[joint] + placement.act_inertia(inertia)

    def add_frame(self, name: str, kind: FrameType, joint: int, placement: SE3) -> None:
        """Fix a frame at ``placement`` to a joint."""
        self.frames.append(Frame(name, kind, joint, placement))

    def build(self) -> Model:
        """The finished, immutable model."""
        return Model(
            name=self.name,
            names=tuple(self.names),
            joints=tuple(self.joints),
            parents=tuple(self.parents),
            joint_placements=tuple(self.placements),
            inertias=tuple(self.inertias),
            frames=tuple(self.frames),
            lower_position_limit=self._position_limits(-1.0, [x.lower for x in self.limits]),
            upper_position_limit=self._position_limits(1.0, [x.upper for x in self.limits]),
            velocity_limit=self._per_dof([x.velocity for x in self.limits]),
            effort_limit=self._per_dof([x.effort for x in self.limits]),
            damping=self._per_dof([x.damping for x in self.limits]),
            friction=self._per_dof([x.friction for x in self.limits]),
            armature=tuple(self._per_dof([x.armature for x in self.limits]).tolist()),
            gravity=self.gravity,
        )

    def _position_limits(self, sign: float, values: Sequence[float]) -> FloatArray:
        """Limits of q; coordinates of a joint that is not flat (nq != nv) have none."""
        entries = [
            value if joint.nq == joint.nv else sign * math.inf
            for joint, value in zip(self.joints, values, strict=True)
            for _ in range(joint.nq)
        ]
        return _frozen(entries)

    def _per_dof(self, values: Sequence[float]) -> FloatArray:
        pairs = zip(self.joints, values, strict=True)
        return _frozen([value for joint, value in pairs for _ in range(joint.nv)])


def _frozen(values: Sequence[float]) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array
