# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The impulses of a time step: dry friction, joint stops, bilateral constraints and contacts.

All laws hold for the velocity at the end of the step (Moreau 1988; Jean 1999). M is the mass matrix
plus ``dt`` times the joints' damping, and ``p = M v + dt (tau - h)`` the momentum without them::

    M v' = p + N' l,        c = N v' + b,

Each row of N belongs to a joint with dry friction, a joint near its stop, a bilateral constraint or
an axis of a contact; :mod:`dyn_core.contacts.friction_cones` has the laws between the impulses l
and the velocities c. Nothing is smoothed: a joint in static friction has velocity zero. Contacts
have a compliance, a small share of the mobility of their point: rounding errors can make the points
of one rigid foot contradict each other by some 1e-8 of their velocity, and then no solver finds
impulses (docs/notes/contacts.md). All functions here but :func:`machine_code` are compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from dyn_core.compiler.runtime.numba_cached import borrowing, compiled
from dyn_core.contacts.contact_laws import OPTIONS, copied, largest, posed, unreachable_removed
from dyn_core.contacts.gauss_seidel import gauss_seidel
from dyn_core.contacts.proximal_point import proximal
from dyn_core.model.model import FloatArray

POSITION, VELOCITY, LOWER, UPPER, DAMPING, DRY, RUB, STOP = range(8)
"""Rows of the table of joint coordinates: state, limits, friction, impulses of the last step."""
COORDINATE_ROWS = 8
"""Number of rows of that table."""
LIMIT_ROUNDING = 1e-12
"""Rounding error of a coordinate at its limit, rad or m."""
STOP_DISTANCE = 1e-9
"""Distance from a stop at which a coordinate counts as being there, rad or m."""
TOLERANCE = 1e-10
"""Residual of the conditions, as a share of the fastest velocity of a row without impulses."""
SWEEPS = 12
"""Most Gauss-Seidel sweeps; then follow rounds of the proximal point method."""
PASSES = 4
"""Most solutions of the problem in a step. Each may carry further joints to their stops."""


