"""A path from a problem that is easy to the one that is asked for, followed round its bends.

With the tangents of each contact scaled by its coefficient, so that its cone is the circular one K,
and with De Saxce's correction ``s = (0, 0, |d_t|)`` of the velocity d, Signorini's and Coulomb's
conditions are ``x = P(x - d - s)``, where P projects on K; on bounds likewise. Instead of P, whose
kinks are the changes between opening, sticking and sliding, stands the smooth function that the
root ``(b + sqrt(b^2 + 4 w^2)) / 2`` in place of ``max(b, 0)`` makes of it (Fukushima, Luo and Tseng
2002, "Smoothing functions for second-order-cone complementarity problems"), and for s a lift
``sqrt(theta^2 |d_t|^2 + w^2)``, which lets contacts that are jammed between each other breathe::

    F(x, w) = x - P_w(x - (G x + g) - lift(w)) = 0

For w as large as the velocities theta is 0: this is the one solution of a convex problem. Where w
is 0, theta is 1: these are the laws. In between lies a path, which may turn back on the way, since
with friction there may be several solutions for a w, and is therefore followed by its length
(Allgower and Georg 1990, "Numerical continuation methods"). Newton's method on the laws themselves
is tried from it. All functions here are compiled.
"""

from __future__ import annotations

from math import exp, hypot, log, sqrt
from typing import NamedTuple

import numpy as np

from dyn_core.contacts.elimination import eliminated
from dyn_core.contacts.laws import Problem, copied, feasible, largest, nothing_yet
from dyn_core.contacts.newton import STEPS, newton
from dyn_core.model.model import FloatArray

TRIAL = 5
"""Steps along the path from one trial of Newton's method to the next."""
LAST = -32.0
"""Natural logarithm of the share of the first w at which the path ends without result."""
START, ACCURATE, ROUGH = 1e-9, 1e-8, 1e-3
"""Residual of F as a share of w: of the beginning, on the path, and where rounding leaves more."""
NEARLY, STRAIGHT = 1e-3, 0.5
"""Share of a step's length that a correction is below where there is nothing left to correct, and
that it is not beyond where the path is straight enough for the step."""
SHORTEST, LONGEST, FIRST = 1e-9, 2.0, 0.1
"""Length of a step, in the unit of ln w."""
BEGINNING, CORRECTIONS, HALVINGS = 100, 6, 14
"""Newton steps to the beginning and back to the path; halvings of the former."""
GROWTH = (2.0, 2.0, 2.0, 1.3, 1.0, 0.7)
"""Of the length of a step, by how many Newton steps the one before took."""
SMALL = 1e-3
"""Share of the velocities that forces are at least taken for when the length is measured."""


class Path(NamedTuple):
    """The problem in the coordinates of the path, ``forces = stretch x``."""

    G: FloatArray
    g: FloatArray
    lower: FloatArray
    upper: FloatArray
    stretch: FloatArray
    begin: float
    """The first w."""
    soft: float
    """How much each row gives way there, as a share of its own stiffness."""


def homotopy(problem: Problem, forces: FloatArray, steps: int, soft: float) -> tuple[int, bool]:
    """Find ``forces`` in place; returns how many linear systems it took, and whether it is solved.

    What forces are there to begin with does not matter, and they stay if nothing is found.
    """
    path, best, size = _path(problem, soft), nothing_yet(problem), len(forces)
    point, ahead, way = np.zeros(size + 1), np.zeros(size + 1), np.zeros(size + 1)
    point[size], way[size] = log(path.begin), -1.0
    used, length = _beginning(path, point), FIRST
    trial = np.empty(size)
    for step in range(steps):
        weight = _weights(path, point)
        used += 1
        if used >= steps or not _tangent(path, point, weight, way):
            break
        while length > SHORTEST:
            _moved(point, length, way, weight, ahead)
            count = _corrected(path, ahead, weight, way, length)
            used += abs(count)
            if count > 0:
                break
            length *= 0.5
        if length <= SHORTEST or ahead[size] < log(path.begin) + LAST:
            break
        copied(ahead, point)
        length = min(GROWTH[count - 1] * length, LONGEST)
        if step % TRIAL == TRIAL - 1:
            for i in range(size):
                trial[i] = path.stretch[i] * point[i]
            feasible(problem, trial)
            used += STEPS
            if newton(problem, problem.scale, trial, STEPS, best):
                copied(trial, forces)
                return used, True
    return min(used, steps), False


