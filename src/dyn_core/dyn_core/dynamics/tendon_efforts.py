# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Springs and losses of tendons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dyn_core.dynamics.declare.arrays import Configuration, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import joint_efforts, joint_kinematics, placements, velocities
from dyn_core.model.model import Model
from dyn_core.model.tendon import Point, Tendon
from dyn_core.spatial import SE3, Force, Motion, Vector3
from dyn_core.spatial.scalars import Scalar, select, sign, sqrt, tanh

ROOT_OFFSET = 1e-60
"""m^2: it gives a span of no length, which has no direction, derivatives all the same."""


@dataclass(frozen=True)
class Span:
    """The straight way between two points of a strand."""

    share: float
    start: Point
    end: Point
    length: Scalar
    """m."""
    direction: Vector3
    """From start to end, in the world; of length 1."""


def spans(tendon: Tendon, oMi: Sequence[SE3]) -> Iterator[Span]:
    """All spans of a tendon, in their order."""
    for strand in tendon.strands:
        for start, end in zip(strand.points, strand.points[1:], strict=False):
            ends = [oMi[joint].act_point(Vector3(*position)) for joint, position in (start, end)]
            way = ends[1] - ends[0]
            length = sqrt(way.dot(way) + ROOT_OFFSET)
            yield Span(strand.share, start, end, length, way * (1.0 / length))


def tendon_length(
    model: Model, tendon: Tendon, q: Sequence[Scalar], spans: Sequence[Span]
) -> Scalar:
    """The length of a tendon whose strands have these spans; m, or rad for one of hinges."""
    total: Scalar = tendon.offset
    for name, coefficient in tendon.terms:
        i = model.joint_index(name)
        total = total + coefficient * model.joints[i].own_q(model.q_of(i, q))[0]
    for span in spans:
        total = total + span.share * span.length
    return total


@quantity(
    "tendon",
    "efforts of springs and losses of tendons",
    unit="N m, N",
    shape=("nv",),
    source="MuJoCo's documentation, chapter Computation, section Passive forces",
)
def tendon_efforts(
    model: Model, q: Configuration, v: Velocity, *, smoothing: float = 0.0
) -> list[Scalar]:
    """``-dL/dq' f`` over all tendons, an effort beside ``tau``.

    Each pulls with the force f of its spring by its length L and of its losses by the rate of that.
    With a ``smoothing`` speed (m/s, rad/s) above 0, ``tanh(rate / smoothing)`` is in place of
    the sign of the rate in Coulomb friction.
    """
    joints = joint_kinematics(model, q, v)
    oMi = placements(model, joints)
    moving = velocities(model, joints)
    forces = [Force.zero()] * model.njoints
    efforts: list[Scalar] = [0.0] * model.nv
    for tendon in model.tendons:
        way = list(spans(tendon, oMi))
        rate = _rate(model, tendon, v, way, oMi, moving)
        pull = _spring(tendon, tendon_length(model, tendon, q, way)) + _loss(
            tendon, rate, smoothing
        )
        for name, coefficient in tendon.terms:
            i = model.joint_index(name)
            row = model.idx_v[i]
            efforts[row] = efforts[row] - model.joints[i].ratio * coefficient * pull
        for span in way:
            drawn = span.direction * (span.share * pull)
            for point, force in ((span.start, drawn), (span.end, -drawn)):
                forces[point[0]] = forces[point[0]] + _at(point, oMi, force)
    return [x + y for x, y in zip(efforts, joint_efforts(model, joints, forces), strict=True)]


@quantity(
    "tendon_energy",
    "energy in the springs of tendons",
    unit="J",
    source="integral of the springs' force over their length",
)
def tendon_energy(model: Model, q: Configuration) -> Scalar:
    """``k0 x^2 / 2 + k1 x^3 / 3 + ...`` with the extension x of each beyond its relaxed length."""
    oMi = placements(model, joint_kinematics(model, q))
    total: Scalar = 0.0
    for tendon in model.tendons:
        x = _stretch(tendon, tendon_length(model, tendon, q, list(spans(tendon, oMi))))
        power = x
        for k, stiffness in enumerate(tendon.stiffness):
            power = power * x
            total = total + stiffness / (k + 2.0) * power
    return total


def _stretch(tendon: Tendon, length: Scalar) -> Scalar:
    """How far it is beyond the lengths at which its spring is relaxed; negative if too short."""
    low, high = tendon.relaxed
    return select(length > high, length - high, select(length < low, length - low, 0.0))


def _spring(tendon: Tendon, length: Scalar) -> Scalar:
    if not any(tendon.stiffness):
        return 0.0
    x = _stretch(tendon, length)
    return x * _polynomial(tendon.stiffness, x)


def _loss(tendon: Tendon, rate: Scalar, smoothing: float) -> Scalar:
    loss: Scalar = 0.0
    if any(tendon.damping):
        loss = loss + rate * _polynomial(tendon.damping, rate * sign(rate))
    if tendon.friction:
        direction = tanh(rate * (1.0 / smoothing)) if smoothing > 0.0 else sign(rate)
        loss = loss + tendon.friction * direction
    return loss


def _polynomial(coefficients: Sequence[float], x: Scalar) -> Scalar:
    value: Scalar = 0.0
    for coefficient in reversed(coefficients):
        value = value * x + coefficient
    return value


def _rate(
    model: Model,
    tendon: Tendon,
    v: Sequence[Scalar],
    way: Sequence[Span],
    oMi: Sequence[SE3],
    moving: Sequence[Motion],
) -> Scalar:
    """How fast the length grows."""
    rate: Scalar = 0.0
    for name, coefficient in tendon.terms:
        i = model.joint_index(name)
        rate = rate + coefficient * model.joints[i].ratio * model.v_of(i, v)[0]
    for span in way:
        apart = _velocity(span.end, oMi, moving) - _velocity(span.start, oMi, moving)
        rate = rate + span.share * apart.dot(span.direction)
    return rate


def _velocity(point: Point, oMi: Sequence[SE3], moving: Sequence[Motion]) -> Vector3:
    """Of a point of a body, in the world's axes."""
    joint, position = point
    body = moving[joint]
    return oMi[joint].rotation.apply(body.linear + body.angular.cross(Vector3(*position)))


def _at(point: Point, oMi: Sequence[SE3], force: Vector3) -> Force:
    """A force in the world's axes at a point of a body, in the frame of its joint."""
    joint, position = point
    own = oMi[joint].rotation.apply_transpose(force)
    return Force(own, Vector3(*position).cross(own))
