# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Coriolis matrix and power: dM/dt - 2 C is skew, and energy grows by the power of the joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.finite_differences import mass_matrix_rates
from dyn_core.audit.report import Item, error, fine
from dyn_core.audit.tape_sampling import sampled

POWER_TOLERANCE = 1e-8
"""Largest violation, relative to the largest power."""
TOLERANCE_PER_CONDITION = 1e-15
"""Further violation for each unit of the mass matrix's condition number: rounding errors."""


@declare(
    "passivity",
    claim="the rate of the mechanical energy is the power of the joints: dH/dt = v' tau",
    why="a model that creates energy makes stable controllers look unstable; one that loses energy "
    "makes unstable ones look stable",
    step="section 2, passivity",
    order=110,
    needs=Needs.DYNAMICS,
)
def passivity(robot: Robot) -> Iterator[Item]:
    """Accelerations are by forward dynamics, the kinetic energy's rate by numerical dM/dt."""
    model, q, v = robot.known, robot.q, robot.v
    tau = 10.0 * np.random.default_rng(robot.settings.seed + 3).normal(size=v.shape)
    a = sampled(model, ["forward_dynamics"])(q, v, tau)
    M, g = robot.terms.M, robot.terms.g
    powers = np.array(
        [
            np.einsum("bi,bij,bj->b", v, M, a),
            0.5 * np.einsum("bi,bij,bj->b", v, mass_matrix_rates(robot), v),
            np.einsum("bi,bi->b", v, g),
            -np.einsum("bi,bi->b", v, tau),
        ]
    )
    off = float((np.abs(powers.sum(axis=0)) / np.abs(powers).max(axis=0)).max())
    words = f"dH/dt is v' tau to {off:.1e} at {len(q)} random states"
    allowed = POWER_TOLERANCE + TOLERANCE_PER_CONDITION * float(np.linalg.cond(M).max())
    if off <= allowed:
        yield fine(words)
    else:
        yield error(
            f"{words}; {allowed:.1g} is allowed",
            "look at 'mass matrix': a bad condition spoils accelerations",
        )


SKEW_TOLERANCE = 1e-9
"""Largest ``x' (dM/dt - 2 C) x / |x|^2``, relative to M and C; the reference's number."""


@declare(
    "skew symmetry",
    claim="x' (dM/dt - 2 C) x = 0 for random q, v, x",
    why="stability proofs of robot control stand on it; a wrong sign in C makes tracking errors "
    "grow with speed",
    step="pipeline step 6",
    order=100,
    needs=Needs.DYNAMICS,
)
def skew_symmetry(robot: Robot) -> Iterator[Item]:
    """dM/dt is computed by central differences of eighth order along v."""
    x = np.random.default_rng(robot.settings.seed + 2).normal(size=robot.v.shape)
    C, rates = robot.terms.C, mass_matrix_rates(robot)
    products = np.einsum("bi,bij,bj->b", x, rates - 2.0 * C, x) / np.einsum("bi,bi->b", x, x)
    size = max(1.0, float(np.abs(rates).max()), float(np.abs(C).max()))
    worst = float(np.abs(products).max()) / size
    words = f"|x' (dM/dt - 2 C) x| is at most {worst:.2e} |x|^2 of {len(x)} triples"
    if worst < SKEW_TOLERANCE:
        yield fine(words)
    else:
        yield error(
            f"{words}; {SKEW_TOLERANCE:g} is allowed",
            "do not control with this C; report it to the maintainers, with the file",
        )
