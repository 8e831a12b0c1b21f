# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix at random states."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import MIN_SCALED_EIGENVALUE, Robot
from dyn_core.audit.check_declaration import declare
from dyn_core.audit.report import Curves, Item, error, fine, note, warning
from dyn_core.model.model import FloatArray

MAX_SCALED_CONDITION = 1e5
"""Condition number of M scaled to a unit diagonal at which five of sixteen digits are lost."""
MAX_CONDITION = 1000.0
"""Condition number of M at which the reference flags a configuration."""
SYMMETRY_TOLERANCE = 1e-9
BASE_NV = 6
"""Degrees of freedom of a floating base."""


@declare(
    "mass matrix",
    claim="M(q) is symmetric and positive definite, its scaled condition number below 1e5",
    why="inverses, computed torque and QPs lose as many digits as the scaled condition number has; "
    "that of M itself depends on units and on how much lighter fingers are than arms",
    step="pipeline step 5",
    order=90,
)
def mass_matrix(robot: Robot) -> Iterator[Item]:
    """Symmetry, least eigenvalue and condition number."""
    model = robot.known
    if not model.nv:
        yield fine("nothing moves")
        return
    M, count = robot.terms.M, len(robot.q)
    skew = float(np.abs(M - np.swapaxes(M, 1, 2)).max())
    if not skew <= SYMMETRY_TOLERANCE * float(np.abs(M).max()):
        yield error(f"M differs from its transpose by {skew:.3g}", "report it to the maintainers")
    bad = int((robot.least_eigenvalues <= MIN_SCALED_EIGENVALUE).sum())
    if bad:
        weakest = np.einsum("bii->i", M).argmin()
        yield error(
            f"M is not positive definite at {bad} of {count} samples",
            "give every moving body a possible inertia, or the joint an armature; look first at "
            f"'{model.dof_names[int(weakest)]}', whose diagonal entry is least",
        )
        return
    cond = np.linalg.cond(M)
    worst = int(cond.argmax())
    words = f"at {count} random states cond(M) is {cond.min():.3g} to {cond.max():.3g}"
    if robot.floats and model.nv > BASE_NV:
        alone = np.linalg.cond(M[:, BASE_NV:, BASE_NV:])
        words += f" (of the joints alone {alone.min():.3g} to {alone.max():.3g})"
    scaled = 1.0 / robot.least_eigenvalues.min()
    if scaled > MAX_SCALED_CONDITION:
        yield warning(
            f"scaled to a unit diagonal, the least eigenvalue of M is 1/{scaled:.3g} at worst",
            "look for bodies that are far too light or too heavy for what they carry",
        )
    else:
        yield fine(f"scaled to a unit diagonal, the least eigenvalue is 1/{scaled:.3g} at worst")
    if cond[worst] > MAX_CONDITION:
        heavy, light = _extremes(M[worst])
        yield note(
            f"{words}; beyond {MAX_CONDITION:g} at {int((cond > MAX_CONDITION).sum())}",
            f"add the rotors' inertia (armature) to light joints such as '{model.dof_names[light]}'"
            f" ('{model.dof_names[heavy]}' is the heaviest), and damp inverses",
        )
    else:
        yield fine(words)
    ordered = np.sort(cond)
    share = (np.arange(count) + 0.5) / count * 100.0
    yield Curves(
        "Condition of M over random states",
        share.tolist(),
        "share of states, %",
        {"cond(M)": ordered.tolist(), "limit": [MAX_CONDITION] * count},
        "cond(M)",
        logarithmic=True,
    )


def _extremes(M: FloatArray) -> tuple[int, int]:
    """The degrees of freedom of the largest and the smallest diagonal entry."""
    diagonal = np.diag(M)
    return int(diagonal.argmax()), int(diagonal.argmin())
