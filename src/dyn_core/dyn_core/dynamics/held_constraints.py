# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kinematics of constraints at a configuration: of two frames that are held, or coupled joints.

**Contacts and loops.** The constraint's velocity is that of frame 1 relative to frame 2, in the
axes of frame 1: ``v_1 - X v_2`` for six rows, ``R_1' (dp_1 - dp_2)`` for three. Its acceleration is
the rate of the first and ``R_1' (ddp_1 - ddp_2)`` for the second; the position error is
``-log6(c1Mc2)`` and ``R_1' (p_1 - p_2)``, whose rates are the velocities where the error is small.
In a reference along the world's axes all of them are turned by ``R_1`` (Carpentier, Budhiraja and
Mansard 2021, "Proximal and sparse resolution of constrained dynamic equations").

**Couplings.** The error of ``sum c q = p(s)`` with ``s = sum c q`` over the leaders is what the
followers are ahead of where they belong. Its rate is ``sum c v - p'(s) ds/dt``, which makes the row
of the Jacobian, and that one's rate has the drift ``-p''(s) (ds/dt)^2``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.dynamics.constraints import Constraint, CoupledJoints, IndexedTerms
from dyn_core.dynamics.tree_passes import Columns, JointKinematics, supporting
from dyn_core.model.frame import Frame
from dyn_core.model.loop import PLACEMENT
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Force, Motion, Vector3, log6
from dyn_core.spatial.scalars import Rows, Scalar


@dataclass(frozen=True)
class Moving:
    """How a robot moves."""

    bodies: Sequence[tuple[Motion, Motion]]
    """Velocity and acceleration of each body in its joint's frame, the world's first."""
    v: Sequence[Scalar]
    a: Sequence[Scalar]


