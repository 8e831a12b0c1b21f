# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a robot is: joints in a tree, inertias, frames, limits; and what follows from them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dyn_core.model.content import close, content
from dyn_core.model.coupling import Coupling
from dyn_core.model.fluid import Fluid
from dyn_core.model.frame import SHADOWED_TYPES, Frame, FrameType
from dyn_core.model.gravity_compensator import Lift
from dyn_core.model.joints import Joint, Mimic
from dyn_core.model.joints.joint import sameness
from dyn_core.model.loop import Loop
from dyn_core.model.tendon import Tendon
from dyn_core.model.tree_joint import Limits, TreeJoint
from dyn_core.spatial import SE3, Inertia, Vector3
from dyn_core.spatial.immutable import immutable
from dyn_core.spatial.lie import Product

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")
FloatArray = NDArray[np.float64]
GRAVITY = (0.0, 0.0, -9.81)
"""Acceleration of gravity in the world frame (m/s^2), unless the user sets another."""


@immutable
@dataclass(frozen=True, eq=False)
class KinematicTree:
    """A tree of bodies, each moved by one joint; index 0 is the universe. Immutable.

    Joints are numbered depth first, siblings by name (from URDF) or in the document's order (from
    MJCF). All that is indexed by joints has entries for joint i and the body that it moves.
    """

    name: str
    tree: tuple[TreeJoint, ...]
    """All joints, parents before children."""
    frames: tuple[Frame, ...] = ()
    gravity: tuple[float, float, float] = GRAVITY
    """Acceleration of gravity in the world frame, m/s^2."""
    reference_configurations: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Named configurations (nq), such as those of an SRDF; read-only."""
    loops: tuple[Loop, ...] = ()
    """Closed loops. Ignored by unconstrained dynamics."""
    couplings: tuple[Coupling, ...] = ()
    """Couplings between joints. Ignored by unconstrained dynamics."""

    lifts: tuple[Lift, ...] = ()
    """Gravity compensators of bodies; passive efforts, like fluid and tendons."""

    fluid: Fluid | None = None
    """The fluid around the robot, if any."""

    tendons: tuple[Tendon, ...] = ()
    """Tendons across several joints."""

    def __post_init__(self) -> None:
        close(self)

    @property
    def njoints(self) -> int:
        """Number of joints, the universe included."""
        return len(self.tree)

    @property
    def nbodies(self) -> int:
        """Number of bodies that joints move."""
        return self.njoints - 1

    @property
    def moving_joints(self) -> Sequence[int]:
        """Indices of all joints but the universe, parents before children."""
        return range(1, self.njoints)

    def inwards(self, i: int) -> Sequence[int]:
        """The joints that move body i: joint i, the one that carries it, and so on."""
        return self.supports[i][:0:-1]

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
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Of each joint those that its body carries."""
        return tuple(
            tuple(k for k in self.moving_joints if self.parents[k] == i)
            for i in range(self.njoints)
        )

    @cached_property
    def supports(self) -> tuple[tuple[int, ...], ...]:
        """Of each joint those that move it, from the universe to itself, both included."""
        found: list[tuple[int, ...]] = [(0,)]
        for i in self.moving_joints:
            found.append((*found[self.parents[i]], i))
        return tuple(found)

    @cached_property
    def subtrees(self) -> tuple[tuple[int, ...], ...]:
        """Of each joint those that it moves, itself included; of the universe all joints."""
        joints = self.moving_joints
        return tuple(tuple(k for k in joints if i in self.supports[k]) for i in range(self.njoints))

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
    def acceleration_limit(self) -> FloatArray:
        """(nv) rad/s^2, m/s^2; inf where there is none."""
        return self._per_coordinate(lambda limits: limits.acceleration)

    @cached_property
    def jerk_limit(self) -> FloatArray:
        """(nv) rad/s^3, m/s^3; inf where there is none."""
        return self._per_coordinate(lambda limits: limits.jerk)

    @cached_property
    def effort_limit(self) -> FloatArray:
        """(nv) N m, N; inf where there is none."""
        return self._per_coordinate(lambda limits: limits.effort)

    @cached_property
    def damping(self) -> FloatArray:
        """(nv) viscous friction, N m s/rad, N s/m; that of followers included."""
        return self._at_coordinates(lambda limits: limits.damping, 2)

    @cached_property
    def friction(self) -> FloatArray:
        """(nv) Coulomb friction, N m, N; that of followers included."""
        return self._at_coordinates(lambda limits: limits.friction, 1)

    @cached_property
    def armature(self) -> FloatArray:
        """(nv) inertia of the rotors seen from the joints, kg m^2, kg; followers' included."""
        return self._at_coordinates(lambda limits: limits.armature, 2)

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
        name = str(name)
        if name not in self.names[1:]:  # names[0] is the world's, which is no joint
            known = ", ".join(self.names[1:])
            raise KeyError(f"no joint '{name}' in '{self.name}'; it has {known}")
        return self.names.index(name, 1)

    def frame(self, name: str) -> Frame:
        """The frame called ``name``.

        Of a link and a joint of this name it is the link's. Other frames of one name at several
        places, as those of a body and a site, are distinguished by their type:
        ``"operational:tool"``, ``"body:tool"`` (:class:`FrameType`).

        Raises:
            KeyError: there is none, or there are several; the message lists those there are.
        """
        name = str(name)
        found = [frame for frame in self.frames if frame.name == name]
        if not found:
            kind, _, rest = name.partition(":")
            found = [x for x in self.frames if (x.type.value, x.name) == (kind, rest)]
        if not found:
            known = ", ".join(sorted({frame.name for frame in self.frames}))
            raise KeyError(f"no frame '{name}' in '{self.name}'; it has {known}")
        if any(frame.type is FrameType.BODY for frame in found):
            found = [frame for frame in found if frame.type not in SHADOWED_TYPES]
        if not all(frame.is_at(found[0]) for frame in found):
            choices = " or ".join(f"'{frame.type.value}:{name}'" for frame in found)
            raise KeyError(
                f"several frames of '{self.name}' are called '{name}', at different places; say "
                f"which: {choices}"
            )
        return min(found, key=lambda frame: frame.type.value)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the whole model: of every field, with names, frames, limits and loops."""
        return hashlib.sha256(content(self).encode()).hexdigest()

    @cached_property
    def traced(self) -> Self:
        """The model that definitions run on; its fingerprint is in the key of compiled code.

        Reference configurations and bounds of positions, rates and efforts are not in it.
        """
        tree = (replace(entry, limits=entry.limits.effects()) for entry in self.tree)
        return replace(self, tree=tuple(tree), reference_configurations={})

    @cached_property
    def kernels(self) -> dict[Any, Any]:
        """Functions compiled for this model so far: by quantities and optional inputs, by calls."""
        return {}

    def difference(self, other: KinematicTree) -> str:
        """The first thing in which another model is not the same, in words; empty if all is."""
        if (self.njoints, len(self.frames)) != (other.njoints, len(other.frames)):
            return (
                f"it has {self.njoints} joints and {len(self.frames)} frames, the other "
                f"{other.njoints} and {len(other.frames)}"
            )
        pairs = zip(self._facts(), other._facts(), strict=True)
        return next((f"they differ in {what}" for (what, x), (_, y) in pairs if x != y), "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KinematicTree) and (self is other or not self.difference(other))

    def __hash__(self) -> int:
        return hash((self.name, self.njoints, len(self.frames)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Its fields; compiled code and derived values are recomputed where needed."""
        parts = (getattr(self, field.name) for field in fields(self))
        return type(self), tuple(dict(x) if isinstance(x, Mapping) else x for x in parts)

    def _facts(self) -> Iterator[tuple[str, Any]]:
        """All that distinguishes models, by name, in an order of joints and frames."""
        yield "their types", type(self)
        yield "their names", self.name
        yield "gravity", self.gravity
        yield "reference configurations", self.reference_configurations
        yield "loops", self.loops
        yield "couplings", self.couplings
        yield "lifts", self.lifts
        yield "fluid", self.fluid
        yield "tendons", self.tendons
        for extra in fields(self)[len(fields(KinematicTree)) :]:
            yield f"what their type adds, {extra.name}", getattr(self, extra.name)
        for i, entry in enumerate(self.tree):
            here = f"joint {i} ('{entry.name}'): "
            yield here + "its name", entry.name
            yield here + "its type", sameness(entry.joint)
            yield here + "where it is mounted", (entry.parent, entry.placement.homogeneous())
            yield here + "the inertia of its body", entry.inertia.parameters
            yield here + "limits and losses", entry.limits
            yield here + "the joint that it follows", entry.primary
        for frame in self.frames:
            place = frame.name, frame.type, frame.joint, frame.placement.homogeneous()
            yield f"frame '{frame.name}'", place

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
        return _read_only([x for i in self.own_coordinates for x in pick(self.tree[i].limits)])

    def _at_coordinates(
        self, pick: Callable[[Limits], tuple[float, ...]], power: int
    ) -> FloatArray:
        """Losses and inertia of the joints, reflected to the coordinates.

        A mimic joint moves ``multiplier`` times as fast as its primary. So an effort that does not
        depend on the speed counts ``|multiplier|`` times (``power`` 1), one that is proportional
        to speed or acceleration ``multiplier`` squared times (2).
        """
        total = [0.0] * self.nv
        for i in self.moving_joints:
            entry = self.tree[i]
            ratio = abs(entry.joint.ratio)
            for k, x in enumerate(pick(entry.limits), self.idx_v[i]):
                total[k] += x * ratio**power
        return _read_only(total)


def _read_only(numbers: Sequence[float]) -> FloatArray:
    """A read-only array that cannot be made writable, because its memory is bytes."""
    return np.frombuffer(np.array(numbers, dtype=np.float64).tobytes())
