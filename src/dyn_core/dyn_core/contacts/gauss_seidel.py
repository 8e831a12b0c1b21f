# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Gauss-Seidel iteration with an exact solver of one contact, completed by Newton's method.

A sweep solves each row and each contact exactly while all other forces stay fixed (Jean 1999, "The
non-smooth contact dynamics method"). Sweeps find within a few iterations which contacts open, stick
and slide; then they converge linearly, and Newton's method takes over. All functions here are
compiled.
"""

from __future__ import annotations

import numpy as np

from dyn_core.compiler.runtime.numba_cached import borrowing
from dyn_core.contacts.contact_laws import TRIAL, Problem, copied, largest, nothing_yet, solved
from dyn_core.contacts.newton import STEPS, newton
from dyn_core.contacts.single_contact import contact_blocks, contact_force
from dyn_core.model.model import FloatArray

FIRST_TRIAL_SWEEP = 6
"""Sweeps before the first trial of Newton's method; the number doubles after each trial."""
WARM_START_STEPS = 2
"""Most steps of Newton's method before the first sweep."""


def gauss_seidel(problem: Problem, forces: FloatArray, sweeps: int) -> tuple[int, bool]:
    """Find ``forces`` in place; returns the number of sweeps and whether they converged."""
    c, best, next_trial = np.empty(len(forces)), nothing_yet(problem), FIRST_TRIAL_SWEEP
    trial = problem.room[TRIAL]
    local: FloatArray = np.empty((0, 0))
    for sweep in range(sweeps):
        if solved(problem, forces, c, best):
            return sweep, True
        if sweep == next_trial or (sweep == 0 and largest(forces) > 0.0):
            next_trial += sweep
            copied(forces, trial)
            if newton(problem, problem.scale, trial, STEPS if sweep else WARM_START_STEPS, best):
                copied(trial, forces)
                return sweep, True
        if sweep == 0:
            local = contact_blocks(problem.G, len(problem.lower), len(problem.mu))
        _sweep(problem, c, forces, local)
    copied(best[:-1], forces)
    return sweeps, False


@borrowing
def _sweep(problem: Problem, c: FloatArray, forces: FloatArray, local: FloatArray) -> None:
    """Solve each row and each contact once; updates ``forces`` and the velocities ``c``."""
    G, bounded, size = problem.G, len(problem.lower), len(c)
    for i in range(bounded):
        own = G[i, i]
        if own > 0.0:
            ahead = min(max(forces[i] - c[i] / own, problem.lower[i]), problem.upper[i])
            change = ahead - forces[i]
            if change != 0.0:
                forces[i] += change
                for j in range(size):
                    c[j] += change * G[i, j]
    for k in range(len(problem.mu)):
        x = bounded + 3 * k
        y, n = x + 1, x + 2
        X, Y, N = G[x], G[y], G[n]
        fx, fy, fn = forces[x], forces[y], forces[n]
        to_x, to_y, to_n = contact_force(
            local[k],
            problem.mu[k],
            c[x] - X[x] * fx - X[y] * fy - X[n] * fn,
            c[y] - Y[x] * fx - Y[y] * fy - Y[n] * fn,
            c[n] - N[x] * fx - N[y] * fy - N[n] * fn,
        )
        forces[x], forces[y], forces[n] = to_x, to_y, to_n
        fx, fy, fn = to_x - fx, to_y - fy, to_n - fn
        if fx != 0.0 or fy != 0.0 or fn != 0.0:
            for j in range(size):
                c[j] += fx * X[j] + fy * Y[j] + fn * N[j]
