# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Friction by sweeps: each joint alone, to and fro at constant speeds.

Over the same way there and back gravity and errors of the model are the same, and friction turns
round: half of the difference of the mean efforts is the friction at that speed. Through these
points goes ``F + B v + S exp(-(v / v_s)^2)``, Coulomb's, viscous and Stribeck's part, none of them
negative (Olsson et al. 1998, "Friction models and friction compensation", section 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyn_core.configuration import neutral
from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.geometry.checker import CollisionChecker
from dyn_core.identification.identify import Source, read_samples
from dyn_core.identification.parameters import Parameters
from dyn_core.model.model import FloatArray, Model

SHARE = 0.8
"""Of its range, or of a turn, that a joint sweeps at most."""
SLOWEST, FASTEST = 0.02, 0.6
"""Shares of the velocity limit between which speeds are, in a geometric series."""
LONGEST = 4.0
"""s of a sweep at constant speed."""
STARTING = 0.5
"""s from rest to the velocity limit."""
STILL = 0.01
"""Share of its velocity limit below which a joint stands still."""
STEADY = 0.1
"""Share of its speed that a joint may gain within 0.1 s and still count as steady."""
SHORTEST = 0.2
"""s of a stretch that counts."""
ALIKE = 0.1
"""Share by which the speeds there and back may differ."""
APART = 2.0
"""Ratio of the fastest speed to the slowest without which points tell no curve."""
STRIBECK = np.geomspace(0.01, 0.5, 25)
"""Shares of the fastest speed that are tried as Stribeck's."""


@dataclass(frozen=True)
class JointFriction:
    """Friction of a joint by its speed, and the curve through it; N m or N, rad/s or m/s."""

    joint: str
    speeds: FloatArray
    efforts: FloatArray
    friction: float
    damping: float
    stiction: float
    """Excess over Coulomb's friction at rest."""
    stribeck_velocity: float
    error: float
    """Root mean square of the curve's residual."""

    def plain(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }


def planned_sweeps(
    model: Model,
    speeds: int = 6,
    rate: float = 100.0,
    checker: CollisionChecker | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Times (n,) in s and positions (n, nv) of a motion that sweeps joint after joint.

    Each goes to and fro about the middle of its range, at speeds from 2 to 60 % of its limit, and
    returns to where it was; all others stand still.

    Args:
        model: of joints with one degree of freedom each.
        speeds: how many.
        rate: rows per second.
        checker: of collisions, none if it is None.

    Raises:
        ModelError: a joint has no velocity limit, or something collides.
    """
    if speeds < 2:
        raise ModelError(f"{speeds} speeds tell no viscous friction from Coulomb's: take 2 or more")
    Parameters(model)
    start = neutral(model)
    lower, upper = model.lower_position_limit, model.upper_position_limit
    with np.errstate(invalid="ignore"):
        middle = np.where(np.isfinite(upper - lower), 0.5 * (lower + upper), start)
    room = 2.0 * np.minimum(np.pi, np.minimum(middle - lower, upper - middle))
    rows = [middle[None]]
    for k, name in enumerate(model.dof_names):
        fastest = float(model.velocity_limit[k])
        if not 0.0 < fastest < np.inf:
            raise ModelError(f"joint '{name}' has no velocity limit: give it one in its <limit>")
        for speed in fastest * np.geomspace(SLOWEST, FASTEST, speeds):
            way = min(SHARE * room[k], speed * LONGEST)
            for share in _to_and_fro(way, speed, fastest / STARTING, rate):
                part = np.tile(middle, (len(share), 1))
                part[:, k] += share
                rows.append(part)
    q = np.concatenate(rows)
    if checker is not None:
        for one in q[:: max(1, int(rate / 10.0))]:
            checker.update(one)
            if checker.collides():
                raise ModelError("the sweeps collide: move what is in their way, or lock a joint")
    return np.arange(len(q)) / rate, q


def _to_and_fro(way: float, speed: float, push: float, rate: float) -> Iterator[FloatArray]:
    """Displacements from 0 to half of the way, across all of it and back, and to 0."""
    half = 0.5 * way
    for begin, end in ((0.0, -half), (-half, half), (half, -half), (-half, 0.0)):
        yield begin + (end - begin) * _trapezoid(abs(end - begin), speed, push, rate)


def _trapezoid(way: float, speed: float, push: float, rate: float) -> FloatArray:
    """Shares of a way that begins and ends at rest, without the first row."""
    speed = min(speed, np.sqrt(way * push))
    starting = speed / push
    total = way / speed + starting
    t = np.minimum(np.arange(1, int(np.ceil(total * rate)) + 1) / rate, total)
    begin, end = 0.5 * push * t**2, way - 0.5 * push * (total - t) ** 2
    even = np.where(t < total - starting, speed * (t - 0.5 * starting), end)
    gone = np.where(t < starting, begin, even)
    return np.asarray(gone / way, dtype=np.float64)


def friction_of_sweeps(model: Model, recording: Source, cutoff: float = 5.0) -> list[JointFriction]:
    """The friction of each joint that a recording sweeps to and fro at two speeds or more.

    Args:
        model: whose inertias are subtracted; what they miss turns up there and back alike.
        recording: of :func:`planned_sweeps`, or of any sweeps of one joint at a time.
        cutoff: Hz, of the filter.

    Raises:
        ModelError: the recording cannot be used, or sweeps no joint.
    """
    parameters = Parameters(model, ())
    runs: list[list[tuple[float, float]]] = [[] for _ in range(model.nv)]
    for one in read_samples(model, recording, cutoff)[0]:
        left = one.tau - parameters.regressor(one.q, one.v, one.a) @ parameters.values
        rate = one.decimation.rate if one.decimation else 1.0
        moving = np.abs(one.v) > STILL * model.velocity_limit
        alone = moving & (moving.sum(axis=1) == 1)[:, None]
        alone &= np.abs(one.a) * 0.1 < STEADY * np.abs(one.v)
        for k in range(model.nv):
            turns = np.flatnonzero(np.diff(alone[:, k] * np.sign(one.v[:, k]))) + 1
            for part in np.split(np.arange(len(left)), turns):
                if alone[part[0], k] and len(part) >= SHORTEST * rate:
                    runs[k].append((float(one.v[part, k].mean()), float(left[part, k].mean())))
    found = [
        _curve(name, np.array(points))
        for name, points in zip(model.dof_names, map(_paired, runs), strict=True)
        if points and max(points)[0] > APART * min(points)[0]
    ]
    if not found:
        raise ModelError(
            "no joint moves to and fro alone at constant speeds of which one is twice another: "
            "plan such a motion with `dyn-core identify sweeps`, play and record it"
        )
    return found


def _paired(runs: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Speed and friction of each run with the next one back at that speed."""
    points, open_runs = [], list(runs)
    while open_runs:
        speed, effort = open_runs.pop(0)
        for other in open_runs:
            if abs(other[0] + speed) < ALIKE * abs(speed):
                open_runs.remove(other)
                mean = 0.5 * (abs(speed) + abs(other[0]))
                points.append((mean, 0.5 * float(np.sign(speed)) * (effort - other[1])))
                break
    return points


def _curve(joint: str, points: FloatArray) -> JointFriction:
    """The curve of least squares whose parts are not negative."""
    nnls = optional("scipy.optimize", "friction of sweeps", extra="identification").nnls
    v, effort = points[np.argsort(points[:, 0])].T
    tried = []
    for slow in v.max() * STRIBECK:
        stribeck = np.exp(-((v / slow) ** 2))
        columns = np.stack([np.ones_like(v), v, stribeck], axis=1)
        if len(v) < 4:  # points for three numbers and one more
            columns[:, 2] = 0.0
        values, left = nnls(columns, effort)
        tried.append((left, slow, values))
    left, slow, (friction, damping, stiction) = min(tried, key=lambda one: one[0])
    error = float(left / np.sqrt(len(v)))
    return JointFriction(
        joint, v, effort, float(friction), float(damping), float(stiction), float(slow), error
    )
