"""The robot: kinematic tree, inertias, limits. Immutable."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dyn_core.joints import Joint
from dyn_core.model.frame import Frame
from dyn_core.spatial import SE3, Inertia, Vector3

if TYPE_CHECKING:
    from dyn_core.model.data import Data

T = TypeVar("T")
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Model:
    """A tree of bodies, each moved by one joint; index 0 is the universe.

    Joints are numbered depth first, siblings in the alphabetical order of their names. Entries at
    index i belong to joint i and the body that it moves.
    """

    name: str
    names: tuple[str, ...]
    """Joint names; ``names[0]`` is ``universe``."""
    joints: tuple[Joint, ...]
    """Joint types; ``joints[0]`` is the Universe."""
    parents: tuple[int, ...]
    """Index of the joint that carries joint i; smaller than i. ``parents[0]`` is 0."""
    joint_placements: tuple[SE3, ...]
    """Placement of joint i, at its neutral configuration, in the frame of its parent joint."""
    inertias: tuple[Inertia, ...]
    """Inertia of body i with all that is fixed to it, in the frame of joint i; 0 is fixed to the
    world."""
    frames: tuple[Frame, ...]
    lower_position_limit: FloatArray
    """(nq) rad, m; -inf where there is none."""
    upper_position_limit: FloatArray
    """(nq) rad, m; inf where there is none."""
    velocity_limit: FloatArray
    """(nv) rad/s, m/s; inf where there is none."""
    effort_limit: FloatArray
    """(nv) N m, N; inf where there is none."""
    damping: FloatArray
    """(nv) N m s/rad, N s/m."""
    friction: FloatArray
    """(nv) Coulomb friction, N m, N."""
    armature: tuple[float, ...]
    """(nv) rotor inertia seen from the joint, kg m^2, kg."""
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    """Acceleration of gravity in the world frame, m/s^2."""

    @classmethod
    def from_urdf(
        cls,
        source: str | os.PathLike[str],
        root_joint: str | None = None,
        mimic: bool = True,
        massless: bool = False,
    ) -> Model:
        """Read a URDF; see :func:`dyn_core.model.urdf.model_from_urdf`."""
        from dyn_core.model.urdf import model_from_urdf

        return model_from_urdf(source, root_joint=root_joint, mimic=mimic, massless=massless)

    def create_data(self) -> Data:
        """Preallocated results of this model's computations."""
        from dyn_core.model.data import Data

        return Data(self)

    @property
    def njoints(self) -> int:
        """Number of joints, the universe included."""
        return len(self.joints)

    @property
    def moving_joints(self) -> range:
        """Indices of all joints but the universe, parents before children."""
        return range(1, self.njoints)

    @cached_property
    def idx_q(self) -> tuple[int, ...]:
        """Where each joint's coordinates begin in q."""
        return _offsets([joint.nq for joint in self.joints])

    @cached_property
    def idx_v(self) -> tuple[int, ...]:
        """Where each joint's coordinates begin in v."""
        return _offsets([joint.nv for joint in self.joints])

    @cached_property
    def nq(self) -> int:
        """Size of a configuration."""
        return sum(joint.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        """Size of a velocity: the number of degrees of freedom."""
        return sum(joint.nv for joint in self.joints)

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        """(nv) the joint of each degree of freedom."""
        pairs = zip(self.names, self.joints, strict=True)
        return tuple(name for name, joint in pairs for _ in range(joint.nv))

    @property
    def gravity_vector(self) -> Vector3:
        """``gravity`` as a vector of spatial algebra."""
        return Vector3(*self.gravity)

    def q_of(self, i: int, q: Sequence[T]) -> Sequence[T]:
        """Joint i's part of a configuration."""
        return q[self.idx_q[i] : self.idx_q[i] + self.joints[i].nq]

    def v_of(self, i: int, v: Sequence[T]) -> Sequence[T]:
        """Joint i's part of a velocity, acceleration or effort."""
        return v[self.idx_v[i] : self.idx_v[i] + self.joints[i].nv]

    def frame(self, name: str) -> Frame:
        """The frame called ``name``; a link's comes before a joint's of the same name."""
        found = [frame for frame in self.frames if frame.name == name]
        if not found:
            known = ", ".join(sorted({frame.name for frame in self.frames}))
            raise KeyError(f"no frame '{name}' in '{self.name}'; it has {known}")
        return min(found, key=lambda frame: frame.type.value)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that the dynamics depend on: tree, joints, placements, inertias, gravity."""
        content = [
            (
                type(joint).__qualname__,
                joint.parameters,
                parent,
                placement.homogeneous(),
                inertia.parameters,
            )
            for joint, parent, placement, inertia in zip(
                self.joints, self.parents, self.joint_placements, self.inertias, strict=True
            )
        ]
        text = repr((content, self.armature, self.gravity))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def kernels(self) -> dict[tuple[str, ...], Any]:
        """Functions compiled for this model so far, by their quantities."""
        return {}

    def __repr__(self) -> str:
        return f"Model('{self.name}', njoints={self.njoints}, nq={self.nq}, nv={self.nv})"


def _offsets(sizes: Sequence[int]) -> tuple[int, ...]:
    total, offsets = 0, []
    for size in sizes:
        offsets.append(total)
        total += size
    return tuple(offsets)
