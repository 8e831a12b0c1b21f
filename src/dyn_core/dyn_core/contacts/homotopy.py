# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Numerical continuation from a convex problem to the contact problem, by pseudo-arclength.

Let the tangents of each contact be scaled by its coefficient, so that its cone is the circular cone
K. With De Saxce's correction ``s = (0, 0, |d_t|)`` of the velocity d, Signorini's and Coulomb's
conditions are ``x = P(x - d - s)``, where P projects onto K, or between the bounds of a row. P has
kinks where a contact changes between opening, sticking and sliding. A smooth function P_w replaces
P: ``max(b, 0)`` becomes the root ``(b + sqrt(b^2 + 4 w^2)) / 2`` (Fukushima, Luo and Tseng 2002,
"Smoothing functions for second-order-cone complementarity problems"). A lift
``sqrt(theta^2 |d_t|^2 + w^2)`` replaces s, which relaxes contacts that jam each other::

    F(x, w) = x - P_w(x - (G x + g) - lift(w)) = 0

For w as large as the velocities theta is 0, and the solution is the unique one of a convex problem.
At w = 0 theta is 1, and the equations are the contact laws. The solutions in between form a path.
With friction one w may have several solutions, so that the path can turn back; it is therefore
parametrized by its arc length (Allgower and Georg 1990, "Numerical continuation methods"). Newton's
method on the contact laws is tried from points of the path. All functions here are compiled.
"""

from __future__ import annotations

from math import exp, hypot, log, sqrt
from typing import NamedTuple

import numpy as np

from dyn_core.contacts.contact_laws import Problem, copied, feasible, largest, nothing_yet
from dyn_core.contacts.gaussian_elimination import eliminated
from dyn_core.contacts.newton import STEPS, newton
from dyn_core.model.model import FloatArray

TRIAL = 5
"""Continuation steps between two trials of Newton's method."""
LAST = -32.0
"""Logarithm of w over the initial w at which the continuation stops without a solution."""
START, ACCURATE, ROUGH = 1e-9, 1e-8, 1e-3
"""Residual of F as a share of w: at the start, on the path, and the limit that rounding sets."""
NEARLY, STRAIGHT = 1e-3, 0.5
"""Length of a corrector step as a share of the predictor step. Below the first number the corrector
has converged; beyond the second the path is too curved for the step."""
SHORTEST, LONGEST, FIRST = 1e-9, 2.0, 0.1
"""Smallest, largest and first length of a step, in the unit of ln w."""
BEGINNING, CORRECTIONS, HALVINGS = 100, 6, 14
"""Most Newton steps at the start and of a corrector; most halvings of a step at the start."""
GROWTH = (2.0, 2.0, 2.0, 1.3, 1.0, 0.7)
"""Factor of the step length, by the number of Newton steps of the last corrector."""
SMALL = 1e-3
"""Least size of forces in the weights of the arc length, as a share of the velocities."""


class Path(NamedTuple):
    """The problem in scaled forces x, ``forces = stretch x``."""

    G: FloatArray
    g: FloatArray
    lower: FloatArray
    upper: FloatArray
    stretch: FloatArray
    begin: float
    """Initial w."""
    soft: float
    """Compliance added to each row at the initial w, as a share of its diagonal entry of G."""


def homotopy(problem: Problem, forces: FloatArray, steps: int, soft: float) -> tuple[int, bool]:
    """Find ``forces`` in place; returns the linear systems solved and whether they converged.

    The result does not depend on the initial forces, which stay as they are without convergence.
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
    """Weights of the arc length, which make changes of forces comparable with those of ln w."""
    weight = np.full(len(point), 1.0 / (largest(point[:-1]) + SMALL * path.begin))
    weight[-1] = 1.0
    return weight


def _moved(
    point: FloatArray, length: float, way: FloatArray, weight: FloatArray, ahead: FloatArray
) -> None:
    """``ahead <- point + length way``, with the tangent ``way`` in weighted coordinates."""
    for i in range(len(point)):
        ahead[i] = point[i] + length * way[i] / weight[i]


def _beginning(path: Path, point: FloatArray) -> int:
    """Solve the convex problem at the initial w, in place; returns the linear systems solved."""
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
    """Overwrite ``way`` with the unit tangent in weighted coordinates; whether one exists."""
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
    """Correct a point onto the path normal to ``way``; Newton steps, negative if it diverges."""
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
    """The bordered Jacobian: derivative of F in weighted coordinates, with ``way`` as last row."""
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
    """Fill ``F`` (rows) and its derivatives ``A`` (rows, rows + 1) with respect to x and ln w."""
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
    """The smooth ``max(b, 0)``, and its derivatives with respect to b and w."""
    root = sqrt(b * b + 4.0 * w * w)
    value = 0.5 * (b + root) if b > 0.0 else 2.0 * w * w / (root - b)
    return value, 0.5 * (1.0 + b / root), 2.0 * w / root


def _smooth_bounds(y: float, lower: float, upper: float, w: float) -> tuple[float, float, float]:
    """The smooth projection of y between bounds, and its derivatives; see `_smooth`.

    With a single bound the result is shifted by w away from the bound, as the lift does.
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
    """Fill P with the smooth projection of y onto K, and its derivatives by y and w.

    ``lift`` is first subtracted from the last entry of y.
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