def _path(problem: Problem, soft: float) -> Path:
    """Scale forces so that cones are circular and each row's or contact's stiffness is 1."""
    bounded, G = len(problem.lower), problem.G
    stretch = np.empty(len(problem.g))
    for i in range(bounded):
        stretch[i] = 1.0 / sqrt(problem.scale[i])
    for k in range(len(problem.mu)):
        at, mu = bounded + 3 * k, problem.mu[k]
        own = max(mu * mu * G[at, at], mu * mu * G[at + 1, at + 1], G[at + 2, at + 2])
        normal = 1.0 / sqrt(own if own > 0.0 else problem.scale[bounded + k])
        stretch[at], stretch[at + 1], stretch[at + 2] = mu * normal, mu * normal, normal
    scaled = np.empty_like(G)
    g, lower, upper = problem.g.copy(), problem.lower.copy(), problem.upper.copy()
    for i in range(len(G)):
        g[i] *= stretch[i]
        for j in range(len(G)):
            scaled[i, j] = stretch[i] * G[i, j] * stretch[j]
    for i in range(bounded):
        lower[i] /= stretch[i]
        upper[i] /= stretch[i]
    return Path(scaled, g, lower, upper, stretch, largest(g), soft)


def _weights(path: Path, point: FloatArray) -> FloatArray:
    """By which changes of forces are made comparable with those of ln w."""
    weight = np.full(len(point), 1.0 / (largest(point[:-1]) + SMALL * path.begin))
    weight[-1] = 1.0
    return weight


def _moved(
    point: FloatArray, length: float, way: FloatArray, weight: FloatArray, ahead: FloatArray
) -> None:
    """``ahead <- point + length way``, the way in weighted coordinates."""
    for i in range(len(point)):
        ahead[i] = point[i] + length * way[i] / weight[i]


