# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The impulses of a step by all methods, if Gauss-Seidel iteration has not converged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dyn_core.compiler.runtime.numba_cached import compiled
from dyn_core.contacts.contact_laws import OPTIONS
from dyn_core.contacts.friction_cones import (
    ALONE,
    SWEEPS,
    Solution,
    checked,
    reachable,
    solve_contacts,
)
from dyn_core.model.model import FloatArray
from dyn_core.simulation import impulses
from dyn_core.simulation.softening import softened

ITERATIONS = 500
"""Most iterations of the solvers for contacts in a step with bilateral constraints, before these
are softened."""


def machine_code(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of :mod:`dyn_core.simulation`, compiled with the options of time steps."""
    return compiled(function, **OPTIONS)


def frozen(function: Callable[..., Any]) -> None:
    """Let machine code raise TypeError for arguments of types that it is not compiled for yet."""
    if hasattr(function, "disable_compile"):  # not if numba compiles nothing
        function.disable_compile()


def searched(
    M: FloatArray,
    impulse: FloatArray,
    coordinates: FloatArray,
    dt: float,
    J: FloatArray,
    offset: FloatArray,
    mu: FloatArray,
    last: FloatArray,
    compliance: float,
) -> tuple[FloatArray, Solution] | None:
    """The velocity at the step's end, and the impulses of constraints and contacts.

    The result is None if M is not positive definite or a number is not finite. The arguments are
    those of :func:`dyn_core.simulation.impulses.velocity_after`.
    """
    if not (machine_code(impulses.factorized)(M) and np.isfinite(M).all()):
        return None
    free = machine_code(impulses.free_velocity)(M, impulse)
    stops = machine_code(impulses.pressing)(coordinates)
    machine_code(impulses.stopping)(coordinates, free, dt, stops)
    while True:
        W, G, g, lower, upper, of = machine_code(impulses.problem)(
            M, free, coordinates, dt, stops, J, offset, mu, compliance
        )
        if not np.isfinite(g).all():
            return None
        guess = machine_code(impulses.guess)(coordinates, of, lower, upper, last)
        bounds, held = np.column_stack([lower, upper]), len(J) - 3 * len(mu)
        if held or not len(mu):
            most = ITERATIONS if len(mu) else ALONE
            found = solve_contacts(G, g, mu, guess, iterations=most, bounds=bounds)
        if len(mu) and not (held and found.converged):
            found = _softened(W, G, g, bounds, mu, guess, compliance)
        v = machine_code(impulses.applied)(
            M, free, W, G, g, found.forces, coordinates, of, lower, upper, found.compliance
        )
        last = np.ascontiguousarray(found.forces[len(of) :])
        if not machine_code(impulses.stopping)(coordinates, v, dt, stops):
            return v, found.without(len(of))


def _softened(
    W: FloatArray,
    G: FloatArray,
    g: FloatArray,
    bounds: FloatArray,
    mu: FloatArray,
    guess: FloatArray,
    compliance: float,
) -> Solution:
    """The impulses at the smallest compliance for which they are found: see `softening`.

    If sweeps from there fulfil the conditions of joints exactly, the compliance is 0.
    """
    unit, forces = G.diagonal().copy(), guess.copy()
    contacts = unit[len(bounds) :].reshape(-1, 3)
    contacts[:] = contacts.max(axis=1, keepdims=True) / (1.0 + compliance)
    unit[unit <= 0.0] = unit.max()
    lower, upper = (np.ascontiguousarray(x) for x in bounds.T)
    moved = reachable(G, g, len(bounds))
    used, share = machine_code(softened)(W, moved, lower, upper, mu, unit, compliance, forces)
    exact = solve_contacts(G, g, mu, forces, iterations=SWEEPS, bounds=bounds)
    if exact.converged:
        return replace(exact, iterations=used + exact.iterations)
    soft, added = G.copy(), np.full(len(g), share)
    added[len(bounds) :] -= compliance
    soft.flat[:: len(g) + 1] += added * unit
    velocity, violations, _ = checked(soft, g, mu, bounds, forces)
    left = float(np.max(violations, initial=0.0))
    used += exact.iterations
    return Solution(forces, velocity, used, left, share < np.inf, violations, len(mu), share)
