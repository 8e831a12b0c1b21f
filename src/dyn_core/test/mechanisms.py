# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Mechanisms with closed loops that are small enough to be computed by hand."""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin, sqrt

import numpy as np

from dyn_core import Model, ModelBuilder
from dyn_core.joints import FreeFlyer, Revolute, Universal
from dyn_core.model import FrameType
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3

CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.5, 0.4, 0.5
"""Lengths of the four-bar linkage, m; the crank can turn round."""
MASSES = {"crank": 0.4, "coupler": 1.0, "rocker": 0.8}
G = 9.81
KP, KD = 400.0, 40.0


def rod(mass: float, length: float) -> Inertia:
    """A slender rod along x, from its frame."""
    across = mass * length**2 / 12.0
    center = Vector3(0.5 * length, 0.0, 0.0)
    return Inertia.from_com(mass, center, Symmetric3(0.0, 0.0, across, 0.0, 0.0, across))


def at(x: float, y: float, z: float) -> SE3:
    """A place without rotation."""
    return SE3(Matrix3.identity(), Vector3(x, y, z))


def four_bar(kp: float = KP, kd: float = KD) -> Model:
    """In the plane of x and z; angles turn from x towards z. Three rows close it, one in vain."""
    builder = ModelBuilder("four-bar")
    turn = Revolute((0.0, -1.0, 0.0))
    crank = builder.add_joint(0, turn, SE3.identity(), "crank")
    builder.add_body(crank, rod(MASSES["crank"], CRANK), SE3.identity())
    coupler = builder.add_joint(crank, turn, at(CRANK, 0.0, 0.0), "coupler")
    builder.add_body(coupler, rod(MASSES["coupler"], COUPLER), SE3.identity())
    rocker = builder.add_joint(0, turn, at(GROUND, 0.0, 0.0), "rocker")
    builder.add_body(rocker, rod(MASSES["rocker"], ROCKER), SE3.identity())
    ends = ("coupler_end", coupler, COUPLER), ("rocker_end", rocker, ROCKER)
    for name, joint, length in ends:
        builder.add_frame(name, FrameType.OPERATIONAL, joint, at(length, 0.0, 0.0))
    return builder.build().with_loop("coupler_end", "rocker_end", 3, kp, kd)


def four_bar_angles(crank: float) -> tuple[float, float]:
    """Angles of coupler and rocker to x, by the triangle that they make with their far ends."""
    x, z = GROUND - CRANK * cos(crank), -CRANK * sin(crank)
    distance, direction = hypot(x, z), atan2(z, x)
    cosine = (COUPLER**2 + distance**2 - ROCKER**2) / (2.0 * COUPLER * distance)
    coupler = direction + atan2(sqrt(1.0 - cosine**2), cosine)
    end = CRANK * cos(crank) + COUPLER * cos(coupler), CRANK * sin(crank) + COUPLER * sin(coupler)
    return coupler, atan2(end[1], end[0] - GROUND)