def _beginning(path: Path, point: FloatArray) -> int:
    """Solve the convex problem of the first w, in place; how many linear systems it took."""
    size = len(point) - 1
    F, A, start = np.empty(size), np.empty((size, size + 1)), point.copy()
    for k in range((size - len(path.lower)) // 3):
        point[len(path.lower) + 3 * k + 2] = path.begin
    for used in range(BEGINNING):
        _equations(path, point, F, A)
        before = largest(F)
        if before <= START * path.begin or not eliminated(A[:, :-1].copy(), F):
            return used
        share, step = 1.0, F.copy()
        copied(point, start)
        for _ in range(HALVINGS):
            for i in range(size):
                point[i] = start[i] - share * step[i]
            _equations(path, point, F, A)
            if largest(F) < before:
                break
            share *= 0.5
    return BEGINNING


def _tangent(path: Path, point: FloatArray, weight: FloatArray, way: FloatArray) -> bool:
    """Turn ``way``, of length 1 in weighted coordinates, along the path; whether it has one."""
    size = len(point) - 1
    F, A = np.empty(size), np.empty((size, size + 1))
    _equations(path, point, F, A)
    ahead = np.zeros(size + 1)
    ahead[size] = 1.0
    if not eliminated(_bordered(A, weight, way), ahead):
        return False
    far = _length(ahead)
    for i in range(size + 1):
        way[i] = ahead[i] / far
    return 0.0 < far < np.inf


def _corrected(
    path: Path, point: FloatArray, weight: FloatArray, way: FloatArray, length: float
) -> int:
    """Bring a point back to the path, across the ``way``; Newton steps, negative if it fails."""
    size, before = len(point) - 1, np.inf
    F, A = np.empty(size), np.empty((size, size + 1))
    for count in range(1, CORRECTIONS + 1):
        _equations(path, point, F, A)
        off = largest(F) / exp(point[size])
        if off < ACCURATE or (off < ROUGH and before < NEARLY * length):
            return count
        change = np.zeros(size + 1)
        for i in range(size):
            change[i] = -F[i]
        if not eliminated(_bordered(A, weight, way), change):
            return -count
        far = _length(change)
        if not far < (STRAIGHT * length if count == 1 else 0.5 * before):
            return -count
        before = far
        _moved(point, 1.0, change, weight, point)
    return -CORRECTIONS


def _bordered(A: FloatArray, weight: FloatArray, way: FloatArray) -> FloatArray:
    """The derivative of F in weighted coordinates, and the ``way`` as its last row."""
    size = len(A)
    whole = np.empty((size + 1, size + 1))
    for j in range(size + 1):
        for i in range(size):
            whole[i, j] = A[i, j] / weight[j]
        whole[size, j] = way[j]
    return whole


def _length(way: FloatArray) -> float:
    total = 0.0
    for one in way:
        total += one * one
    return sqrt(total)


def _equations(path: Path, point: FloatArray, F: FloatArray, A: FloatArray) -> None:
    """Fill ``F`` (rows) and its derivatives ``A`` (rows, rows + 1) by x and by ln w."""
    G, bounded, size = path.G, len(path.lower), len(F)
    x, w = point[:size], exp(point[size])
    theta, slope = max(0.0, 1.0 - w / path.begin), -w / path.begin if w < path.begin else 0.0
    soft = path.soft * w / path.begin
    d = path.g.copy()
    for i in range(size):
        d[i] += soft * x[i]
        for j in range(size):
            d[i] += G[i, j] * x[j]
    for i in range(bounded):
        value, by_x, by_w = _smooth_bounds(x[i] - d[i], path.lower[i], path.upper[i], w)
        F[i] = x[i] - value
        for j in range(size):
            A[i, j] = by_x * G[i, j]
        A[i, i] += 1.0 - by_x + by_x * soft
        A[i, size] = by_x * soft * x[i] - w * by_w
    P, by_y, by_w3 = np.empty(3), np.empty((3, 3)), np.empty(3)
    for k in range((size - bounded) // 3):
        at = bounded + 3 * k
        own, y = d[at : at + 3], x[at : at + 3].copy()
        for i in range(3):
            y[i] -= own[i]
        square = own[0] * own[0] + own[1] * own[1]
        lift = sqrt(theta * theta * square + w * w)
        _smooth_cone(y, lift, w, P, by_y, by_w3)
        turn_x, turn_y = theta * theta * own[0] / lift, theta * theta * own[1] / lift
        by_ln = (w * w + theta * slope * square) / lift
        for i in range(3):
            F[at + i] = x[at + i] - P[i]
            by = by_y[i]
            by_dx, by_dy = by[0] + by[2] * turn_x, by[1] + by[2] * turn_y
            row = A[at + i]
            for j in range(size):
                row[j] = by_dx * G[at, j] + by_dy * G[at + 1, j] + by[2] * G[at + 2, j]
            row[at] += by_dx * soft - by[0]
            row[at + 1] += by_dy * soft - by[1]
            row[at + 2] += by[2] * (soft - 1.0)
            row[at + i] += 1.0
            through = by_dx * x[at] + by_dy * x[at + 1] + by[2] * x[at + 2]
            row[size] = by[2] * by_ln + soft * through - w * by_w3[i]


def _smooth(b: float, w: float) -> tuple[float, float, float]:
    """What stands for ``max(b, 0)``, and its derivatives by b and w."""
    root = sqrt(b * b + 4.0 * w * w)
    value = 0.5 * (b + root) if b > 0.0 else 2.0 * w * w / (root - b)
    return value, 0.5 * (1.0 + b / root), 2.0 * w / root


def _smooth_bounds(y: float, lower: float, upper: float, w: float) -> tuple[float, float, float]:
    """What stands for y between its bounds, and its derivatives; see `_smooth`.

    Where there is but one bound, y is w nearer to it, as contacts are lifted.
    """
    lean = (1.0 if lower == -np.inf else 0.0) - (1.0 if upper == np.inf else 0.0)
    y += lean * w
    value, by_y, by_w = y, 1.0, 0.0
    if lower > -np.inf:
        value, by_y, by_w = _smooth(y - lower, w)
        value += lower
    if upper < np.inf:
        over, its_y, its_w = _smooth(y - upper, w)
        value, by_y, by_w = value - over, by_y - its_y, by_w - its_w
    return value, by_y, by_w + lean * by_y


def _smooth_cone(
    y: FloatArray, lift: float, w: float, P: FloatArray, by_y: FloatArray, by_w: FloatArray
) -> None:
    """Fill P with what stands for the projection of y on K, and its derivatives by y and w.

    ``lift`` is taken from y's last number first.
    """
    size, n = hypot(y[0], y[1]), y[2] - lift
    ux, uy = (y[0] / size, y[1] / size) if size > 0.0 else (1.0, 0.0)
    high, high_b, high_w = _smooth(n + size, w)
    low, low_b, low_w = _smooth(n - size, w)
    P[0], P[1], P[2] = 0.5 * (high - low) * ux, 0.5 * (high - low) * uy, 0.5 * (high + low)
    by_w[0], by_w[1] = 0.5 * (high_w - low_w) * ux, 0.5 * (high_w - low_w) * uy
    by_w[2] = 0.5 * (high_w + low_w)
    along, across = 0.5 * (high_b + low_b), 0.5 * (high_b - low_b)
    turn = 0.5 * (high - low) / size if size > 1e-12 * (w + abs(n)) else along
    by_y[0, 0], by_y[1, 1] = turn + (along - turn) * ux * ux, turn + (along - turn) * uy * uy
    by_y[0, 1] = by_y[1, 0] = (along - turn) * ux * uy
    by_y[0, 2] = by_y[2, 0] = across * ux
    by_y[1, 2] = by_y[2, 1] = across * uy
    by_y[2, 2] = along