class Held(ABC):
    """A constraint of a robot at a configuration, with some rows."""

    @abstractmethod
    def error(self) -> list[Scalar]:
        """Position error of each row."""

    @abstractmethod
    def jacobian(self) -> Rows:
        """The rows of the constraint's Jacobian."""

    @abstractmethod
    def velocity(self, moving: Moving) -> list[Scalar]:
        """Velocity of each row."""

    @abstractmethod
    def acceleration(self, moving: Moving) -> list[Scalar]:
        """Acceleration of each row."""

    def forces(self, multipliers: Sequence[Scalar]) -> tuple[tuple[int, Force], ...]:
        """Which bodies it pushes, and how, each in its joint's frame."""
        return ()

    def efforts(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        """The efforts (nv) by which it acts on joints, or none where it acts on bodies."""
        return []


@dataclass(frozen=True)
class Ends(Held):
    """The two frames of a constraint at a configuration, and the joints that move them."""

    model: Model
    joints: Sequence[JointKinematics]
    one: Constraint
    chain1: dict[int, SE3]
    """The joints that move frame 1, each with the frame's placement in its own."""
    chain2: dict[int, SE3]
    oMc1: SE3
    c1Mc2: SE3

    @classmethod
    def of(cls, model: Model, joints: Sequence[JointKinematics], one: Constraint) -> Ends:
        """The ends at a configuration."""
        oMc1, first = supporting(model, joints, one.frame1)
        oMc2, second = supporting(model, joints, one.frame2) if one.frame2 else (SE3.identity(), [])
        chain1, chain2 = dict(first), dict(second)
        common = max(chain1.keys() & chain2.keys(), default=0)  # what carries both moves neither
        here, there = chain1.get(common, oMc1), chain2.get(common, oMc2)
        return cls(model, joints, one, chain1, chain2, oMc1, here.inverse() * there)

    def error(self) -> list[Scalar]:
        if self.one.frame2 is None:
            return [0.0] * self.one.kind
        if self.one.kind == PLACEMENT:
            return self._rows(-log6(self.c1Mc2))
        return self._rows(-Motion(self.c1Mc2.translation, Vector3.zero()))

    def jacobian(self) -> Rows:
        columns = Columns(self.model, self.one.kind)
        for i in self.chain1.keys() | self.chain2.keys():
            for k, column in enumerate(self.joints[i].S, self.model.idx_v[i]):
                columns.add(k, self._rows(self._relative(i, column)))
        return columns.rows

    def velocity(self, moving: Moving) -> list[Scalar]:
        ends = (self.one.frame1, self.one.frame2)
        (v1, _), (v2, _) = (_seen_from(frame, moving.bodies) for frame in ends)
        if self.one.kind == PLACEMENT:
            return self._rows(v1 - self.c1Mc2.act_motion(v2))
        difference = v1.linear - self.c1Mc2.rotation.apply(v2.linear)
        return self._rows(Motion(difference, Vector3.zero()))

    def acceleration(self, moving: Moving) -> list[Scalar]:
        v1, a1 = _seen_from(self.one.frame1, moving.bodies)
        v2, a2 = _seen_from(self.one.frame2, moving.bodies)
        if self.one.kind == PLACEMENT:
            v2, a2 = self.c1Mc2.act_motion(v2), self.c1Mc2.act_motion(a2)
            return self._rows(a1 - a2 + v1.cross(v2))
        point1, point2 = (a.linear + v.angular.cross(v.linear) for v, a in ((v1, a1), (v2, a2)))
        difference = point1 - self.c1Mc2.rotation.apply(point2)
        return self._rows(Motion(difference, Vector3.zero()))

    def forces(self, multipliers: Sequence[Scalar]) -> tuple[tuple[int, Force], ...]:
        parts = [Vector3.of(multipliers[k : k + 3]) for k in range(0, self.one.kind, 3)]
        if self.one.turned:
            parts = [self.oMc1.rotation.apply_transpose(part) for part in parts]
        force = Force(parts[0], parts[1] if len(parts) > 1 else Vector3.zero())
        if self.one.kind == PLACEMENT:
            back = self.c1Mc2.act_inv_force(force)
        else:
            back = Force(self.c1Mc2.rotation.apply_transpose(force.linear), Vector3.zero())
        placement = self.one.frame2.placement if self.one.frame2 else SE3.identity()
        first = self.one.frame1.placement.act_force(force)
        return (
            (self.one.frame1.joint, first),
            (self.one.joint2, placement.act_force(-back)),
        )

    def _relative(self, i: int, column: Motion) -> Motion:
        """Motion of frame 1 relative to frame 2 that a column of joint i makes."""
        if i in self.chain1:
            first = self.chain1[i].act_inv_motion(column)
            if i not in self.chain2:
                return first
            if self.one.kind == PLACEMENT:
                return Motion.zero()  # both are carried along
            return Motion(self.c1Mc2.translation.cross(first.angular), Vector3.zero())
        second = self.chain2[i].act_inv_motion(column)
        if self.one.kind == PLACEMENT:
            return -self.c1Mc2.act_motion(second)
        return -Motion(self.c1Mc2.rotation.apply(second.linear), Vector3.zero())

    def _rows(self, motion: Motion) -> list[Scalar]:
        """The rows of a motion that is given in the axes of frame 1."""
        parts = [motion.linear, motion.angular][: self.one.kind // 3]
        if self.one.turned:
            parts = [self.oMc1.rotation.apply(part) for part in parts]
        return [x for part in parts for x in part]


def _seen_from(
    frame: Frame | None, moving: Sequence[tuple[Motion, Motion]]
) -> tuple[Motion, Motion]:
    """Velocity and acceleration of a frame, in its own axes; the world's without one."""
    if frame is None:
        return moving[0]
    v, a = moving[frame.joint]
    return frame.placement.act_inv_motion(v), frame.placement.act_inv_motion(a)


@dataclass(frozen=True)
class CouplingState(Held):
    """A coupling at a configuration."""

    model: Model
    one: CoupledJoints
    q: Sequence[Scalar]

    def error(self) -> list[Scalar]:
        target, _, _ = self._law()
        return [self._position(self.one.followers) - target]

    def jacobian(self) -> Rows:
        row: list[Scalar] = [0.0] * self.model.nv
        _, slope, _ = self._law()
        for terms, factor in ((self.one.followers, 1.0), (self.one.leaders, -slope)):
            for i, c in terms:
                k = self.model.idx_v[i]
                row[k] = row[k] + factor * (c * self.model.joints[i].ratio)
        return [row]

    def velocity(self, moving: Moving) -> list[Scalar]:
        _, slope, _ = self._law()
        followers, leaders = self._rates(moving.v)
        return [followers - slope * leaders]

    def acceleration(self, moving: Moving) -> list[Scalar]:
        _, slope, curvature = self._law()
        followers, leaders = self._rates(moving.a)
        _, rate = self._rates(moving.v)
        return [followers - slope * leaders - curvature * (rate * rate)]

    def efforts(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        return [x * multipliers[0] for x in self.jacobian()[0]]

    def _law(self) -> tuple[Scalar, Scalar, Scalar]:
        return self.one.coupling.law(self._position(self.one.leaders))

    def _position(self, terms: IndexedTerms) -> Scalar:
        """The sum over coordinates of joints, of followers of others too."""
        total: Scalar = 0.0
        for i, c in terms:
            (shaft,) = self.model.joints[i].own_q(self.model.q_of(i, self.q))
            total = total + c * shaft
        return total

    def _rates(self, rates: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
        """The sums over followers and leaders of their velocities or accelerations."""
        sums: list[Scalar] = []
        for terms in (self.one.followers, self.one.leaders):
            total: Scalar = 0.0
            for i, c in terms:
                total = total + c * self.model.joints[i].ratio * rates[self.model.idx_v[i]]
            sums.append(total)
        return sums[0], sums[1]
