# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint motions of the legs of a biped for given motions of base and feet.

Both functions are quantities, compiled for the robot like those of :mod:`dyn_core.dynamics`. A
leg is the set of joints that move one foot and not the other; all other joints keep their state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from dyn_core.dynamics.declare.arrays import Array, Configuration, Output
from dyn_core.dynamics.declare.options import Frames
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.dynamics.frame_motion import frame_acceleration, frame_placements, frame_velocity
from dyn_core.dynamics.ldl_factorization import factorize, solve
from dyn_core.errors import ModelError
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3, log6
from dyn_core.spatial.scalars import Scalar, dot

FEET = 2
DAMPING = 1e-10
"""Added to the squared singular values of a leg's Jacobian: a stretched leg takes small steps."""


def _placement(pose: Sequence[Scalar]) -> SE3:
    x, y, z, *orientation = pose
    return SE3(Matrix3.quaternion(*orientation), Vector3(x, y, z))


Poses = Annotated[
    Sequence[SE3],
    Array("poses of both feet in the world: position, quaternion (x, y, z, w)", "m, 1", (FEET, 7),
          each=_placement),
]  # fmt: skip
BaseVelocity = Annotated[Motion, Array("base's, in its axes", "m/s, rad/s", (6,), each=Motion.of)]
BaseAcceleration = Annotated[
    Motion, Array("rate of the base's velocity", "m/s^2, rad/s^2", (6,), each=Motion.of)
]
FeetVelocities = Annotated[
    Sequence[Motion],
    Array("velocities of both feet, each in its axes", "m/s, rad/s", (FEET, 6), each=Motion.of),
]
FeetAccelerations = Annotated[
    Sequence[Motion], Array("their rates", "m/s^2, rad/s^2", (FEET, 6), each=Motion.of)
]


@dataclass(frozen=True)
class Leg:
    """A foot, and the coordinates (of nv) of the joints between the base and it."""

    foot: Frame
    coordinates: tuple[int, ...]


def legs(model: Model, feet: Sequence[Frame]) -> tuple[Leg, ...]:
    """The legs of a biped.

    Raises:
        ModelError: the base is no free flyer, there are not two feet, or a leg does not have six
            degrees of freedom.
    """
    if model.njoints < 2 or model.idx_v[1] != 0 or model.joints[1].nv != 6:
        raise ModelError(f"'{model.name}' cannot walk: read it with root_joint='free_flyer'")
    if len(feet) != FEET:
        raise ModelError(f"'{model.name}': name the frames of {FEET} feet, not of {len(feet)}")
    chains = [set(model.inwards(foot.joint)) for foot in feet]
    result = []
    for foot, own, other in zip(feet, chains, chains[::-1], strict=True):
        joints = sorted(own - other)
        coordinates = [k for i in joints for k in model.v_of(i, range(model.nv))]
        if len(coordinates) != 6:
            names = ", ".join(model.names[i] for i in joints) or "none"
            raise ModelError(
                f"'{model.name}': a leg has six degrees of freedom; the joints that move "
                f"'{foot.name}' and not the other foot have {len(coordinates)} (joints: {names})"
            )
        result.append(Leg(foot, tuple(coordinates)))
    return tuple(result)


@quantity(
    Output("q_nearer", "configuration nearer to the poses of the feet", "rad, m, 1", ("nq",)),
    Output("open", "how far the feet were from them before", "m, rad", (FEET, 6), "of the feet"),
    source="Nakamura and Hanafusa 1986, equation 24",
)
def leg_step(
    model: Model, q: Configuration, poses: Poses, *, feet: Frames
) -> tuple[list[Scalar], list[Motion]]:
    """One damped Gauss-Newton step towards the legs' configuration."""
    step: list[Scalar] = [0.0] * model.nv
    errors = []
    for leg, there, here in zip(
        legs(model, feet), poses, frame_placements.define(model, q, frames=feet), strict=True
    ):
        error = log6(here.inverse() * there)
        for k, x in zip(leg.coordinates, _solved(model, q, leg, error), strict=True):
            step[k] = x
        errors.append(error)
    return list(model.space.integrate(q, step)), errors


@quantity(
    Output("v_legs", "velocity of the robot", "rad/s, m/s", ("nv",)),
    Output("a_legs", "acceleration of the robot", "rad/s^2, m/s^2", ("nv",)),
    source="Featherstone 2008, section 4.6",
)
def leg_motion(
    model: Model,
    q: Configuration,
    base_velocity: BaseVelocity,
    base_acceleration: BaseAcceleration,
    velocities: FeetVelocities,
    accelerations: FeetAccelerations,
    *,
    feet: Frames,
) -> tuple[list[Scalar], list[Scalar]]:
    """Joint velocity and acceleration for given motions of base and feet; other joints rest."""
    v: list[Scalar] = [*base_velocity, *[0.0] * (model.nv - 6)]
    a: list[Scalar] = [*base_acceleration, *[0.0] * (model.nv - 6)]
    both = legs(model, feet)
    for leg, wanted in zip(both, velocities, strict=True):
        carried = frame_velocity.define(model, q, v, frame=leg.foot)
        for k, x in zip(leg.coordinates, _solved(model, q, leg, wanted - carried), strict=True):
            v[k] = x
    for leg, wanted in zip(both, accelerations, strict=True):
        carried = frame_acceleration.define(model, q, v, a, frame=leg.foot)
        for k, x in zip(leg.coordinates, _solved(model, q, leg, wanted - carried), strict=True):
            a[k] = x
    return v, a


def _solved(model: Model, q: Sequence[Scalar], leg: Leg, wanted: Motion) -> list[Scalar]:
    """The rates of the leg's coordinates for a motion of its foot: (J'J + damping)^-1 J'."""
    J = frame_jacobian.define(model, q, frame=leg.foot)
    columns = [[row[k] for row in J] for k in leg.coordinates]
    square = [[dot(one, other) for other in columns] for one in columns]
    for k in range(len(columns)):
        square[k][k] = square[k][k] + DAMPING
    return solve(factorize(square), [dot(column, list(wanted)) for column in columns])
