# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Trajectories for the sizing of joints."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

from dyn_core.audit.tape_sampling import sampled
from dyn_core.configuration import normalize
from dyn_core.control.trajectory import quintic
from dyn_core.dynamics.integrate import difference, integrate
from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.model.joints import Freedom, FreeFlyer, Spherical
from dyn_core.model.model import FloatArray, Model

STROKE = 0.5
"""Displacement of each joint, rad; of a prismatic joint at most a quarter of its range, m."""
DURATION = 1.0
"""Duration, s; longer if a joint would exceed its velocity limit."""
STEPS = 200
STEP_SHARE = 0.1
"""Step of numerical differentiation, as a share of the time between two states."""
PEAK_RATE = 1.875
"""Peak speed over mean speed of a quintic from rest to rest."""


@dataclass(frozen=True)
class SampledMotion:
    """A trajectory, with one state in each row."""

    words: str
    """Description of the motion."""
    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray


def from_rest_to_rest(
    model: Model, q: FloatArray, displacement: FloatArray, duration: float, steps: int = STEPS
) -> SampledMotion:
    """A quintic from ``q`` (nq) along ``displacement`` (nv)."""
    t: FloatArray = np.linspace(0.0, duration, steps + 1).astype(np.float64)
    way, rate, acceleration = (x[:, None] * displacement for x in quintic(t / duration, duration).T)
    start = np.repeat(np.asarray(q, dtype=np.float64)[None], len(t), axis=0)
    positions = sampled(model, [integrate])(start, way)
    words = f"a quintic of {duration:.3g} s, {np.abs(displacement).max(initial=0.0):.3g} rad or m"
    return SampledMotion(words, t, positions, rate, acceleration)


def default_motion(model: Model, q: FloatArray, limbs: slice) -> SampledMotion:
    """A quintic of the joints of ``limbs`` from ``q``, within position and velocity limits."""
    displacement = np.zeros(model.nv)
    displacement[limbs] = STROKE
    for i in model.own_coordinates:
        joint, limits = model.joints[i], model.tree[i].limits
        if joint.nq != 1:
            continue
        at, k = float(q[model.idx_q[i]]), model.idx_v[i]
        (low,), (high,) = limits.lower, limits.upper
        reach = STROKE
        if joint.motion_class is Freedom.SLIDE and np.isfinite(high - low):
            reach = min(STROKE, (high - low) / 4.0)
        up, down = max(high - at, 0.0), max(at - low, 0.0)
        displacement[k] = min(reach, up) if up >= min(reach, down) else -min(reach, down)
    fast = PEAK_RATE * np.abs(displacement) / np.maximum(model.velocity_limit, 1e-3)
    return from_rest_to_rest(model, q, displacement, max(DURATION, float(fast.max(initial=0.0))))


def motion_of_file(model: Model, file: str, rest: FloatArray) -> SampledMotion:
    """The trajectory of a CSV file with a column ``time`` (s) and columns of joint positions.

    A joint of one degree of freedom has a column of its name: its angle (rad) or displacement (m).
    Other joints have a column for each coordinate of their configuration: ``root_joint[0]`` to
    ``root_joint[6]`` of a free flyer are position (m) and quaternion (x, y, z, w), as ``dyn-core
    walk --out`` writes them. A quintic spline interpolates the points. Joints without a column stay
    at ``rest``.

    Raises:
        ModelError: the file cannot be read, a column names no joint, a joint lacks some of its
            columns, times do not increase, or numbers are missing or not finite.
    """
    names, rows = _rows(Path(file))
    t = rows[:, 0]
    if len(t) < 2 or (np.diff(t) <= 0.0).any():
        raise ModelError(f"'{file}': times must increase from row to row, at least two of them")
    interpolate: ModuleType = optional(
        "scipy.interpolate", "a trajectory of a file", extra="control"
    )
    columns = {name: column for column, name in enumerate(names)}
    in_space = _in_space(model, file, columns)
    for i, own in in_space.items():
        if isinstance(model.joints[i], (FreeFlyer, Spherical)):
            _keep_sign(rows[:, 1:], own[-4:])
    spline = interpolate.make_interp_spline(t, rows[:, 1:], k=_degree(len(t)))
    fine = np.linspace(t[0], t[-1], max(STEPS, len(t)) + 1)
    q, v, a = _moved(model, file, spline, fine, rest, in_space)
    for name, column in columns.items():
        i = _joint(model, name, file)
        k, (x, rate, change) = model.idx_q[i], (spline(fine, nu)[:, column] for nu in range(3))
        v[:, model.idx_v[i]], a[:, model.idx_v[i]] = rate, change
        if model.joints[i].nq == 1:
            q[:, k] = x
        else:  # a continuous joint is configured by cosine and sine
            q[:, k], q[:, k + 1] = np.cos(x), np.sin(x)
    return SampledMotion(f"'{Path(file).name}', {t[-1] - t[0]:.3g} s", fine - fine[0], q, v, a)