def four_bar_state(crank: float, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """The model's configuration and velocity at an angle of the crank and its rate."""
    coupler, rocker = four_bar_angles(crank)
    by_coupler, by_rocker = _ratios(crank, coupler, rocker)
    q = np.array([crank, coupler - crank, rocker])
    return q, rate * np.array([1.0, by_coupler - 1.0, by_rocker])


def _ratios(crank: float, coupler: float, rocker: float) -> tuple[float, float]:
    """Rates of coupler and rocker per rate of the crank: the far ends move alike."""
    ends = np.array(
        [
            [-COUPLER * sin(coupler), ROCKER * sin(rocker)],
            [COUPLER * cos(coupler), -ROCKER * cos(rocker)],
        ]
    )
    found = np.linalg.solve(ends, [CRANK * sin(crank), -CRANK * cos(crank)])
    return float(found[0]), float(found[1])


def four_bar_acceleration(crank: float, rate: float, torque: float = 0.0) -> float:
    """The crank's acceleration, of one coordinate: the power of all forces along it (Jourdain)."""

    def power(acceleration: float) -> float:
        return _power(crank, rate, acceleration)

    bias = power(0.0)
    return (torque - bias) / (power(1.0) - bias)


def _power(crank: float, rate: float, acceleration: float) -> float:
    """Of inertial forces and weights, per rate of the crank; bars turn about their near ends."""
    coupler, rocker = four_bar_angles(crank)
    ratios = (1.0, *_ratios(crank, coupler, rocker))
    angles = (crank, coupler, rocker)
    rates = [ratio * rate for ratio in ratios]
    turned = _turned(angles, rates, acceleration)
    knee = _point((0.0, 0.0), (0.0, 0.0), CRANK, crank, rate, acceleration)
    total = 0.0
    bars = zip(("crank", "coupler", "rocker"), (CRANK, COUPLER, ROCKER), strict=True)
    for k, (name, length) in enumerate(bars):
        near = knee if name == "coupler" else (((0.0, 0.0)), (0.0, 0.0))
        _, (ax, az) = _point(*near, 0.5 * length, angles[k], rates[k], turned[k])
        along_x = -0.5 * length * sin(angles[k]) * ratios[k]
        along_z = 0.5 * length * cos(angles[k]) * ratios[k]
        if name == "coupler":
            along_x -= CRANK * sin(crank)
            along_z += CRANK * cos(crank)
        mass = MASSES[name]
        total += mass * (ax * along_x + (az + G) * along_z)
        total += mass * length**2 / 12.0 * turned[k] * ratios[k]
    return total


def _point(near, acceleration, length, angle, rate, turned):
    """Place and acceleration of a point of a bar, of those of the bar's near end."""
    x, z = length * cos(angle), length * sin(angle)
    ax = acceleration[0] - turned * z - rate**2 * x
    az = acceleration[1] + turned * x - rate**2 * z
    return (near[0] + x, near[1] + z), (ax, az)


def _turned(angles, rates, acceleration) -> tuple[float, float, float]:
    """Angular accelerations of all bars, of the crank's: the far ends accelerate alike."""
    (crank, coupler, rocker), (w1, w2, w3) = angles, rates
    ends = np.array(
        [
            [-COUPLER * sin(coupler), ROCKER * sin(rocker)],
            [COUPLER * cos(coupler), -ROCKER * cos(rocker)],
        ]
    )
    rest = [
        CRANK * (acceleration * sin(crank) + w1**2 * cos(crank))
        + COUPLER * w2**2 * cos(coupler)
        - ROCKER * w3**2 * cos(rocker),
        -CRANK * (acceleration * cos(crank) - w1**2 * sin(crank))
        + COUPLER * w2**2 * sin(coupler)
        - ROCKER * w3**2 * sin(rocker),
    ]
    found = np.linalg.solve(ends, rest)
    return acceleration, float(found[0]), float(found[1])


BASE, PLATFORM, UPPER, LOWER, HALF = 0.2, 0.05, 0.25, 0.5, 0.04
"""Radii of the delta robot, lengths of its arms, half the distance of the rods of a pair; m."""


def delta(kp: float = KP, kd: float = KD) -> Model:
    """Three motors turn arms, each drives the platform by two parallel rods; six loops of points.

    The platform floats, the rods end in the air: 21 degrees of freedom less 18 rows leave three.
    """
    builder = ModelBuilder("delta")
    rods = []
    for k in range(3):
        turn = _about_z(2.0 * pi * k / 3.0)
        arm = builder.add_joint(0, Revolute((0.0, 1.0, 0.0)), turn * at(BASE, 0.0, 0.0), f"arm{k}")
        builder.add_body(arm, rod(0.3, UPPER), SE3.identity())
        for side in (-1, 1):
            name, place = f"rod{k}{side:+}", at(UPPER, side * HALF, 0.0)
            ball = builder.add_joint(arm, Universal((0, 1, 0), (0, 0, 1)), place, name)
            builder.add_body(ball, rod(0.1, LOWER), SE3.identity())
            builder.add_frame(f"{name}_end", FrameType.OPERATIONAL, ball, at(LOWER, 0.0, 0.0))
            rods.append((name, turn * at(PLATFORM, side * HALF, 0.0)))
    platform = builder.add_joint(0, FreeFlyer(), SE3.identity(), "platform")
    disc = Symmetric3(2e-3, 0.0, 2e-3, 0.0, 0.0, 3e-3)
    builder.add_body(platform, Inertia.from_com(0.5, Vector3.zero(), disc), SE3.identity())
    for name, place in rods:
        builder.add_frame(f"{name}_mount", FrameType.OPERATIONAL, platform, place)
    model = builder.build()
    for name, _ in rods:
        model = model.with_loop(f"{name}_end", f"{name}_mount", 3, kp, kd)
    return model


def delta_arms(point: np.ndarray) -> list[float]:
    """Angles of the arms that hold the platform, not turned, at a point: two circles meet."""
    angles = []
    for k in range(3):
        phi = 2.0 * pi * k / 3.0
        x = point[0] * cos(phi) + point[1] * sin(phi) + PLATFORM - BASE
        y = -point[0] * sin(phi) + point[1] * cos(phi)
        z = point[2]
        size = hypot(x, z)
        cosine = (UPPER**2 + size**2 + y**2 - LOWER**2) / (2.0 * UPPER * size)
        angles.append(atan2(-z, x) - atan2(sqrt(1.0 - cosine**2), cosine))
    return angles


def _about_z(angle: float) -> SE3:
    c, s = cos(angle), sin(angle)
    rows = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    return SE3(Matrix3.of(rows), Vector3.zero())
