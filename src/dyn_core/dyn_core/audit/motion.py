"""Trajectories along which joints are sized."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

from dyn_core.algorithms.integrate import integrate
from dyn_core.audit.sampling import sampled
from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.joints import Prismatic
from dyn_core.model.model import FloatArray, Model

STROKE = 0.5
"""How far each joint goes, rad; of a sliding one at most a quarter of its range, m."""
DURATION = 1.0
"""s; longer where a joint would be too fast."""
STEPS = 200
PEAK_RATE = 1.875
"""Of a quintic from rest to rest: largest speed by mean speed."""


@dataclass(frozen=True)
class Motion:
    """A trajectory, a state in each row."""

    words: str
    """What it is."""
    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray


def quintic(t: FloatArray, duration: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The share of the way, its rate and acceleration, of a motion from rest to rest."""
    s = t / duration
    way = s**3 * (10.0 + s * (6.0 * s - 15.0))
    rate = 30.0 * s**2 * (1.0 - s) ** 2 / duration
    acceleration = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / duration**2
    return way, rate, acceleration


def from_rest_to_rest(
    model: Model, q: FloatArray, displacement: FloatArray, duration: float, steps: int = STEPS
) -> Motion:
    """A quintic from ``q`` (nq) along ``displacement`` (nv)."""
    t: FloatArray = np.linspace(0.0, duration, steps + 1).astype(np.float64)
    way, rate, acceleration = (x[:, None] * displacement for x in quintic(t, duration))
    start = np.repeat(np.asarray(q, dtype=np.float64)[None], len(t), axis=0)
    positions = sampled(model, [integrate])(start, way)
    words = f"a quintic of {duration:.3g} s, {np.abs(displacement).max(initial=0.0):.3g} rad or m"
    return Motion(words, t, positions, rate, acceleration)


def default_motion(model: Model, q: FloatArray) -> Motion:
    """A quintic of all joints from ``q``, within limits of position and velocity."""
    displacement = np.full(model.nv, STROKE)
    for i in model.own_coordinates:
        joint, limits = model.joints[i], model.tree[i].limits
        if joint.nq != 1:
            continue
        at, k = float(q[model.idx_q[i]]), model.idx_v[i]
        (low,), (high,) = limits.lower, limits.upper
        reach = STROKE
        if isinstance(joint, Prismatic) and np.isfinite(high - low):
            reach = min(STROKE, (high - low) / 4.0)
        up, down = max(high - at, 0.0), max(at - low, 0.0)
        displacement[k] = min(reach, up) if up >= min(reach, down) else -min(reach, down)
    fast = PEAK_RATE * np.abs(displacement) / np.maximum(model.velocity_limit, 1e-3)
    return from_rest_to_rest(model, q, displacement, max(DURATION, float(fast.max(initial=0.0))))


def motion_of_file(model: Model, file: str, rest: FloatArray) -> Motion:
    """The trajectory of a CSV file: a column ``time`` (s), and one of positions for each joint.

    A spline of fifth degree goes through the points. Joints that have no column stay at ``rest``.

    Raises:
        ModelError: the file cannot be read, a column is no joint of one degree of freedom, times
            do not increase, or numbers are missing or not finite.
    """
    names, rows = _rows(Path(file))
    t = rows[:, 0]
    if len(t) < 2 or (np.diff(t) <= 0.0).any():
        raise ModelError(f"'{file}': times must increase from row to row, at least two of them")
    interpolate: ModuleType = optional(
        "scipy.interpolate", "a trajectory of a file", extra="control"
    )
    spline = interpolate.make_interp_spline(t, rows[:, 1:], k=_degree(len(t)))
    fine = np.linspace(t[0], t[-1], max(STEPS, len(t)) + 1)
    position, velocity, acceleration = (spline(fine, nu) for nu in range(3))
    q = np.repeat(np.asarray(rest, dtype=np.float64)[None], len(fine), axis=0)
    v, a = np.zeros((2, len(fine), model.nv))
    for column, name in enumerate(names):
        i = _joint(model, name, file)
        k, x = model.idx_q[i], position[:, column]
        v[:, model.idx_v[i]], a[:, model.idx_v[i]] = velocity[:, column], acceleration[:, column]
        if model.joints[i].nq == 1:
            q[:, k] = x
        else:  # an angle without end is its cosine and sine
            q[:, k], q[:, k + 1] = np.cos(x), np.sin(x)
    return Motion(f"'{Path(file).name}', {t[-1] - t[0]:.3g} s", fine - fine[0], q, v, a)


def _degree(points: int) -> int:
    """The highest odd degree of a spline through so many points, five at most."""
    return min(5, points - 1 if points % 2 == 0 else points - 2) if points > 2 else 1


def _joint(model: Model, name: str, file: str) -> int:
    try:
        i = model.joint_index(name)
    except KeyError as problem:
        raise ModelError(f"'{file}': {problem.args[0]}") from problem
    if model.joints[i].nv != 1 or model.tree[i].primary != i:
        raise ModelError(f"'{file}': joint '{name}' has no single coordinate of its own; remove it")
    return i


def _rows(path: Path) -> tuple[list[str], FloatArray]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            head, *lines = [line for line in csv.reader(file) if line]
    except (OSError, UnicodeDecodeError, ValueError) as problem:
        raise ModelError(f"cannot read the trajectory '{path}': {problem}") from problem
    names = [name.strip() for name in head]
    if names[:1] != ["time"] or len(names) < 2 or len(set(names)) < len(names):
        raise ModelError(
            f"'{path}': the first line must be 'time' and the names of joints, each once"
        )
    try:
        rows = np.array([[float(x) for x in line] for line in lines], dtype=np.float64)
    except ValueError as problem:
        raise ModelError(f"'{path}': {problem}; correct the number") from problem
    if rows.ndim != 2 or rows.shape[1] != len(names) or not np.isfinite(rows).all():
        raise ModelError(f"'{path}': each line needs {len(names)} finite numbers")
    return names[1:], rows
