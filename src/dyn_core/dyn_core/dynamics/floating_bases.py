# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motion of floating bases with the momentum of what they carry.

A floating base is a free flyer, a spherical or a planar joint between the world and a tree of
bodies, or a chain of joints without masses between them whose placements form a group too:
three slides and a ball, three slides and Euler angles, two slides and a turn. The velocity of a
free flyer is that in the frame of the body, which turns. A momentum that no force changes is
constant in the world and therefore turns in that frame; ``v + dt a`` follows the tangent of this
turn and makes the momentum longer, by ``(w dt)^2 / 2`` in a step. Euler's methods therefore divide
a step in two parts:

* the velocity changes at the configuration q under all efforts except the Coriolis force of the
  base, ``v + dt (a + c)`` with c of :data:`base_coriolis_acceleration`;
* the robot moves without external forces, and the velocities of its joints stay: :data:`drift`.

With h the linear momentum and L the angular momentum of the tree about its centre of mass (about
the pivot of a spherical joint), the centre of mass moves by ``dt h / m``, and the base turns by ::

    exp(dt (w + w') / 2),        I w = L - l,      I' w' = L' - l'

where I is the inertia of the tree, l the angular momentum of its joints' motion, and a dash marks
the end of the step. Momenta are constant in the world to rounding. If no joint of the tree moves,
the kinetic energy is constant too: ``I (w' - w)`` is normal to the axis of the turn.

A chain of several joints turns by the mean of its velocities at both ends of the step. Its momenta
are constant as well, its energy to second order of dt.

Angular momentum is carried about the centre of mass, as far as the base can slide. About a point of
the world, gravity would make a body spin that has moved in a step by another velocity than the new
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from dyn_core.dynamics.center_of_mass import momenta
from dyn_core.dynamics.declare.arrays import Configuration, Displacement, Duration, Output, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.ldl_factorization import factorize, solve
from dyn_core.dynamics.rnea import body_forces
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.dynamics.tree_passes import (
    JointKinematics,
    along,
    composite_inertias,
    force_sums,
    joint_kinematics,
)
from dyn_core.model.joints import (
    Composite,
    Fixed,
    FreeFlyer,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    RevoluteUnbounded,
    Spherical,
    SphericalZYX,
    Translation,
    Universal,
)
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Force, Inertia, Matrix3, Motion, Symmetric3, Vector3
from dyn_core.spatial.exponential import exp3, jexp3
from dyn_core.spatial.scalars import Scalar

SOURCE = "Marsden and Ratiu 1999, chapter 15; Hairer, Lubich and Wanner 2006, section VII.5"
NEWTON_STEPS = 4
"""Steps of Newton's method for the turn of a base, and iterations for the motion of a chain. The
momentum does not depend on them."""
BASE_JOINTS = (
    Fixed,
    FreeFlyer,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    RevoluteUnbounded,
    Spherical,
    SphericalZYX,
    Translation,
    Universal,
)
"""Joints that turn and slide about and along axes: parts of a floating base."""
SINGULAR_VALUE_TOLERANCE = 1e-9
"""Singular values of unit twists below this are zero."""

Base = tuple[int, ...]
"""The joints of a floating base, from the world on."""


def floating_bases(model: Model) -> tuple[Base, ...]:
    """The bases whose momentum a step keeps, each as the joints from the world to it: see above.

    A rotor would keep another momentum.
    """
    found = (
        _base(model, i)
        for i in model.moving_joints
        if type(model.joints[i]) is not Fixed
        and all(type(model.joints[k]) is Fixed for k in model.inwards(model.parents[i]))
    )
    return tuple(base for base in found if base)


def _base(model: Model, i: int) -> Base:
    """The longest chain of joints from joint ``i`` on that is a floating base, else ()."""
    chain, longest, freedoms = [i], 0, 0
    columns: list[Motion] = []
    at = SE3.identity()
    while all(type(x) in BASE_JOINTS for x in _parts(model.joints[i])):
        joint, entry = model.joints[i], model.tree[i]
        if any(entry.limits.armature) or any(
            other.primary == i for k, other in enumerate(model.tree) if k != i
        ):
            break
        neutral, freedoms = joint.space.neutral(), freedoms + joint.nv
        at = at * model.joint_placements[i] * joint.transform(neutral)
        columns += [at.act_motion(column) for column in joint.subspace(neutral)]
        if freedoms > 1 and _is_group(columns):
            longest = len(chain)
        if len(model.children[i]) != 1 or any(not _is_zero(x) for x in entry.inertia.parameters):
            break
        (i,) = model.children[i]
        chain.append(i)
    return tuple(chain[:longest])


def _parts(joint: Joint) -> tuple[Joint, ...]:
    return joint.parts if type(joint) is Composite else (joint,)


def _is_zero(x: Scalar) -> bool:
    return isinstance(x, (float, int)) and x == 0.0


def _is_group(columns: Sequence[Motion]) -> bool:
    """Whether independent twists in the world span a Lie algebra.

    Placements that turns and slides along them reach then form a group, under which the kinetic
    energy of what they carry does not change.
    """
    brackets = [a.cross(b) for a, b in combinations(columns, 2)]
    ranks = [
        np.linalg.matrix_rank(np.array([[*x] for x in some], float), tol=SINGULAR_VALUE_TOLERANCE)
        for some in (columns, [*columns, *brackets])
    ]
    return bool(ranks[0] == ranks[1] == len(columns))


@quantity(
    "dv_base",
    "accelerations of floating bases by their Coriolis forces, with the opposite sign",
    unit="rad/s^2, m/s^2",
    shape=("nv",),
    source=SOURCE,
    requires=refuse_singular,
)
def base_coriolis_acceleration(model: Model, q: Configuration, v: Velocity) -> list[Scalar]:
    """The accelerations of floating bases that their Coriolis forces would drive; 0 of joints.

    ``(S' I S)^-1 S' f`` with the composite inertia I and the force f of resting accelerations.
    """
    found: list[Scalar] = [0.0] * model.nv
    joints = joint_kinematics(model, q, v)
    composite = composite_inertias(model, joints)
    weightless = replace(model, gravity=(0.0, 0.0, 0.0))
    forces = force_sums(model, joints, body_forces(weightless, joints, [0.0] * model.nv))
    for base in floating_bases(model):
        S, tip = _columns(joints, base), base[-1]
        found[_coordinates(model, base)] = _driven(S, composite[tip], forces[tip])
    return found


@quantity(
    Output("q_drifted", "configuration after a step without external forces", "rad, m, 1", ("nq",)),
    Output("v_drifted", "velocity after a step without external forces", "rad/s, m/s", ("nv",)),
    source=SOURCE,
    requires=refuse_singular,
)
def drift(
    model: Model, q: Configuration, v: Velocity, dv: Displacement, dt: Duration
) -> tuple[list[Scalar], list[Scalar]]:
    """The state after ``dt`` without external forces, if the joints move by ``dv``.

    Velocities of joints stay; floating bases move so that the momenta of their trees stay in the
    world. Their part of ``dv`` is not used. A robot without floating base moves by ``dv``.
    """
    reached = list(model.space.integrate(q, dv))
    for base in floating_bases(model):
        at = slice(model.idx_q[base[0]], model.idx_q[base[-1]] + model.joints[base[-1]].nq)
        if type(model.joints[base[-1]]) in (FreeFlyer, Spherical, Planar) and len(base) == 1:
            reached[at] = _drifted(model, q, v, reached, base, dt[0])
            continue
        own, after = _coordinates(model, base), v[_coordinates(model, base)]
        way = list(dv)
        for _ in range(NEWTON_STEPS):
            way[own] = [(a + b) * (0.5 * dt[0]) for a, b in zip(v[own], after, strict=True)]
            reached[at] = model.space.integrate(q, way)[at]
            after = _carried(model, q, v, reached, base)
        begin, end = _tree(model, q, v, base), _tree(model, reached, v, base)
        center = begin.inertia.com + begin.momentum.linear * (dt[0] / begin.inertia.mass)
        center = (end.placement.inverse() * begin.placement).act_point(center)
        for k, x in end.slid(center - end.inertia.com).items():
            way[own.start + k] = way[own.start + k] + x
        reached[at] = model.space.integrate(q, way)[at]
    return reached, carried_velocity.define(model, q, v, reached)


def _drifted(
    model: Model,
    q: Configuration,
    v: Velocity,
    reached: Sequence[Scalar],
    base: Base,
    dt: Scalar,
) -> list[Scalar]:
    """Where a base of a single joint is after ``dt``: see above."""
    begin, end = _tree(model, q, v, base), _tree(model, reached, v, base)
    turn = _turn(begin, end, dt)
    way = begin.center + begin.momentum.linear * (dt / begin.inertia.mass)
    way = way - exp3(turn).apply(end.center)
    space, start = model.joints[base[0]].space, model.q_of(base[0], q)
    shifted = space.integrate(start, [s.linear.dot(way) for s in begin.S])
    return list(space.integrate(shifted, [s.angular.dot(turn) for s in begin.S]))


@quantity(
    "v_carried",
    "velocity at another configuration, of the same momenta of floating bases",
    unit="rad/s, m/s",
    shape=("nv",),
    source=SOURCE,
    requires=refuse_singular,
)
def carried_velocity(
    model: Model, q0: Configuration, v: Velocity, q1: Configuration
) -> list[Scalar]:
    """The velocity at ``q1`` with the momenta that trees on floating bases have at ``q0``, ``v``.

    Velocities of joints stay.
    """
    found = list(v)
    for base in floating_bases(model):
        found[_coordinates(model, base)] = _carried(model, q0, v, q1, base)
    return found


def _carried(
    model: Model, q0: Sequence[Scalar], v: Sequence[Scalar], q1: Sequence[Scalar], base: Base
) -> list[Scalar]:
    """The velocity of a base at ``q1`` with the momentum that its tree has at ``q0`` and ``v``."""
    begin, end = _tree(model, q0, v, base), _tree(model, q1, v, base)
    back = end.placement.inverse() * begin.placement
    momentum, way = back.act_force(begin.momentum), Vector3.zero()
    if end.slides:
        way = end.inertia.com - back.act_point(begin.inertia.com)
        slid = end.slid(way).items()
        way = sum((end.S[k].linear * x for k, x in slid), Vector3.zero())
    about = Force(momentum.linear, momentum.angular + way.cross(momentum.linear))
    return _driven(end.S, end.inertia, about - end.own)


def _driven(S: Sequence[Motion], inertia: Inertia, force: Force) -> list[Scalar]:
    """``(S' I S)^-1 S' f``."""
    M = [[a.dot(inertia.apply(b)) for b in S] for a in S]
    return solve(factorize(M), [a.dot(force) for a in S])


def _columns(joints: Sequence[JointKinematics], base: Base) -> tuple[Motion, ...]:
    """The motion subspace of a base, in the frame of its last joint."""
    columns: list[Motion] = []
    for i in base:
        columns = [joints[i].liMi.act_inv_motion(column) for column in columns] + [*joints[i].S]
    return tuple(columns)


def _coordinates(model: Model, base: Base) -> slice:
    return slice(model.idx_v[base[0]], model.idx_v[base[-1]] + model.joints[base[-1]].nv)


@dataclass(frozen=True)
class _Tree:
    """What a floating base carries, in the frame of the base."""

    placement: SE3
    """Placement of the base in the world."""
    S: tuple[Motion, ...]
    """Motion subspace of the base: unit vectors, if it is of a single joint."""
    inertia: Inertia
    """Of the whole tree."""
    own: Force
    """Momentum if the base rested."""
    velocity: Motion
    """Velocity of the base."""
    center: Vector3
    """Centre of mass; of a spherical joint the pivot, about which it turns."""
    slides: tuple[int, ...]
    """The columns of S that slide without turning."""

    def slid(self, way: Vector3) -> dict[int, Scalar]:
        """How far the base slides along each of them on the way of a point that it carries."""
        axes = [self.S[k].linear for k in self.slides]
        M = [[a.dot(b) for b in axes] for a in axes]
        lengths = solve(factorize(M), [a.dot(way) for a in axes])
        return dict(zip(self.slides, lengths, strict=True))

    @property
    def axes(self) -> list[Vector3]:
        """About which the base turns."""
        return [s.angular for s in self.S if any(x != 0.0 for x in s.angular)]

    @property
    def momentum(self) -> Force:
        """Momentum of the tree."""
        return self.inertia.apply(self.velocity) + self.own

    @property
    def angular(self) -> Vector3:
        """Angular momentum about the centre."""
        return _about(self.center, self.momentum)

    @property
    def rotational(self) -> Symmetric3:
        """Inertia about the centre."""
        steiner = Symmetric3.minus_skew_squared(self.center) * self.inertia.mass
        about: Symmetric3 = self.inertia.rotational - steiner
        return about

    def spin(self, angular: Vector3) -> Vector3:
        """The angular velocity of the base at this angular momentum about the centre."""
        rest = angular - _about(self.center, self.own)
        M = [[a.dot(self.rotational.apply(b)) for b in self.axes] for a in self.axes]
        rates = solve(factorize(M), [a.dot(rest) for a in self.axes])
        spin = Vector3.zero()
        for axis, rate in zip(self.axes, rates, strict=True):
            spin = spin + axis * rate
        return spin


def _about(center: Vector3, momentum: Force) -> Vector3:
    return momentum.angular - center.cross(momentum.linear)


def _tree(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], base: Base) -> _Tree:
    """What a floating base carries."""
    own, tip, resting = _coordinates(model, base), base[-1], list(v)
    resting[own] = [0.0] * len(resting[own])
    joints = joint_kinematics(model, q, resting)
    inertia = composite_inertias(model, joints)[tip]
    momentum = force_sums(model, joints, momenta(model, joints))[tip]
    S, at = _columns(joints, base), SE3.identity()
    for i in base:
        at = at * joints[i].liMi
    pivot = type(model.joints[tip]) is Spherical
    center = Vector3.zero() if pivot else inertia.com
    neutral = [s for i in base for s in model.joints[i].subspace(model.joints[i].space.neutral())]
    slides = tuple(k for k, s in enumerate(neutral) if not any(s.angular))
    return _Tree(at, S, inertia, momentum, along(S, v[own], Motion.zero()), center, slides)


def _turn(begin: _Tree, end: _Tree, dt: Scalar) -> Vector3:
    """The rotation vector of a base over ``dt``, see above."""
    w, L = begin.velocity.angular, begin.angular
    if len(begin.axes) == 1:  # the angular momentum about the axis does not turn
        level: Vector3 = (w + end.spin(L)) * (0.5 * dt)
        return level
    I, own = end.rotational, _about(end.center, end.own)
    turn: Vector3 = w * dt
    for _ in range(NEWTON_STEPS):
        turned = exp3(turn).apply_transpose(L)
        off = I.apply(turn * 2.0 - w * dt) + (own - turned) * dt
        slope = I.full() * 2.0 - (Matrix3.skew(turned) @ jexp3(turn)) * dt
        turn = turn - _solved(slope, off)
    return turn


def _solved(A: Matrix3, b: Vector3) -> Vector3:
    """``A^-1 b`` by Cramer's rule."""
    x, y, z = A.columns
    yz = y.cross(z)
    scale = 1.0 / x.dot(yz)
    found: Vector3 = Vector3(b.dot(yz), x.dot(b.cross(z)), x.dot(y.cross(b))) * scale
    return found