def _in_space(model: Model, file: str, columns: dict[str, int]) -> dict[int, list[int]]:
    """Joints with a column for each coordinate; their columns are removed from ``columns``."""
    found = {}
    for i in model.own_coordinates:
        of_joint = [f"{model.names[i]}[{k}]" for k in range(model.joints[i].nq)]
        missing = [name for name in of_joint if name not in columns]
        if len(missing) < len(of_joint):
            if missing:
                raise ModelError(f"'{file}': joint '{model.names[i]}' lacks {', '.join(missing)}")
            found[i] = [columns.pop(name) for name in of_joint]
    return found


def _keep_sign(rows: FloatArray, quaternion: list[int]) -> None:
    """Choose the sign of each quaternion, q or -q, that is nearer to the row before."""
    turns = rows[:, quaternion]
    flips = np.where((turns[1:] * turns[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    rows[1:, quaternion] *= np.cumprod(flips)[:, None]


def _moved(
    model: Model,
    file: str,
    spline: Callable[[FloatArray], FloatArray],
    times: FloatArray,
    rest: FloatArray,
    in_space: dict[int, list[int]],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Configurations, velocities and accelerations of joints with a column for each coordinate.

    Velocity and acceleration are derivatives of the displacement between neighbouring
    configurations, which holds for the Lie group of any joint.
    """

    def configurations(at: FloatArray) -> FloatArray:
        q = np.repeat(np.asarray(rest, dtype=np.float64)[None], len(at), axis=0)
        numbers = spline(at)
        for i, own in in_space.items():
            q[:, model.idx_q[i] : model.idx_q[i] + len(own)] = numbers[:, own]
        try:
            return np.array([normalize(model, row) for row in q])
        except ValueError as problem:
            raise ModelError(f"'{file}': {problem}") from problem

    q = configurations(times)
    if not in_space:
        return q, *np.zeros((2, len(times), model.nv))
    little = STEP_SHARE * float(np.diff(times).min())
    way = sampled(model, [difference])
    ahead, behind = (way(q, configurations(times + h)) for h in (little, -little))
    return q, (ahead - behind) / (2.0 * little), (ahead + behind) / little**2


def _degree(points: int) -> int:
    """The highest odd degree of a spline through ``points`` points, five at most."""
    return min(5, points - 1 if points % 2 == 0 else points - 2) if points > 2 else 1


def _joint(model: Model, name: str, file: str) -> int:
    try:
        i = model.joint_index(name)
    except KeyError as problem:
        raise ModelError(f"'{file}': {problem.args[0]}") from problem
    if model.tree[i].primary != i:
        raise ModelError(f"'{file}': joint '{name}' follows another one; remove its column")
    if model.joints[i].nv != 1:
        last = model.joints[i].nq - 1
        raise ModelError(
            f"'{file}': joint '{name}' has {model.joints[i].nv} degrees of freedom; write its "
            f"configuration in the columns {name}[0] to {name}[{last}]"
        )
    return i


def _rows(path: Path) -> tuple[list[str], FloatArray]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            head, *lines = [line for line in csv.reader(file) if line] or [[]]
    except (OSError, UnicodeDecodeError, ValueError) as problem:
        raise ModelError(f"cannot read the trajectory '{path}': {problem}") from problem
    names = [name.strip() for name in head]
    if names[:1] != ["time"] or len(names) < 2 or len(set(names)) < len(names):
        raise ModelError(
            f"'{path}': the first line must be 'time' and the names of joints, each once, "
            "separated by commas"
        )
    try:
        found = [[float(x) for x in line] for line in lines]
    except ValueError as problem:
        raise ModelError(f"'{path}': {problem}; correct the number") from problem
    if {len(line) for line in found} != {len(names)} or not np.isfinite(found).all():
        raise ModelError(f"'{path}': each line needs {len(names)} finite numbers")
    rows = np.array(found, dtype=np.float64)
    return names[1:], rows
