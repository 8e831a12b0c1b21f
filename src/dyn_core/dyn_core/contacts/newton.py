# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Newton's method on the contact laws, once the active set is nearly known.

While no contact changes between opening, sticking and sliding, the contact laws are smooth
equations. Newton's method on them (Alart and Curnier 1991) converges within a few steps from a
nearby start, and may diverge from a distant one: callers keep their own forces in that case. All
functions here are compiled.
"""

from __future__ import annotations

from math import hypot

from dyn_core.compiler.runtime.numba_cached import borrowing
from dyn_core.contacts.contact_laws import (
    AHEAD,
    FOUND,
    REACHED,
    RIGHT,
    STEP,
    Problem,
    copied,
    feasible,
    largest,
    solved,
    velocities,
    violations,
)
from dyn_core.contacts.gaussian_elimination import eliminated
from dyn_core.model.model import FloatArray

STEPS = 12
"""Most steps of a trial."""
HALVINGS = 5
"""Most halvings of a step that does not reduce the residual."""
REGULARIZATION = 1e-12
"""Added to the diagonal of redundant rows, as a share of the largest entry of G."""


@borrowing
def newton(
    problem: Problem, scale: FloatArray, forces: FloatArray, steps: int, best: FloatArray
) -> bool:
    """Newton's method from ``forces``, in place; returns whether it converged.

    ``scale`` replaces the problem's own scale between velocities and forces; ``best`` is that of
    :func:`dyn_core.contacts.contact_laws.solved`.
    """
    size = len(forces)
    c, found, trial = problem.room[REACHED], problem.room[FOUND], problem.room[AHEAD]
    step = problem.room[STEP]
    velocities(problem, forces, c)
    left = violations(problem, scale, c, forces, found)
    for _ in range(steps):
        if not _step(problem, scale, c, forces, step):
            break
        share, better = 1.0, False
        for _ in range(HALVINGS):
            for i in range(size):
                trial[i] = forces[i] + share * step[i]
            feasible(problem, trial)
            rounding = velocities(problem, trial, c)
            ahead = violations(problem, scale, c, trial, found)
            if ahead < left:
                better = True
                break
            share *= 0.5
        if not better:
            break
        copied(trial, forces)
        left = ahead
        if left <= problem.enough + rounding:
            break
    return solved(problem, forces, c, best)


@borrowing
def _step(
    problem: Problem, scale: FloatArray, c: FloatArray, forces: FloatArray, step: FloatArray
) -> bool:
    """Fill ``step`` with the Newton step of Alart and Curnier's equations; whether it exists.

    Equations stand only for the active rows: rows whose force is between its bounds, and contacts
    that are closed. All other forces are known.
    """
    G, bounded, size = problem.G, len(problem.lower), len(c)
    free, (first, count) = problem.active, _sides(problem, scale, c, forces, step)
    H, right, most = problem.H, problem.room[RIGHT][:count], largest(scale)
    for a in range(count):
        i = free[a]
        total = c[i]
        for j in range(size):
            total += G[i, j] * step[j]
        for b in range(count):
            H[a, b] = G[i, free[b]]
        H[a, a] += REGULARIZATION * most
        right[a] = -total
    for a in range(first, count, 3):
        x = free[a]
        k = (x - bounded) // 3
        of, at = forces[x : x + 3], c[x : x + 3]
        _tangent(H, right, a, of, at, problem.mu[k], scale[bounded + k])
    if not eliminated(H, right):
        return False
    for a in range(count):
        step[free[a]] = right[a]
    return True


@borrowing
def _sides(
    problem: Problem, scale: FloatArray, c: FloatArray, forces: FloatArray, step: FloatArray
) -> tuple[int, int]:
    """The number of active rows that belong to no contact, and of all.

    Fills the problem's ``active`` with these rows, and ``step`` with the steps of the others.
    """
    bounded, count, free = len(problem.lower), 0, problem.active
    for i in range(len(step)):
        step[i] = 0.0
    for i in range(bounded):
        ahead = forces[i] - c[i] / scale[i]
        if problem.lower[i] < ahead < problem.upper[i]:
            free[count] = i
            count += 1
        else:
            at = problem.lower[i] if ahead <= problem.lower[i] else problem.upper[i]
            step[i] = at - forces[i]
    first = count
    for k in range(len(problem.mu)):
        x = bounded + 3 * k
        closed = forces[x + 2] - c[x + 2] / scale[bounded + k] > 0.0
        for i in range(x, x + 3):
            if closed:
                free[count] = i
                count += 1
            else:
                step[i] = -forces[i]
    return first, count


@borrowing
def _tangent(
    H: FloatArray,
    right: FloatArray,
    a: int,
    force: FloatArray,
    c: FloatArray,
    mu: float,
    scale: float,
) -> None:
    """Replace the equations of a sliding contact in the two rows from ``a`` on.

    ``l_t = mu l_n w / |w|`` with ``w = l_t - c_t / scale``. On entry the rows hold the
    derivative of c.
    """
    wx, wy = force[0] - c[0] / scale, force[1] - c[1] / scale
    size, limit = hypot(wx, wy), mu * force[2]
    if size <= limit:
        return
    dx, dy, turn = wx / size, wy / size, limit / size
    px, py, pxy = turn * dy * dy, turn * dx * dx, -turn * dx * dy  # turn (1 - d d')
    # right holds -(c + G step) with the known steps of forces, so right + c is -G step
    rx, ry = right[a] / scale, right[a + 1] / scale
    right[a] = limit * dx - force[0] + px * (rx + c[0] / scale) + pxy * (ry + c[1] / scale)
    right[a + 1] = limit * dy - force[1] + pxy * (rx + c[0] / scale) + py * (ry + c[1] / scale)
    for b in range(len(right)):
        gx, gy = H[a, b] / scale, H[a + 1, b] / scale
        H[a, b], H[a + 1, b] = px * gx + pxy * gy, pxy * gx + py * gy
    H[a, a] += 1.0 - px
    H[a, a + 1] -= pxy
    H[a + 1, a] -= pxy
    H[a + 1, a + 1] += 1.0 - py
    H[a, a + 2] -= mu * dx
    H[a + 1, a + 2] -= mu * dy