def machine_code(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of :mod:`dyn_core.simulation`, compiled with the options of time steps."""
    return compiled(function, **OPTIONS)


@borrowing
def factorized(M: FloatArray) -> bool:
    """Overwrite the lower triangle of M by L with ``M = L' L``; whether M is positive definite.

    The elimination runs from the leaves to the root, which preserves the zeros between branches
    (Featherstone 2008, table 6.3).
    """
    for k in range(len(M) - 1, -1, -1):
        if not M[k, k] > 0.0:
            return False
        pivot = sqrt(M[k, k])
        M[k, k] = pivot
        for j in range(k):
            M[k, j] /= pivot
        for i in range(k):
            share = M[k, i]
            if share != 0.0:
                for j in range(i + 1):
                    M[i, j] -= share * M[k, j]
    return True


@borrowing
def solve_upper(L: FloatArray, B: FloatArray) -> None:
    """``B <- L^-T B`` (nv, columns), in place."""
    columns = B.shape[1]
    for k in range(len(L) - 1, -1, -1):
        for j in range(columns):
            B[k, j] /= L[k, k]
        for i in range(k):
            share = L[k, i]
            if share != 0.0:
                for j in range(columns):
                    B[i, j] -= share * B[k, j]


@borrowing
def solve_lower(L: FloatArray, b: FloatArray) -> None:
    """``b <- L^-1 b`` (nv), in place."""
    for k in range(len(L)):
        total = b[k]
        for j in range(k):
            total -= L[k, j] * b[j]
        b[k] = total / L[k, k]


def free_velocity(L: FloatArray, impulse: FloatArray) -> FloatArray:
    """``M^-1 impulse``."""
    found = impulse.copy()
    solve_upper(L, found.reshape(-1, 1))
    solve_lower(L, found)
    return found


def pressing(coordinates: FloatArray) -> FloatArray:
    """(nv) -1 and 1 for coordinates that pressed against a lower or upper stop, else 0."""
    stops = np.zeros(coordinates.shape[1])
    for i in range(len(stops)):
        if coordinates[STOP, i] != 0.0:
            stops[i] = -1.0 if coordinates[STOP, i] > 0.0 else 1.0
    return stops


@borrowing
def stopping(coordinates: FloatArray, v: FloatArray, dt: float, stops: FloatArray) -> bool:
    """Mark coordinates that would leave their range with -1 or 1; whether a new one was marked.

    ``stops`` (nv) holds the marks. A coordinate that pressed against a stop in the last step is
    marked too, and does not count as new.
    """
    new = False
    for i in range(len(v)):
        end = coordinates[POSITION, i] + dt * v[i]
        if stops[i] != 0.0:
            continue
        if end < coordinates[LOWER, i] - LIMIT_ROUNDING:
            stops[i], new = -1.0, True
        elif end > coordinates[UPPER, i] + LIMIT_ROUNDING:
            stops[i], new = 1.0, True
    return new


@borrowing
def to_stop(coordinates: FloatArray, i: int, stop: float) -> float:
    """The way of a coordinate to its lower (``stop`` -1) or upper stop (1), rad or m."""
    way: float = coordinates[LOWER if stop < 0.0 else UPPER, i] - coordinates[POSITION, i]
    return way


@borrowing
def at_stop(coordinates: FloatArray, i: int, stop: float) -> bool:
    """Whether a coordinate is at its stop or beyond; ``stop`` as for `to_stop`, or 0 for none."""
    return stop != 0.0 and stop * to_stop(coordinates, i, stop) <= STOP_DISTANCE


def problem(
    L: FloatArray,
    free: FloatArray,
    coordinates: FloatArray,
    dt: float,
    stops: FloatArray,
    J: FloatArray,
    offset: FloatArray,
    mu: FloatArray,
    compliance: float,
) -> tuple[Any, ...]:
    """W = L^-T N', Delassus matrix, free velocities, bounds, and the coordinates of joint rows.

    The rows are those of dry friction, of stops, and of J (rows, nv): first bilateral constraints,
    then three of each contact. A coordinate at its stop has one row for friction and stop together:
    two equal rows, of which rounding makes the velocities differ, would oppose each other without
    end. ``compliance`` of a contact is a share of the largest mobility of its point.
    """
    nv, count, held = len(free), 0, len(J) - 3 * len(mu)
    of = np.empty(2 * nv, np.int64)
    for i in range(nv):
        if coordinates[DRY, i] > 0.0 and not at_stop(coordinates, i, stops[i]):
            of[count] = i
            count += 1
    dry = count
    for i in range(nv):
        if stops[i] != 0.0:
            of[count] = i
            count += 1
    size = count + len(J)
    W, g = np.zeros((nv, size)), np.empty(size)
    lower, upper = np.full(count + held, -np.inf), np.full(count + held, np.inf)
    for row in range(count):
        i = of[row]
        W[i, row], g[row] = 1.0, free[i]
        rub = dt * coordinates[DRY, i] if row < dry or at_stop(coordinates, i, stops[i]) else 0.0
        if row < dry or stops[i] < 0.0:
            lower[row] = -rub
        if row < dry or stops[i] > 0.0:
            upper[row] = rub
        if row >= dry:
            g[row] -= to_stop(coordinates, i, stops[i]) / dt
    for row in range(len(J)):
        total = offset[row]
        for i in range(nv):
            W[i, count + row] = J[row, i]
            total += J[row, i] * free[i]
        g[count + row] = total
    solve_upper(L, W)
    G = np.zeros((size, size))
    for k in range(nv):
        for a in range(size):
            share = W[k, a]
            if share != 0.0:
                for b in range(size):
                    G[a, b] += share * W[k, b]
    for at in range(size - 3 * len(mu), size, 3):
        give = compliance * max(G[at, at], G[at + 1, at + 1], G[at + 2, at + 2])
        for i in range(at, at + 3):
            G[i, i] += give
    unreachable_removed(G, g, count + held)
    return W, G, g, lower, upper, of[:count]


def guess(
    coordinates: FloatArray, of: FloatArray, lower: FloatArray, upper: FloatArray, last: FloatArray
) -> FloatArray:
    """Initial impulses: those of the last step, where ``last`` holds those of the rows of J."""
    count = len(of)
    forces = np.zeros(count + len(last))
    for row in range(count):
        i, low, high = of[row], lower[row], upper[row]
        rubbed = coordinates[RUB, i] if min(-low, high) > 0.0 else 0.0
        stopped = 0.0 if high < np.inf and low > -np.inf else coordinates[STOP, i]
        forces[row] = min(max(rubbed + stopped, low), high)
    copied(last, forces[count:])
    return forces


def applied(
    L: FloatArray,
    free: FloatArray,
    W: FloatArray,
    G: FloatArray,
    g: FloatArray,
    forces: FloatArray,
    coordinates: FloatArray,
    of: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    is_exact: bool,
) -> FloatArray:
    """The velocity under the impulses, which are stored.

    If they are exact, it is exactly zero in static friction, and exactly ends at a stop.
    """
    nv = len(free)
    change = np.empty(nv)
    for i in range(nv):
        total = 0.0
        for row in range(len(forces)):
            total += W[i, row] * forces[row]
        change[i] = total
    solve_lower(L, change)
    v = np.empty(nv)
    for i in range(nv):
        coordinates[RUB, i], coordinates[STOP, i], v[i] = 0.0, 0.0, free[i] + change[i]
    for row in range(len(of)):
        i, low, high = of[row], lower[row], upper[row]
        rub = min(-low, high)
        rubbed = min(max(forces[row], -rub), rub)
        coordinates[RUB, i] += rubbed
        if high == np.inf or low == -np.inf:  # else rounding would be an impulse of a stop
            coordinates[STOP, i] += forces[row] - rubbed
        inside = min(forces[row] - low, high - forces[row])
        held = free[i] - g[row]  # the velocity at which this row is zero
        # the impulse to move it exceeds no bound
        if is_exact and abs(v[i] - held) < G[row, row] * inside:
            v[i] = held
    return v


def velocity_after(
    M: FloatArray,
    impulse: FloatArray,
    coordinates: FloatArray,
    dt: float,
    J: FloatArray,
    offset: FloatArray,
    mu: FloatArray,
    last: FloatArray,
    compliance: float,
    v: FloatArray,
) -> tuple[float, int]:
    """Fill ``v`` with the velocity at the end of the step; returns its error and the iterations.

    The error is the largest violation of a condition, as a share of the fastest velocity of a row
    without impulses: 0 within TOLERANCE, infinite if M or a velocity is not finite or M is not
    positive definite. Iterations are sweeps and factorizations. M is overwritten by its factor,
    ``last`` (rows of J) by the impulses of the contacts, the rows RUB and STOP of ``coordinates``
    by those of joints. There are no bilateral constraints.
    """
    if not factorized(M):
        return np.inf, 0
    free = free_velocity(M, impulse)
    stops = pressing(coordinates)
    stopping(coordinates, free, dt, stops)
    error, iterations = 0.0, 0
    for _ in range(PASSES):
        if not (len(mu) or largest(stops) > 0.0 or largest(coordinates[DRY]) > 0.0):
            copied(free, v)
        else:
            W, G, g, lower, upper, of = problem(
                M, free, coordinates, dt, stops, J, offset, mu, compliance
            )
            forces = guess(coordinates, of, lower, upper, last)
            enough = TOLERANCE * largest(g)
            if not np.isfinite(enough):
                return np.inf, iterations
            contact, error = posed(G, g, lower, upper, mu, enough), 0.0
            sweeps, is_solved = gauss_seidel(contact, forces, SWEEPS)
            iterations += sweeps
            if not is_solved:
                factorizations, error = proximal(contact, W, compliance, forces)
                iterations += factorizations
            found = applied(M, free, W, G, g, forces, coordinates, of, lower, upper, error == 0.0)
            copied(found, v)
            copied(forces[len(of) :], last)
        if not stopping(coordinates, v, dt, stops):
            break
    for i in range(len(v)):
        if not np.isfinite(v[i]):
            return np.inf, iterations
    return error, iterations
