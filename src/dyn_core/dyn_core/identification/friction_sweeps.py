# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Friction from sweeps: each joint moves alone, back and forth at constant speeds.

Gravity and model errors are the same in both directions of a sweep, and friction changes its sign:
half of the difference of the mean efforts is the friction at that speed. The curve through these
points is ``F + B v + S exp(-(v / v_s)^2)``, with Coulomb, viscous and Stribeck friction, none of
them negative (Olsson et al. 1998, "Friction models and friction compensation", section 2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.configuration import configurations, position_limits
from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.geometry.collision_checker import CollisionChecker
from dyn_core.identification.identify import Source, read_samples
from dyn_core.identification.parameters import Parameters
from dyn_core.identification.recording_checks import refuse_mistakes, refuse_unknown
from dyn_core.identification.saturation import refuse_constant
from dyn_core.identification.states import States
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another

MAX_ROWS = 1_000_000
"""Most rows of a planned motion."""
MIN_RATE_HZ = 10.0
"""Least rate, Hz: the shortest sweep has a few rows."""
RANGE_SHARE = 0.8
"""Share of its range, or of a turn, that a joint sweeps at most."""
MIN_SPEED_SHARE, MAX_SPEED_SHARE = 0.02, 0.6
"""Slowest and fastest speed as shares of the velocity limit; the speeds are a geometric series."""
MAX_SWEEP_S = 4.0
"""Longest sweep at constant speed, s."""
ACCELERATION_TIME_S = 0.5
"""Time to accelerate from rest to the velocity limit, s."""
STANDSTILL_SHARE = 0.01
"""Share of its velocity limit below which a joint stands still."""
MAX_SPEED_CHANGE = 0.1
"""Most change of speed within 0.1 s, as a share of the speed, at which it counts as constant."""
SPEED_WINDOW_S = 0.2
"""Time over which a speed is measured, s; those a quarter of it before and after are compared."""
MIN_STRETCH_S = 0.2
"""Shortest stretch at constant speed that is used, s."""
MAX_SPEED_DIFFERENCE = 0.1
"""Largest relative difference of the speeds in both directions of a pair."""
MIN_SPEED_RATIO = 2.0
"""Least ratio of the fastest speed to the slowest; a curve cannot be fitted below."""
MIN_STRIBECK_SPEEDS = 5
"""Least number of speeds from which Stribeck friction is fitted: one more than its coefficients."""
MAX_STRIBECK_RESIDUAL = 0.5
"""Largest residual of the fit with Stribeck friction, over that without, at which it is real."""
STRIBECK_SHARES = np.geomspace(0.01, 0.5, 25)
"""Candidates of the Stribeck velocity, as shares of the fastest speed."""


@dataclass(frozen=True)
class JointFriction:
    """Friction of a joint at several speeds, and the fitted curve; N m or N, rad/s or m/s."""

    joint: str
    speeds: FloatArray
    efforts: FloatArray
    friction: float
    damping: float
    stiction: float
    """Stribeck friction: excess over Coulomb friction at rest."""
    stribeck_velocity: float
    error: float
    """Root mean square residual of the fit."""

    def plain(self) -> dict[str, Any]:
        """All fields as plain values, for JSON."""
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
    """Times (n,) in s and positions (n, nv) of a motion that sweeps one joint after the other.

    Each joint moves back and forth about the middle of its range, at speeds from 2 to 60 % of its
    velocity limit, and returns to its start. All other joints stand still.

    Args:
        model: a robot of joints with one degree of freedom each.
        speeds: number of speeds.
        rate: rows per second.
        checker: of collisions; None for no check.

    Raises:
        ModelError: a joint has no velocity limit, or a configuration collides.
        ValueError: the checker is of another robot.
    """
    refuse_another(model, checker)
    if speeds < 2:
        raise ModelError(
            f"{speeds} speeds cannot separate viscous from dry friction: take 2 or more"
        )
    if not rate >= MIN_RATE_HZ:
        raise ModelError(f"{rate:g} rows a second are too few: take {MIN_RATE_HZ:g} or more")
    Parameters(model)
    lower, upper = position_limits(model)
    with np.errstate(invalid="ignore"):
        middle = np.where(
            np.isfinite(upper - lower), 0.5 * (lower + upper), np.clip(0.0, lower, upper)
        )
    room = 2.0 * np.minimum(np.pi, np.minimum(middle - lower, upper - middle))
    rows, count = [middle[None]], 1
    for k, name in enumerate(model.dof_names):
        fastest = float(model.velocity_limit[k])
        if not 0.0 < fastest < np.inf:
            raise ModelError(f"joint '{name}' has no velocity limit: give it one in its <limit>")
        for speed in fastest * np.geomspace(MIN_SPEED_SHARE, MAX_SPEED_SHARE, speeds):
            way = min(RANGE_SHARE * room[k], speed * MAX_SWEEP_S)
            count += int(
                (2.0 * MAX_SWEEP_S + 4.0 * MAX_SPEED_SHARE * ACCELERATION_TIME_S) * rate
            )  # at most
            if count > MAX_ROWS:
                raise ModelError(
                    f"{speeds} speeds of {model.nv} joints at {rate:g} rows a second may be more "
                    f"than {MAX_ROWS} rows: choose fewer speeds or a smaller rate"
                )
            for share in _to_and_fro(way, speed, fastest / ACCELERATION_TIME_S, rate):
                part = np.tile(middle, (len(share), 1))
                part[:, k] += share
                rows.append(part)
    q = np.concatenate(rows)
    if checker is not None:
        for one in configurations(model, q[:: max(1, int(rate / 10.0))]):
            checker.update(one)
            if checker.collides():
                raise ModelError("the sweeps collide: remove the obstacle, or lock a joint")
    return np.arange(len(q)) / rate, q


def _to_and_fro(way: float, speed: float, push: float, rate: float) -> Iterator[FloatArray]:
    """Displacements from 0 to the end of the range, to the other end, and back to 0."""
    half = 0.5 * way
    for begin, end in ((0.0, -half), (-half, half), (half, -half), (-half, 0.0)):
        yield begin + (end - begin) * _trapezoid(abs(end - begin), speed, push, rate)


def _trapezoid(way: float, speed: float, push: float, rate: float) -> FloatArray:
    """Share of the distance at each row of a motion from rest to rest, without the first row."""
    speed = min(speed, np.sqrt(way * push))
    starting = speed / push
    total = way / speed + starting
    t = np.minimum(np.arange(1, int(np.ceil(total * rate)) + 1) / rate, total)
    begin, end = 0.5 * push * t**2, way - 0.5 * push * (total - t) ** 2
    even = np.where(t < total - starting, speed * (t - 0.5 * starting), end)
    gone = np.where(t < starting, begin, even)
    return np.asarray(gone / way, dtype=np.float64)


def friction_of_sweeps(
    model: Model, recording: Source, cutoff: float = 5.0, accept: Collection[str] = ()
) -> list[JointFriction]:
    """The friction of each joint that a recording sweeps to and fro at two speeds or more.

    Args:
        model: the robot; errors of its inertias cancel between the two directions.
        recording: of :func:`planned_sweeps`, or of other sweeps of one joint at a time.
        cutoff: of the filter, Hz.
        accept: kinds of mistakes that the recording does not have, as in :func:`identify`.

    Raises:
        ModelError: the recording cannot be used, contains no sweep, has constant efforts of a
            joint, or efforts by which friction would drive it, or seems to have a mistake.
    """
    parameters = Parameters(model, ())
    runs: list[list[tuple[float, float]]] = [[] for _ in range(model.nv)]
    refuse_unknown(accept)
    read = read_samples(model, recording, cutoff)[0]
    for one in read:
        refuse_constant(model, one.tau)
    refuse_mistakes(model, States.of(read, model.nv), accept=[*accept, "gravity"])  # it cancels
    for one in read:
        left = one.tau - parameters.regressor(one.q, one.v, one.a) @ parameters.values
        rate = one.decimation.rate if one.decimation else 1.0
        moving = np.abs(one.v) > STANDSTILL_SHARE * model.velocity_limit
        alone = moving & (moving.sum(axis=1) == 1)[:, None]
        alone &= _steady(one.q, rate)
        for k in range(model.nv):
            turns = np.flatnonzero(np.diff(alone[:, k] * np.sign(one.v[:, k]))) + 1
            for part in np.split(np.arange(len(left)), turns):
                if alone[part[0], k] and len(part) >= MIN_STRETCH_S * rate:
                    runs[k].append((float(one.v[part, k].mean()), float(left[part, k].mean())))
    found = [
        _curve(name, np.array(points))
        for name, points in zip(model.dof_names, map(_paired, runs), strict=True)
        if points and max(points)[0] > MIN_SPEED_RATIO * min(points)[0]
    ]
    if not found:
        raise ModelError(
            "no joint moves to and fro alone at constant speeds of which one is twice another: "
            "plan such a motion with `dyn-core identify sweeps`, play and record it"
        )
    return found


def _steady(q: FloatArray, rate: float) -> NDArray[np.bool_]:
    """(n, nv) rows at constant speed: encoders show it over some time only."""
    half = max(1, round(0.5 * SPEED_WINDOW_S * rate))
    rows = np.arange(len(q))
    before, after = np.maximum(rows - half, 0), np.minimum(rows + half, len(q) - 1)
    speed = (q[after] - q[before]) / np.maximum(after - before, 1)[:, None]
    ahead, behind = np.minimum(rows + half // 2, len(q) - 1), np.maximum(rows - half // 2, 0)
    change = np.abs(speed[ahead] - speed[behind])
    steady: NDArray[np.bool_] = change < MAX_SPEED_CHANGE * np.abs(speed)
    return steady


def _paired(runs: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Speed and friction of each run, paired with the next run in the opposite direction."""
    points, open_runs = [], list(runs)
    while open_runs:
        speed, effort = open_runs.pop(0)
        for other in open_runs:
            if abs(other[0] + speed) < MAX_SPEED_DIFFERENCE * abs(speed):
                open_runs.remove(other)
                mean = 0.5 * (abs(speed) + abs(other[0]))
                points.append((mean, 0.5 * float(np.sign(speed)) * (effort - other[1])))
                break
    return points


def _curve(joint: str, points: FloatArray) -> JointFriction:
    """The least-squares curve with non-negative coefficients."""
    nnls = optional("scipy.optimize", "friction of sweeps", extra="identification").nnls
    v, effort = points[np.argsort(points[:, 0])].T
    if (effort < 0.0).all():
        raise ModelError(
            f"friction would drive joint '{joint}': its efforts are reversed ('dyn-core identify "
            "log ... --gains -1'), or those of another joint"
        )
    distinct = 1 + np.count_nonzero(np.diff(v) > MAX_SPEED_DIFFERENCE * v[:-1])
    columns = np.stack([np.ones_like(v), v, np.zeros_like(v)], axis=1)
    values, left = nnls(columns, effort)
    plain = best = left, float(v[0]), values
    slows = v[-1] * STRIBECK_SHARES if distinct >= MIN_STRIBECK_SPEEDS else np.zeros(0)
    for slow in slows[slows >= v[0]]:  # another is seen at no speed
        columns[:, 2] = np.exp(-((v / slow) ** 2))
        values, after = nnls(columns, effort)
        best = min(best, (after, float(slow), values), key=lambda one: one[0])
    found = best if best[0] <= MAX_STRIBECK_RESIDUAL * left else plain
    left, slow, (friction, damping, stiction) = found
    error = float(left / np.sqrt(len(v)))
    return JointFriction(
        joint, v, effort, float(friction), float(damping), float(stiction), float(slow), error
    )
