# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The Coriolis matrix compared with the rate of the mass matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.finite_differences import mass_matrix_rates
from dyn_core.audit.report import Item, error, fine

ALLOWED = 1e-9
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
    if worst < ALLOWED:
        yield fine(words)
    else:
        yield error(
            f"{words}; {ALLOWED:g} is allowed",
            "do not control with this C; tell the maintainers, with the file",
        )
