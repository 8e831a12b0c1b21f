# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Impulses that Gauss-Seidel sweeps leave inexact, by proximal points with bounded work.

A robot that lies on the ground has more contacts than degrees of freedom. The distribution of
impulses among its contacts is then nearly arbitrary, and sweeps converge slowly. A round of the
proximal point method (Rockafellar 1976) gives every row a compliance r relative to the impulses k
of the last round. With the compliance R of contacts, the laws hold between the impulse l and ::

    c = W' y + g + R l + r (l - k),       y = W l

so that l follows from y: ``(r k - W' y - g) / (R + r)`` between its bounds, along a normal if it
pushes, along a tangent shortened to the disc of friction. The coordinates y of the change of
velocity are the only unknowns, far fewer than rows. Newton's method finds them within a few
factorizations, because r is large and k is nearly the solution. Rounds with a smaller r follow. In
the limit ``l = k``, and the laws hold exactly. All functions here are compiled.
"""

from __future__ import annotations

from math import hypot

import numpy as np

from dyn_core.compiler.runtime.numba_cached import borrowing
from dyn_core.contacts.contact_laws import Problem, copied, largest, nothing_yet, solved
from dyn_core.contacts.gaussian_elimination import eliminated
from dyn_core.contacts.newton import newton
from dyn_core.model.model import FloatArray

ROUNDS, ROUNDS_BEFORE_ACCEPTANCE = 8, 3
"""Most rounds of a step of time, and rounds after which it accepts ACCEPTED_VIOLATION."""
ACCEPTED_VIOLATION = 1e-3
"""Accepted violation of the laws, as a share of the fastest velocity of a row without impulses."""
STEPS, HALVINGS = 12, 8
"""Most factorizations of a round, and most halvings of a step of Newton's method."""
FIRST_COMPLIANCE, COMPLIANCE_GROWTH, COMPLIANCE_DECAY = 1e-2, 10.0, 0.3
"""Compliance r of the first round, as a share of the mobility of a row, and its factors after a
round without a solution and after one with a solution."""
LEAST_COMPLIANCE, LEAST_EXACT_COMPLIANCE = 1e-3, 1e-6
"""Smallest compliance r, for a step of time and for an exact solution."""
EQUATION_TOLERANCE = 1e-12
"""Residual of the equation, as a share of its largest terms."""


def proximal(
    problem: Problem, W: FloatArray, compliance: float, forces: FloatArray
) -> tuple[int, float]:
    """Improve ``forces`` in place; returns the factorizations and the violation of the laws.

    The violation is a share of the largest entry of g. The Delassus matrix of the problem is
    ``W' W`` and the ``compliance`` of contacts, a share of the largest mobility of their points.
    Rounds leave large velocities of links that are far lighter than others; so Newton's method on
    the contact laws is tried after each round from the third on.
    """
    accepted = ACCEPTED_VIOLATION if len(problem.mu) else 0.0
    own, unit = _compliances(problem, compliance)
    fastest, best = largest(problem.g), nothing_yet(problem)
    c, trial = np.empty(len(forces)), np.empty(len(forces))
    used, softness, done = 0, FIRST_COMPLIANCE, solved(problem, forces, c, best)
    for turn in range(ROUNDS):
        if done or (turn >= ROUNDS_BEFORE_ACCEPTANCE and best[-1] <= accepted * fastest):
            break
        count, found = _round(problem, W, own, unit, softness, forces)
        used += count
        if found:
            done = solved(problem, forces, c, best)
            is_late = turn + 1 >= ROUNDS_BEFORE_ACCEPTANCE
            if is_late and not done and best[-1] > accepted * fastest:
                copied(forces, trial)
                used += 1
                done = newton(problem, problem.scale, trial, STEPS, best)
        softness = _next(softness, found, LEAST_COMPLIANCE)
    copied(best[:-1], forces)
    return used, 0.0 if done else best[-1] / fastest


def proximal_exactly(
    problem: Problem, W: FloatArray, forces: FloatArray, most: int
) -> tuple[int, bool]:
    """Find ``forces`` in place; returns the factorizations and whether they obey the laws.

    Newton's method on the contact laws is tried after each round. There are at most ``most``
    factorizations and those of the last round.
    """
    own, unit = _compliances(problem, 0.0)
    best, trial = nothing_yet(problem), np.empty(len(forces))
    used, softness = 0, FIRST_COMPLIANCE
    solved(problem, forces, trial, best)
    while used < most:
        count, found = _round(problem, W, own, unit, softness, forces)
        used += count + 1
        if found:
            copied(forces, trial)
            if newton(problem, problem.scale, trial, STEPS, best):
                copied(trial, forces)
                return used, True
        softness = _next(softness, found, LEAST_EXACT_COMPLIANCE)
    return used, False


def _compliances(problem: Problem, compliance: float) -> tuple[FloatArray, FloatArray]:
    """(rows) the compliance of each row, and the mobility by which r is scaled."""
    size, bounded = len(problem.g), len(problem.lower)
    own, unit = np.zeros(size), np.empty(size)
    for i in range(bounded):
        unit[i] = problem.scale[i]
    for k in range(len(problem.mu)):
        for i in range(bounded + 3 * k, bounded + 3 * k + 3):
            unit[i] = problem.scale[bounded + k] / (1.0 + compliance)
            own[i] = compliance * unit[i]
    return own, unit


@borrowing
def _next(softness: float, found: bool, least: float) -> float:
    """The compliance r of the next round."""
    if found:
        return max(softness * COMPLIANCE_DECAY, least)
    return softness * COMPLIANCE_GROWTH


def _round(
    problem: Problem,
    W: FloatArray,
    own: FloatArray,
    unit: FloatArray,
    softness: float,
    forces: FloatArray,
) -> tuple[int, bool]:
    """A round from ``forces``, in place; returns the factorizations and whether it is solved."""
    g, R = np.empty(len(forces)), np.empty(len(forces))
    for i in range(len(forces)):
        g[i] = problem.g[i] - softness * unit[i] * forces[i]
        R[i] = own[i] + softness * unit[i]
    return _newton(problem, W, g, R, largest(problem.g) / np.sqrt(largest(unit)), forces)


def _newton(
    problem: Problem,
    W: FloatArray,
    g: FloatArray,
    R: FloatArray,
    large: float,
    forces: FloatArray,
) -> tuple[int, bool]:
    """Solve a round from ``forces``, in place; returns the factorizations and whether it is solved.

    ``g`` and ``R`` are those of the round; ``large`` is a size of y. Forces stay without a
    solution.
    """
    nv, size = W.shape
    lower, upper, mu = problem.lower, problem.upper, problem.mu
    c, ahead, slopes = np.empty(size), np.empty(size), np.empty((size, 3))
    y, F, change, trial = np.zeros(nv), np.empty(nv), np.empty(nv), np.empty(nv)
    A, rows, V = np.empty((nv, nv)), np.empty((size, nv)), np.empty((size, nv))
    for row in range(size):
        for i in range(nv):
            V[row, i] = W[i, row]
            y[i] += W[i, row] * forces[row]
    enough = EQUATION_TOLERANCE * (largest(y) + large)
    left = _equation(W, V, g, lower, upper, mu, R, y, c, ahead, slopes, F)
    for step in range(STEPS + 1):
        if left <= enough:
            copied(ahead, forces)
            return step, True
        if step == STEPS:
            break
        _derivative(V, slopes, len(lower), rows, A)
        if not eliminated(A, F):
            return step + 1, False
        share, before = 1.0, left
        copied(F, change)
        for _ in range(HALVINGS):
            for i in range(nv):
                trial[i] = y[i] - share * change[i]
            left = _equation(W, V, g, lower, upper, mu, R, trial, c, ahead, slopes, F)
            if left < before * (1.0 - 1e-4 * share):
                break
            share *= 0.5
        if not left < before:
            return step + 1, False
        copied(trial, y)
    return STEPS, False


@borrowing
def _equation(
    W: FloatArray,
    V: FloatArray,
    g: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    R: FloatArray,
    y: FloatArray,
    c: FloatArray,
    forces: FloatArray,
    slopes: FloatArray,
    F: FloatArray,
) -> float:
    """Fill ``F = y - W l``, and what leads to it; returns the length of F. V is ``W'``."""
    nv, size = W.shape
    copied(g, c)
    for i in range(nv):
        for row in range(size):
            c[row] += W[i, row] * y[i]
    _laws(c, lower, upper, mu, R, forces, slopes)
    copied(y, F)
    for row in range(size):
        force = forces[row]
        if force != 0.0:
            for i in range(nv):
                F[i] -= force * V[row, i]
    square = 0.0
    for i in range(nv):
        square += F[i] * F[i]
    return float(np.sqrt(square))


@borrowing
def _laws(
    c: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    R: FloatArray,
    forces: FloatArray,
    slopes: FloatArray,
) -> None:
    """Fill the forces at velocities c, and their derivatives by c of the same row or contact."""
    bounded = len(lower)
    for i in range(len(c)):
        for j in range(3):
            slopes[i, j] = 0.0
    for i in range(bounded):
        free = -c[i] / R[i]
        forces[i] = min(max(free, lower[i]), upper[i])
        slopes[i, 0] = -1.0 / R[i] if lower[i] < free < upper[i] else 0.0
    for k in range(len(mu)):
        x = bounded + 3 * k
        y, n, stiff = x + 1, x + 2, 1.0 / R[x + 2]
        forces[x], forces[y], forces[n] = 0.0, 0.0, max(0.0, -c[n] * stiff)
        if forces[n] == 0.0:
            continue
        slopes[n, 2] = -stiff
        fx, fy, limit = -c[x] * stiff, -c[y] * stiff, mu[k] * forces[n]
        size = hypot(fx, fy)
        if size <= limit:
            forces[x], forces[y] = fx, fy
            slopes[x, 0], slopes[y, 1] = -stiff, -stiff
            continue
        fx, fy, turn = fx / size, fy / size, -stiff * limit / size
        forces[x], forces[y] = limit * fx, limit * fy
        slopes[x, 0], slopes[x, 1] = turn * fy * fy, -turn * fx * fy
        slopes[y, 0], slopes[y, 1] = -turn * fx * fy, turn * fx * fx
        slopes[x, 2], slopes[y, 2] = -mu[k] * fx * stiff, -mu[k] * fy * stiff


@borrowing
def _derivative(
    V: FloatArray, slopes: FloatArray, bounded: int, rows: FloatArray, A: FloatArray
) -> None:
    """Fill ``A = 1 - V' (dl/dc) V``; ``rows`` (rows, nv) is room for ``(dl/dc) V``."""
    size, nv = V.shape
    for i in range(nv):
        for j in range(nv):
            A[i, j] = 1.0 if i == j else 0.0
    for row in range(size):
        x = row if row < bounded else row - (row - bounded) % 3
        a, b, d = slopes[row, 0], slopes[row, 1], slopes[row, 2]
        if a == 0.0 and b == 0.0 and d == 0.0:
            continue
        for j in range(nv):
            rows[row, j] = a * V[x, j]
        if row >= bounded:
            for j in range(nv):
                rows[row, j] += b * V[x + 1, j] + d * V[x + 2, j]
        for i in range(nv):
            share = V[row, i]
            if share != 0.0:
                for j in range(nv):
                    A[i, j] -= share * rows[row, j]
