# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The impulses of a step: dry friction of joints, their stops, what is held, and contacts.

All act on the velocity at the step's end (Moreau 1988; Jean 1999). With the mass matrix M, to which
``dt`` times the joints' damping is added, and an impulse ``p = M v + dt (tau - h)`` of all else ::

    M v' = p + N' l,        c = N v' + b,

where each row of N is a coordinate with dry friction, a coordinate near its stop, something that is
held, or an axis of a contact, and :mod:`dyn_core.contacts.cones` has the laws between the impulses
l and c. Nothing is smoothed: a joint that friction holds stands still. Contacts give way, by a
velocity that is a small share, their compliance, of what a force alone would make of their point:
points of one stiff foot can ask for velocities that contradict each other by a share of 1e-8 or so,
for which no method finds forces (docs/notes/contacts.md). All functions here are compiled.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from dyn_core.contacts.gauss_seidel import gauss_seidel
from dyn_core.contacts.laws import copied, largest, posed
from dyn_core.model.model import FloatArray

POSITION, VELOCITY, LOWER, UPPER, DAMPING, DRY, RUB, STOP = range(8)
"""Rows of the table of coordinates: state, limits, friction, and impulses of the step before."""
COORDINATE = 8
"""How many there are."""
ON_LIMIT = 1e-12
"""rad or m that a coordinate at its limit may be off by, for rounding."""
TOLERANCE = 1e-10
"""Of the conditions, as a share of the fastest of what the rows would do without impulses."""
SWEEPS = 100
"""Most sweeps before the other methods are tried."""


def factorized(M: FloatArray) -> bool:
    """Overwrite the lower triangle of M by L with ``M = L' L``; whether M is positive definite.

    From the leaves to the root, so that zeros between branches stay (Featherstone 2008, table 6.3).
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


def solve_lower(L: FloatArray, b: FloatArray) -> None:
    """``b <- L^-1 b`` (nv), in place."""
    for k in range(len(L)):
        total = b[k]
        for j in range(k):
            total -= L[k, j] * b[j]
        b[k] = total / L[k, k]


def free_velocity(L: FloatArray, impulse: FloatArray) -> FloatArray:
    """``M^-1 impulse``."""
    nv = len(impulse)
    found = impulse.copy()
    for k in range(nv - 1, -1, -1):
        found[k] /= L[k, k]
        for j in range(k):
            found[j] -= L[k, j] * found[k]
    solve_lower(L, found)
    return found


def pressing(coordinates: FloatArray) -> FloatArray:
    """(nv) -1 and 1 of the coordinates that pressed against a lower or upper stop, 0 of others."""
    stops = np.zeros(coordinates.shape[1])
    for i in range(len(stops)):
        if coordinates[STOP, i] != 0.0:
            stops[i] = -1.0 if coordinates[STOP, i] > 0.0 else 1.0
    return stops


def stopping(coordinates: FloatArray, v: FloatArray, dt: float, stops: FloatArray) -> bool:
    """Mark with -1 and 1 in ``stops`` (nv) who would leave the range; whether there is a new one.

    A coordinate that pressed against a stop in the step before is marked too, and not new.
    """
    new = False
    for i in range(len(v)):
        end = coordinates[POSITION, i] + dt * v[i]
        if stops[i] != 0.0:
            continue
        if end < coordinates[LOWER, i] - ON_LIMIT:
            stops[i], new = -1.0, True
        elif end > coordinates[UPPER, i] + ON_LIMIT:
            stops[i], new = 1.0, True
    return new


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
    """W = L^-T N', the Delassus matrix, c without impulses, bounds, and coordinates of the rows.

    The rows are those of friction, of stops, and of J (rows, nv): what is held, then three of each
    contact. Contacts give way by ``compliance``, as a share of the largest mobility of their point.
    """
    nv, count, held = len(free), 0, len(J) - 3 * len(mu)
    of = np.empty(2 * nv, np.int64)
    for i in range(nv):
        if coordinates[DRY, i] > 0.0:
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
        start = coordinates[POSITION, i]
        if row < dry:
            lower[row], upper[row] = -dt * coordinates[DRY, i], dt * coordinates[DRY, i]
        elif stops[i] < 0.0:
            lower[row], g[row] = 0.0, free[i] - (coordinates[LOWER, i] - start) / dt
        else:
            upper[row], g[row] = 0.0, free[i] - (coordinates[UPPER, i] - start) / dt
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
    return W, G, g, lower, upper, of[:count]


def guess(
    coordinates: FloatArray, of: FloatArray, lower: FloatArray, upper: FloatArray, last: FloatArray
) -> FloatArray:
    """Impulses to begin with: those of the step before, ``last`` of what is held and contacts."""
    count = len(of)
    forces = np.zeros(count + len(last))
    for row in range(count):
        kind = RUB if upper[row] < np.inf and lower[row] > -np.inf else STOP
        forces[row] = min(max(coordinates[kind, of[row]], lower[row]), upper[row])
    copied(last, forces[count:])
    return forces


def applied(
    L: FloatArray,
    free: FloatArray,
    W: FloatArray,
    G: FloatArray,
    forces: FloatArray,
    coordinates: FloatArray,
    of: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """The velocity under the impulses, which are kept; exactly zero where friction holds."""
    nv = len(free)
    change = np.empty(nv)
    for i in range(nv):
        total = 0.0
        for row in range(len(forces)):
            total += W[i, row] * forces[row]
        change[i] = total
    solve_lower(L, change)
    coordinates[RUB], coordinates[STOP] = 0.0, 0.0
    v = free + change
    for row in range(len(of)):
        i = of[row]
        if upper[row] == np.inf or lower[row] == -np.inf:
            coordinates[STOP, i] = forces[row]
        else:
            coordinates[RUB, i] = forces[row]
            inside = min(forces[row] - lower[row], upper[row] - forces[row])
            if abs(v[i]) < G[row, row] * inside:  # what it would take to move it is not there
                v[i] = 0.0
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
) -> float:
    """Fill ``v`` with the velocity at the step's end; whether it was not found.

    M is overwritten by its factor, ``last`` (rows of J) by the impulses of the contacts, the rows
    RUB and STOP of ``coordinates`` by those of joints. Nothing is held. The result is 0 where the
    conditions are fulfilled and 1 where not; infinite where M or a velocity is not finite or M not
    positive.
    """
    if not factorized(M):
        return np.inf
    free = free_velocity(M, impulse)
    stops = pressing(coordinates)
    stopping(coordinates, free, dt, stops)
    while True:
        if not (len(mu) or stops.any() or coordinates[DRY].any()):
            copied(free, v)
        else:
            W, G, g, lower, upper, of = problem(
                M, free, coordinates, dt, stops, J, offset, mu, compliance
            )
            forces = guess(coordinates, of, lower, upper, last)
            enough = TOLERANCE * largest(g)
            if not np.isfinite(enough):
                return np.inf
            contact = posed(G, g, lower, upper, mu, enough)
            _, is_solved = gauss_seidel(contact, forces, SWEEPS)
            if not is_solved:
                return 1.0
            copied(applied(M, free, W, G, forces, coordinates, of, lower, upper), v)
            copied(forces[len(of) :], last)
        if not stopping(coordinates, v, dt, stops):
            break
    for i in range(len(v)):
        if not np.isfinite(v[i]):
            return np.inf
    return 0.0
