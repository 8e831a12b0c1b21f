"""The robot: kinematic tree, inertias, limits. Immutable."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dyn_core.joints import Joint, Mimic
from dyn_core.lie import Product
from dyn_core.model.frame import Frame, FrameType
from dyn_core.model.tree_joint import Limits, TreeJoint
from dyn_core.spatial import SE3, Inertia, Vector3

if TYPE_CHECKING:
    from dyn_core.model.data import Data

T = TypeVar("T")
FloatArray = NDArray[np.float64]
GRAVITY = (0.0, 0.0, -9.81)
"""Acceleration of gravity in the world frame (m/s^2), unless the user says otherwise."""


@dataclass(frozen=True, eq=False)
class Model:
    """A tree of bodies, each moved by one joint; index 0 is the universe.

    Joints are numbered depth first, siblings by name (from URDF) or in the document's order (from
    MJCF). All that is indexed by joints has entries for joint i and the body that it moves.
    """

    name: str
    tree: tuple[TreeJoint, ...]
    """All joints, parents before children."""
    frames: tuple[Frame, ...] = ()
    gravity: tuple[float, float, float] = GRAVITY
    """Acceleration of gravity in the world frame, m/s^2."""
    reference_configurations: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Named configurations (nq), such as those of an SRDF."""

    @classmethod
    def from_urdf(
        cls,
        source: str | os.PathLike[str],
        root_joint: str | None = None,
        mimic: bool = True,
        massless: bool = False,
        xacro_args: Mapping[str, str] | None = None,
    ) -> Model:
        """Read a URDF or xacro; see :func:`dyn_core.model.urdf.model_from_urdf`."""
        from dyn_core.model.urdf import model_from_urdf

        return model_from_urdf(source, root_joint, mimic, massless, xacro_args)

    @classmethod
    def from_mjcf(
        cls,
        source: str | os.PathLike[str],
        mimic: bool = True,
        massless: bool = False,
        ignore: Collection[str] = (),
    ) -> Model:
        """Read MuJoCo's MJCF; see :func:`dyn_core.model.mjcf.model_from_mjcf`."""
        from dyn_core.model.mjcf import model_from_mjcf

        return model_from_mjcf(source, mimic, massless, ignore)

    def with_srdf(self, source: str | os.PathLike[str], rotors: bool = True) -> Model:
        """With what an SRDF says; see :func:`dyn_core.model.srdf.with_srdf`."""
        from dyn_core.model.srdf import with_srdf

        return with_srdf(self, source, rotors)

    def reduced(self, lock: Iterable[str], q: FloatArray) -> Model:
        """The robot with joints locked; see :func:`dyn_core.model.edit.reduced`."""
        from dyn_core.model.edit import reduced

        return reduced(self, lock, q)

    def append(self, other: Model, frame: str, placement: SE3 | None = None) -> Model:
        """With a robot mounted in a frame; see :func:`dyn_core.model.edit.append`."""
        from dyn_core.model.edit import append

        return append(self, other, frame, placement)

    def with_payload(
        self,
        frame: str,
        mass: float,
        com: Sequence[float] = (0.0, 0.0, 0.0),
        inertia: Sequence[Sequence[float]] | None = None,
    ) -> Model:
        """With a payload in a frame; see :func:`dyn_core.model.edit.with_payload`."""
        from dyn_core.model.edit import with_payload

        return with_payload(self, frame, mass, com, inertia)

    def with_frame(
        self, name: str, frame: str, placement: SE3, kind: FrameType = FrameType.OPERATIONAL
    ) -> Model:
        """With a new frame; see :func:`dyn_core.model.edit.with_frame`."""
        from dyn_core.model.edit import with_frame

        return with_frame(self, name, frame, placement, kind)

    def with_gravity(self, gravity: Sequence[float]) -> Model:
        """Under another gravity; see :func:`dyn_core.model.edit.with_gravity`."""
        from dyn_core.model.edit import with_gravity

        return with_gravity(self, gravity)

    def with_rotor(self, joint: str, inertia: float, gear_ratio: float = 1.0) -> Model:
        """With a motor on a joint; see :func:`dyn_core.model.edit.with_rotor`."""
        from dyn_core.model.edit import with_rotor

        return with_rotor(self, joint, inertia, gear_ratio)

    def create_data(self) -> Data:
        """Preallocated results of this model's computations."""
        from dyn_core.model.data import Data

        return Data(self)

    @property
    def njoints(self) -> int:
        """Number of joints, the universe included."""
        return len(self.tree)

    @property
    def moving_joints(self) -> range:
        """Indices of all joints but the universe, parents before children."""
        return range(1, self.njoints)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Joint names; ``names[0]`` is ``universe``."""
        return tuple(entry.name for entry in self.tree)

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """Joint types; ``joints[0]`` is the Universe."""
        return tuple(entry.joint for entry in self.tree)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Index of the joint that carries joint i; smaller than i. ``parents[0]`` is 0."""
        return tuple(entry.parent for entry in self.tree)

    @cached_property
    def joint_placements(self) -> tuple[SE3, ...]:
        """Placement of joint i, at its neutral configuration, in the frame of its parent joint."""
        return tuple(entry.placement for entry in self.tree)

    @cached_property
    def inertias(self) -> tuple[Inertia, ...]:
        """Inertia of body i, in the frame of joint i; 0 is what is fixed to the world."""
        return tuple(entry.inertia for entry in self.tree)

    @cached_property
    def idx_q(self) -> tuple[int, ...]:
        """Where each joint's coordinates are in q."""
        return self._offsets(lambda joint: joint.nq)

    @cached_property
    def idx_v(self) -> tuple[int, ...]:
        """Where each joint's coordinates are in v."""
        return self._offsets(lambda joint: joint.nv)

    @cached_property
    def nq(self) -> int:
        """Size of a configuration."""
        return self.space.nq

    @cached_property
    def nv(self) -> int:
        """Size of a velocity: the number of degrees of freedom."""
        return self.space.nv

    @cached_property
    def own_coordinates(self) -> tuple[int, ...]:
        """Indices of the joints that have coordinates of their own, in the order of q and v."""
        return tuple(i for i, entry in enumerate(self.tree) if entry.primary == i and i)

    @cached_property
    def space(self) -> Product:
        """The configuration space: the product of the joints' own."""
        return Product([self.joints[i].space for i in self.own_coordinates])

    @property
    def has_mimic_joints(self) -> bool:
        """Whether a joint moves with the coordinate of another."""
        return any(isinstance(joint, Mimic) for joint in self.joints)

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        """(nv) the joint of each degree of freedom."""
        return tuple(self.names[i] for i in self.own_coordinates for _ in range(self.joints[i].nv))

    @cached_property
    def lower_position_limit(self) -> FloatArray:
        """(nq) rad, m; -inf where there is none."""
        return self._per_coordinate(lambda limits: limits.lower)

    @cached_property
    def upper_position_limit(self) -> FloatArray:
        """(nq) rad, m; inf where there is none."""
        return self._per_coordinate(lambda limits: limits.upper)

    @cached_property
    def velocity_limit(self) -> FloatArray:
        """(nv) rad/s, m/s; inf where there is none."""
        return self._per_coordinate(lambda limits: limits.velocity)

    @cached_property
    def effort_limit(self) -> FloatArray:
        """(nv) N m, N; inf where there is none."""
        return self._per_coordinate(lambda limits: limits.effort)

    @cached_property
    def damping(self) -> FloatArray:
        """(nv) viscous friction, N m s/rad, N s/m."""
        return self._per_coordinate(lambda limits: limits.damping)

    @cached_property
    def friction(self) -> FloatArray:
        """(nv) Coulomb friction, N m, N."""
        return self._per_coordinate(lambda limits: limits.friction)

    @cached_property
    def armature(self) -> FloatArray:
        """(nv) inertia of the rotors seen from the joints, kg m^2, kg."""
        return self._per_coordinate(lambda limits: limits.armature)

    @property
    def gravity_vector(self) -> Vector3:
        """``gravity`` as a vector of spatial algebra."""
        return Vector3(*self.gravity)

    def q_of(self, i: int, q: Sequence[T]) -> Sequence[T]:
        """The part of a configuration that moves joint i."""
        return q[self.idx_q[i] : self.idx_q[i] + self.joints[i].nq]

    def v_of(self, i: int, v: Sequence[T]) -> Sequence[T]:
        """The part of a velocity, acceleration or effort that belongs to joint i."""
        return v[self.idx_v[i] : self.idx_v[i] + self.joints[i].nv]

    def joint_index(self, name: str) -> int:
        """The index of the joint called ``name``.

        Raises:
            KeyError: there is none; the message lists those there are.
        """
        if name not in self.names:
            known = ", ".join(self.names[1:])
            raise KeyError(f"no joint '{name}' in '{self.name}'; it has {known}")
        return self.names.index(name)

    def frame(self, name: str) -> Frame:
        """The frame called ``name``; a link's comes before a joint's of the same name.

        Raises:
            KeyError: there is none; the message lists those there are.
        """
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
                repr(entry.joint),
                entry.parent,
                entry.primary,
                entry.placement.homogeneous(),
                entry.inertia.parameters,
                entry.limits.armature,
            )
            for entry in self.tree[1:]
        ]
        return hashlib.sha256(repr((content, self.gravity)).encode()).hexdigest()

    @cached_property
    def kernels(self) -> dict[tuple[str, ...], Any]:
        """Functions compiled for this model so far, by their quantities."""
        return {}

    def __repr__(self) -> str:
        return f"Model('{self.name}', njoints={self.njoints}, nq={self.nq}, nv={self.nv})"

    def _offsets(self, size: Callable[[Joint], int]) -> tuple[int, ...]:
        """Where joints' coordinates begin; a mimic joint's are where its primary's are."""
        total, own = 0, []
        for i, entry in enumerate(self.tree):
            own.append(total)
            total += size(entry.joint) if entry.primary == i else 0
        return tuple(own[entry.primary] for entry in self.tree)

    def _per_coordinate(self, pick: Callable[[Limits], tuple[float, ...]]) -> FloatArray:
        numbers = [x for i in self.own_coordinates for x in pick(self.tree[i].limits)]
        array = np.array(numbers, dtype=np.float64)
        array.setflags(write=False)
        return array
