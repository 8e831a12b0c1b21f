"""Gauss-Seidel iteration with exact contacts, and Newton's method where the sides are known.

A sweep solves row after row and contact after contact exactly, with the forces of all others as
they are (Jean 1999, "The non-smooth contact dynamics method"). It soon finds which contacts open,
stick and slide, and approaches the forces by a constant share per sweep. Once nothing changes
sides, the conditions are smooth equations: Newton's method on them (Alart and Curnier 1991) ends
within a few steps where it begins near enough, and is undone where it does not. All functions here
are compiled.
"""

from __future__ import annotations

from math import hypot

import numpy as np

from dyn_core.contacts.elimination import eliminated
from dyn_core.contacts.one_contact import contact_blocks, contact_force
from dyn_core.model.model import FloatArray

FIRST = 6
"""Sweeps before Newton's method is tried; twice as many each time until the next."""
STEPS, BEFORE = 12, 2
"""Most steps of Newton's method in one trial, and in one before the first sweep."""
SHARES = 5
"""How often a step that does not help is halved."""
SOFT = 1e-12
"""Added to the diagonal of redundant rows, as a share of the largest entry of G."""
ROUNDING = 4e-16
"""Share of the largest force times the largest entry of G that rounding leaves of a velocity."""


def scales(G: FloatArray, bounded: int, contacts: int) -> FloatArray:
    """(bounded + contacts) the stiffness by which velocities are compared with forces; never 0."""
    most = 0.0
    for i in range(len(G)):
        most = max(most, G[i, i])
    if most == 0.0:
        most = 1.0
    found = np.empty(bounded + contacts)
    for i in range(bounded):
        found[i] = G[i, i] if G[i, i] > 0.0 else most
    for k in range(contacts):
        at = bounded + 3 * k
        own = max(G[at, at], G[at + 1, at + 1], G[at + 2, at + 2])
        found[bounded + k] = own if own > 0.0 else most
    return found


def violations(
    scale: FloatArray,
    c: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    forces: FloatArray,
    found: FloatArray,
) -> float:
    """Fill ``found`` (bounded + contacts) with how far each is from its conditions; the largest.

    It is what a step along ``-c`` with the row's or the contact's own stiffness changes in forces
    that are brought back between their bounds or into their disc of friction, times that stiffness:
    zero only for a solution, in the unit of c.
    """
    bounded = len(lower)
    worst = 0.0
    for i in range(bounded):
        ahead = min(max(forces[i] - c[i] / scale[i], lower[i]), upper[i])
        found[i] = scale[i] * abs(ahead - forces[i])
        worst = max(worst, found[i])
    for k in range(len(mu)):
        x = bounded + 3 * k
        y, n, one = x + 1, x + 2, scale[bounded + k]
        ahead_n = max(0.0, forces[n] - c[n] / one)
        ahead_x, ahead_y = forces[x] - c[x] / one, forces[y] - c[y] / one
        size, limit = hypot(ahead_x, ahead_y), mu[k] * max(0.0, forces[n])
        share = 1.0 if size <= limit else limit / size
        open_by = max(abs(share * ahead_x - forces[x]), abs(share * ahead_y - forces[y]))
        found[bounded + k] = one * max(open_by, abs(ahead_n - forces[n]))
        worst = max(worst, found[bounded + k])
    return worst


def velocities(G: FloatArray, g: FloatArray, forces: FloatArray, c: FloatArray) -> float:
    """Fill ``c`` with ``G forces + g``; what rounding may leave of it."""
    size, most = 0.0, 0.0
    for i in range(len(g)):
        total = g[i]
        row = G[i]
        for j in range(len(g)):
            total += row[j] * forces[j]
        c[i] = total
        size, most = max(size, abs(forces[i])), max(most, row[i])
    return ROUNDING * size * most * len(g)


def gauss_seidel(
    G: FloatArray,
    g: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    forces: FloatArray,
    enough: float,
    sweeps: int,
) -> tuple[int, float]:
    """Find ``forces`` in place; returns how many sweeps it took, and the violation that is left.

    Rows with a lower and an upper bound of their force come first, then three of each contact.
    """
    bounded, contacts = len(lower), len(mu)
    scale, local = scales(G, bounded, contacts), contact_blocks(G, bounded, contacts)
    c, found, best = np.empty(len(g)), np.empty(bounded + contacts), forces.copy()
    least, next_trial = np.inf, FIRST
    for sweep in range(sweeps):
        rounding = velocities(G, g, forces, c)
        left = violations(scale, c, lower, upper, mu, forces, found)
        if left < least:
            least = left
            best[:] = forces
        if left <= enough + rounding:
            return sweep, left
        if sweep == next_trial or (sweep == 0 and np.any(forces)):
            next_trial += sweep
            before = forces.copy()
            steps = STEPS if sweep else BEFORE
            ahead = newton(G, g, lower, upper, mu, forces, enough, scale, steps)
            if ahead <= enough + rounding:
                return sweep, ahead
            if ahead < least:
                least = ahead
                best[:] = forces
            forces[:] = before
        _sweep(G, c, lower, upper, mu, forces, local)
    forces[:] = best
    return sweeps, least


