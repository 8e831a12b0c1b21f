# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The impulses of a step by all methods, if Gauss-Seidel iteration has not converged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dyn_core.contacts.cones import ALONE, Solution, solve_contacts
from dyn_core.contacts.laws import OPTIONS
from dyn_core.execution.compiled import compiled
from dyn_core.model.model import FloatArray
from dyn_core.simulation import impulses

ITERATIONS = 20_000
"""Most sweeps and steps of the methods for contacts in a step; without contacts there are sweeps
alone, so that the other methods need not be compiled."""


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
        bounds = np.column_stack([lower, upper])
        most = ITERATIONS if len(mu) else ALONE
        found = solve_contacts(G, g, mu, guess, iterations=most, bounds=bounds)
        v = machine_code(impulses.applied)(
            M, free, W, G, g, found.forces, coordinates, of, lower, upper
        )
        last = np.ascontiguousarray(found.forces[len(of) :])
        if not machine_code(impulses.stopping)(coordinates, v, dt, stops):
            return v, found.without(len(of))
