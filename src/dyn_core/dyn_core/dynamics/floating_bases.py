# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motion of floating bases with the momentum of what they carry.

A floating base is a free flyer, a spherical or a planar joint between the world and a tree of
bodies. Its velocity is that in the frame of the body, which turns. A momentum that no force changes
is constant in the world and therefore turns in that frame; ``v + dt a`` follows the tangent of this
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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dyn_core.dynamics.center_of_mass import momenta
from dyn_core.dynamics.declare.arrays import Configuration, Displacement, Duration, Velocity
from dyn_core.dynamics.declare.output import Output
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.ldl_factorization import factorize, solve
from dyn_core.dynamics.rnea import body_forces
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.dynamics.tree_passes import composite_inertias, force_sums, joint_kinematics
from dyn_core.model.joints import Fixed, FreeFlyer, Planar, Spherical
from dyn_core.model.model import Model
from dyn_core.spatial import Force, Inertia, Matrix3, Motion, Symmetric3, Vector3
from dyn_core.spatial.exponential import exp3, jexp3
from dyn_core.spatial.scalars import Scalar

SOURCE = "Marsden and Ratiu 1999, chapter 15; Hairer, Lubich and Wanner 2006, section VII.5"
TURNS = 4
"""Steps of Newton's method for the turn of a base. The momentum does not depend on them."""


def floating_bases(model: Model) -> tuple[int, ...]:
    """The joints whose momentum a step keeps: see above. A rotor would keep another one."""
    return tuple(
        i
        for i in model.moving_joints
        if all(type(model.joints[k]) is Fixed for k in model.inwards(model.parents[i]))
        and type(model.joints[i]) in (FreeFlyer, Spherical, Planar)
        and not any(model.tree[i].limits.armature)
    )


@quantity(
    "dv_base",
    "accelerations of floating bases by their Coriolis forces, with the opposite sign",
    unit="rad/s^2, m/s^2",
    shape=("nv",),
    source=SOURCE,
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
    for i in floating_bases(model):
        S = joints[i].S
        M = [[a.dot(composite[i].apply(b)) for b in S] for a in S]
        own = solve(factorize(M), [a.dot(forces[i]) for a in S])
        found[_coordinates(model, i)] = own
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
    for i in floating_bases(model):
        begin, end = _tree(model, q, v, i), _tree(model, reached, v, i)
        turn = _turn(begin, end, dt[0])
        way = begin.center + begin.momentum.linear * (dt[0] / begin.inertia.mass)
        way = way - exp3(turn).apply(end.center)
        at, space = model.idx_q[i], model.joints[i].space
        shifted = space.integrate(model.q_of(i, q), [s.linear.dot(way) for s in begin.S])
        placed = space.integrate(shifted, [s.angular.dot(turn) for s in begin.S])
        reached[at : at + space.nq] = placed
    return reached, carried_velocity.define(model, q, v, reached)


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
    for i in floating_bases(model):
        begin, end = _tree(model, q0, v, i), _tree(model, q1, v, i)
        R0, R1 = (model.joints[i].transform(model.q_of(i, q)).rotation for q in (q0, q1))
        back = (R1.transpose() @ R0).apply
        w = end.spin(back(begin.angular))
        linear = back(begin.momentum.linear) - end.own.linear
        linear = linear * (1.0 / end.inertia.mass) - w.cross(end.center)
        found[_coordinates(model, i)] = [s.dot(Force(linear, w)) for s in end.S]
    return found


def _coordinates(model: Model, i: int) -> slice:
    return slice(model.idx_v[i], model.idx_v[i] + model.joints[i].nv)


@dataclass(frozen=True)
class _Tree:
    """What a floating base carries, in the frame of the base."""

    S: tuple[Motion, ...]
    """Motion subspace of the base: unit vectors."""
    inertia: Inertia
    """Of the whole tree."""
    own: Force
    """Momentum if the base rested."""
    velocity: Motion
    """Velocity of the base."""
    center: Vector3
    """Centre of mass; of a spherical joint the pivot, about which it turns."""

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


def _tree(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], i: int) -> _Tree:
    """What the floating base ``i`` carries."""
    resting = list(v)
    resting[_coordinates(model, i)] = [0.0] * model.joints[i].nv
    joints = joint_kinematics(model, q, resting)
    inertia = composite_inertias(model, joints)[i]
    own = force_sums(model, joints, momenta(model, joints))[i]
    moving = model.joints[i].velocity(model.q_of(i, q), model.v_of(i, v))
    pivot = type(model.joints[i]) is Spherical
    return _Tree(joints[i].S, inertia, own, moving, Vector3.zero() if pivot else inertia.com)


def _turn(begin: _Tree, end: _Tree, dt: Scalar) -> Vector3:
    """The rotation vector of a base over ``dt``, see above."""
    w, L = begin.velocity.angular, begin.angular
    if len(begin.axes) == 1:  # the angular momentum about the axis does not turn
        level: Vector3 = (w + end.spin(L)) * (0.5 * dt)
        return level
    I, own = end.rotational, _about(end.center, end.own)
    turn: Vector3 = w * dt
    for _ in range(TURNS):
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
