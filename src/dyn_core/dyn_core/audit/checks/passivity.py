# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Power balance: the mechanical energy grows by the power of the joint efforts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.finite_differences import mass_matrix_rates
from dyn_core.audit.report import Item, error, fine
from dyn_core.audit.tape_sampling import sampled

ALLOWED = 1e-8
"""Largest violation, relative to the largest power."""
ROUNDING = 1e-15
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
    allowed = ALLOWED + ROUNDING * float(np.linalg.cond(M).max())
    if off <= allowed:
        yield fine(words)
    else:
        yield error(
            f"{words}; {allowed:.1g} is allowed",
            "look at 'mass matrix': a bad condition spoils accelerations",
        )