def _sweep(
    G: FloatArray,
    c: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    forces: FloatArray,
    local: FloatArray,
) -> None:
    """Solve every row and contact once, in place; ``c`` goes along."""
    bounded, size = len(lower), len(c)
    for i in range(bounded):
        own = G[i, i]
        if own > 0.0:
            change = min(max(forces[i] - c[i] / own, lower[i]), upper[i]) - forces[i]
            if change != 0.0:
                forces[i] += change
                row = G[i]
                for j in range(size):
                    c[j] += change * row[j]
    for k in range(len(mu)):
        x = bounded + 3 * k
        y, n = x + 1, x + 2
        X, Y, N = G[x], G[y], G[n]
        fx, fy, fn = forces[x], forces[y], forces[n]
        to_x, to_y, to_n = contact_force(
            local[k],
            mu[k],
            c[x] - X[x] * fx - X[y] * fy - X[n] * fn,
            c[y] - Y[x] * fx - Y[y] * fy - Y[n] * fn,
            c[n] - N[x] * fx - N[y] * fy - N[n] * fn,
        )
        forces[x], forces[y], forces[n] = to_x, to_y, to_n
        fx, fy, fn = to_x - fx, to_y - fy, to_n - fn
        if fx != 0.0 or fy != 0.0 or fn != 0.0:
            for j in range(size):
                c[j] += fx * X[j] + fy * Y[j] + fn * N[j]


def newton(
    G: FloatArray,
    g: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    forces: FloatArray,
    enough: float,
    scale: FloatArray,
    steps: int,
) -> float:
    """Newton's method from ``forces``, in place; returns the violation that is left."""
    bounded, size = len(lower), len(g)
    c, found = np.empty(size), np.empty(bounded + len(mu))
    trial, best, step = np.empty(size), forces.copy(), np.empty(size)
    velocities(G, g, forces, c)
    left = violations(scale, c, lower, upper, mu, forces, found)
    for _ in range(steps):
        if not _newton_step(G, c, lower, upper, mu, forces, scale, step):
            break
        share, better = 1.0, False
        for _ in range(SHARES):
            for i in range(size):
                trial[i] = forces[i] + share * step[i]
            _feasible(lower, upper, mu, trial)
            rounding = velocities(G, g, trial, c)
            ahead = violations(scale, c, lower, upper, mu, trial, found)
            if ahead < left:
                better = True
                break
            share *= 0.5
        if not better:
            break
        forces[:], left = trial, ahead
        if left <= enough + rounding:
            break
    if not np.isfinite(left):
        forces[:] = best
    return left


def _feasible(lower: FloatArray, upper: FloatArray, mu: FloatArray, forces: FloatArray) -> None:
    """Bring forces between their bounds, and those along surfaces into their discs, in place."""
    bounded = len(lower)
    for i in range(bounded):
        forces[i] = min(max(forces[i], lower[i]), upper[i])
    for k in range(len(mu)):
        x = bounded + 3 * k
        forces[x + 2] = max(0.0, forces[x + 2])
        size, limit = hypot(forces[x], forces[x + 1]), mu[k] * forces[x + 2]
        if size > limit:
            forces[x] *= limit / size
            forces[x + 1] *= limit / size


def _newton_step(
    G: FloatArray,
    c: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    forces: FloatArray,
    scale: FloatArray,
    step: FloatArray,
) -> bool:
    """Fill ``step`` with Newton's of Alart and Curnier's equations; whether there is one.

    Only the rows whose force is not known have an equation: those between their bounds, and the
    contacts that are closed.
    """
    bounded, size = len(lower), len(c)
    step[:] = 0.0
    free = np.empty(size, np.int64)
    count = 0
    for i in range(bounded):
        ahead = forces[i] - c[i] / scale[i]
        if lower[i] < ahead < upper[i]:
            free[count] = i
            count += 1
        else:
            step[i] = (lower[i] if ahead <= lower[i] else upper[i]) - forces[i]
    first = count  # of the contacts' rows
    for k in range(len(mu)):
        x = bounded + 3 * k
        if forces[x + 2] - c[x + 2] / scale[bounded + k] > 0.0:
            for i in range(x, x + 3):
                free[count] = i
                count += 1
        else:
            for i in range(x, x + 3):
                step[i] = -forces[i]
    most = scale.max()
    H, right = np.empty((count, count)), np.empty(count)
    for a in range(count):
        row = G[free[a]]
        total = c[free[a]]
        for j in range(size):
            total += row[j] * step[j]
        for b in range(count):
            H[a, b] = row[free[b]]
        H[a, a] += SOFT * most
        right[a] = -total
    for a in range(first, count, 3):
        x = free[a]
        k = (x - bounded) // 3
        _tangent(H, right, a, forces[x : x + 3], c[x : x + 3], mu[k], scale[bounded + k])
    if not eliminated(H, right):
        return False
    for a in range(count):
        step[free[a]] = right[a]
    return True


def _tangent(
    H: FloatArray,
    right: FloatArray,
    a: int,
    force: FloatArray,
    c: FloatArray,
    mu: float,
    scale: float,
) -> None:
    """Put the equations of a sliding contact into the two rows from ``a`` on, if it slides.

    ``l_t = mu l_n w / |w|`` with ``w = l_t - c_t / scale``; the rows hold what c changes by.
    """
    wx, wy = force[0] - c[0] / scale, force[1] - c[1] / scale
    size, limit = hypot(wx, wy), mu * force[2]
    if size <= limit:
        return
    dx, dy, turn = wx / size, wy / size, limit / size
    px, py, pxy = turn * dy * dy, turn * dx * dx, -turn * dx * dy  # turn (1 - d d')
    # what c changes by less what the forces so far change: right holds -(c + G step)
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
