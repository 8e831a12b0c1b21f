"""Kinematics of constraints: Jacobian, velocity, drift and position error.

The constraint's velocity is that of frame 1 relative to frame 2, in the axes of frame 1:
``v_1 - X v_2`` for six rows, ``R_1' (dp_1 - dp_2)`` for three. Its acceleration is the rate of the
first and ``R_1' (ddp_1 - ddp_2)`` for the second; the position error is ``-log6(c1Mc2)`` and
``R_1' (p_1 - p_2)``, whose rates are the velocities where the error is small. In a reference along
the world's axes all of them are turned by ``R_1`` (Carpentier, Budhiraja and Mansard 2021,
"Proximal and sparse resolution of constrained dynamic equations").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.algorithms.arrays import Acceleration, Configuration, Velocity
from dyn_core.algorithms.columns import Columns
from dyn_core.algorithms.contact import NONE, Constraint, Constraints
from dyn_core.algorithms.quantity import quantity
from dyn_core.model.frame import Frame
from dyn_core.model.kinematics import JointKinematics, accelerations, joint_kinematics, supporting
from dyn_core.model.loop import PLACEMENT
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar
from dyn_core.spatial import SE3, Force, Motion, Vector3, log6

Rows = list[list[Scalar]]


@quantity(
    "Jc",
    "Jacobian of the constraints",
    unit="m, 1",
    shape=("constraints", "nv"),
    frame="of the constraints",
    pinocchio="getConstraintsJacobian",
    source="Carpentier, Budhiraja and Mansard 2021, section II",
)
def constraint_jacobian(model: Model, q: Configuration, *, constraints: Constraints = NONE) -> Rows:
    """``J`` with ``J v`` the velocity of the constraints: the model's loops, then those given.

    Columns of joints that cannot change a constraint are exactly zero.
    """
    joints = joint_kinematics(model, q)
    return [row for one in constraints.items for row in Ends.of(model, joints, one).jacobian()]


@quantity(
    "constraint_error",
    "position errors of the constraints",
    unit="m, rad",
    shape=("constraints",),
    frame="of the constraints",
    source="Carpentier, Budhiraja and Mansard 2021, section II",
)
def constraint_error(
    model: Model, q: Configuration, *, constraints: Constraints = NONE
) -> list[Scalar]:
    """How far frame 1 is from frame 2; zero for contacts that are held wherever they are."""
    joints = joint_kinematics(model, q)
    return [x for one in constraints.items for x in Ends.of(model, joints, one).error()]


@quantity(
    "constraint_acceleration",
    "accelerations of the constraints",
    unit="m/s^2, rad/s^2",
    shape=("constraints",),
    frame="of the constraints",
    source="Carpentier, Budhiraja and Mansard 2021, section II",
)
def constraint_acceleration(
    model: Model, q: Configuration, v: Velocity, a: Acceleration, *, constraints: Constraints = NONE
) -> list[Scalar]:
    """``J a`` and the drift that velocity makes: what a force of the constraints brings to zero."""
    return ConstraintState.of(model, q, v, constraints, a).acceleration


@dataclass(frozen=True)
class ConstraintState:
    """What some constraints do at a state, and what they should do."""

    acceleration: list[Scalar]
    target: list[Scalar]
    """The acceleration that Baumgarte's method wants, ``-kd velocity - kp error``."""

    @classmethod
    def of(
        cls,
        model: Model,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        constraints: Constraints,
        a: Sequence[Scalar] | None = None,
    ) -> ConstraintState:
        """The rows of all constraints; without ``a`` the acceleration is the drift."""
        joints = joint_kinematics(model, q, v)
        still, rates = Motion.zero(), [0.0] * model.nv if a is None else a
        passes = accelerations(model, joints, rates, still)
        moving = [(still, still), *((velocity, rate) for _, velocity, rate in passes)]
        state = cls([], [])
        for one in constraints.items:
            ends = Ends.of(model, joints, one)
            velocity = ends.velocity(moving) if one.kd else [0.0] * one.kind
            errors = ends.error() if one.kp else [0.0] * one.kind
            state.acceleration.extend(ends.acceleration(moving))
            pairs = zip(velocity, errors, strict=True)
            state.target.extend(-(one.kd * rate) - one.kp * error for rate, error in pairs)
        return state


@dataclass(frozen=True)
class Ends:
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
        """Position error."""
        if self.one.frame2 is None:
            return [0.0] * self.one.kind
        if self.one.kind == PLACEMENT:
            return self._rows(-log6(self.c1Mc2))
        return self._rows(-Motion(self.c1Mc2.translation, Vector3.zero()))

    def jacobian(self) -> Rows:
        """The rows of the constraint's Jacobian."""
        columns = Columns(self.model, self.one.kind)
        for i in self.chain1.keys() | self.chain2.keys():
            for k, column in enumerate(self.joints[i].S, self.model.idx_v[i]):
                columns.add(k, self._rows(self._relative(i, column)))
        return columns.rows

    def velocity(self, moving: Sequence[tuple[Motion, Motion]]) -> list[Scalar]:
        """Velocity, of bodies' velocities and accelerations in their joints' frames."""
        (v1, _), (v2, _) = (_seen_from(f, moving) for f in (self.one.frame1, self.one.frame2))
        if self.one.kind == PLACEMENT:
            return self._rows(v1 - self.c1Mc2.act_motion(v2))
        difference = v1.linear - self.c1Mc2.rotation.apply(v2.linear)
        return self._rows(Motion(difference, Vector3.zero()))

    def acceleration(self, moving: Sequence[tuple[Motion, Motion]]) -> list[Scalar]:
        """Acceleration, of bodies' velocities and accelerations in their joints' frames."""
        v1, a1 = _seen_from(self.one.frame1, moving)
        v2, a2 = _seen_from(self.one.frame2, moving)
        if self.one.kind == PLACEMENT:
            v2, a2 = self.c1Mc2.act_motion(v2), self.c1Mc2.act_motion(a2)
            return self._rows(a1 - a2 + v1.cross(v2))
        point1, point2 = (a.linear + v.angular.cross(v.linear) for v, a in ((v1, a1), (v2, a2)))
        difference = point1 - self.c1Mc2.rotation.apply(point2)
        return self._rows(Motion(difference, Vector3.zero()))

    def forces(self, multipliers: Sequence[Scalar]) -> tuple[Force, Force]:
        """What a force of the constraint does to both bodies, each in its joint's frame."""
        parts = [Vector3.of(multipliers[k : k + 3]) for k in range(0, self.one.kind, 3)]
        if self.one.turned:
            parts = [self.oMc1.rotation.apply_transpose(part) for part in parts]
        force = Force(parts[0], parts[1] if len(parts) > 1 else Vector3.zero())
        if self.one.kind == PLACEMENT:
            back = self.c1Mc2.act_inv_force(force)
        else:
            back = Force(self.c1Mc2.rotation.apply_transpose(force.linear), Vector3.zero())
        placement = self.one.frame2.placement if self.one.frame2 else SE3.identity()
        return self.one.frame1.placement.act_force(force), placement.act_force(-back)

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
