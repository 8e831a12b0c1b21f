# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Refusals of contact problems that are none, each with the name of the argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dyn_core.model.model import FloatArray
from dyn_core.model.value_checks import is_number, numbers

ASYMMETRY = 1e-9
"""Rounding error of G, as a share of its largest entry: asymmetry or a negative eigenvalue of this
size is accepted."""
MOST_FRICTION = 100.0
"""Largest coefficient of friction. Beyond it the solvers often fail where many contacts share few
degrees of freedom; model a contact that must not slide as a bilateral constraint."""


def check_tolerance(value: Any) -> None:
    """Refuse what is no positive finite number. Raises ValueError."""
    if not (is_number(value) and 0.0 < value < np.inf):
        raise ValueError(f"tolerance must be a positive number, not {value!r}")


def check_restitution(value: Any) -> None:
    """Refuse what is no number from 0 to 1. Raises ValueError."""
    if not (is_number(value) and 0.0 <= value <= 1.0):
        raise ValueError(f"restitution must be a number from 0 to 1, not {value!r}")


def check_friction(coefficients: Sequence[float] | FloatArray) -> FloatArray:
    """(contacts) the coefficients of friction, in a new array.

    Raises:
        ValueError: one is no number, not finite, negative or above MOST_FRICTION.
    """
    mu = numbers("friction", coefficients, ("contacts",))
    if not ((mu >= 0.0) & (mu <= MOST_FRICTION)).all():
        raise ValueError(
            f"coefficients of friction must be from 0 to {MOST_FRICTION:g}, not {mu.tolist()}; "
            "model a contact that must not slide as rows without bounds"
        )
    return mu


def check_problem(G: FloatArray, g: FloatArray, mu: FloatArray, forces: FloatArray) -> None:
    """Refuse a problem that is no contact problem. Raises ValueError."""
    if 3 * len(mu) > len(g):
        raise ValueError(f"{len(mu)} contacts need {3 * len(mu)} rows, and G has {len(g)}")
    for name, array in (("G", G), ("g", g), ("guess", forces)):
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite: {array.tolist()}")
    sizes = np.abs(G).max(initial=0.0)
    twisted = np.abs(G - G.T) > ASYMMETRY * sizes
    if twisted.any():
        i, j = np.argwhere(twisted)[0]
        raise ValueError(f"G must be symmetric, and G[{i}, {j}] is {G[i, j]:g}, not {G[j, i]:g}")
    if sizes > 0.0:
        _check_definite(G / sizes, sizes)


def _check_definite(G: FloatArray, unit: float) -> None:
    """Refuse a negative eigenvalue; the largest entry of G is 1. Raises ValueError."""
    try:
        np.linalg.cholesky(G + ASYMMETRY * np.eye(len(G)))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(G)
        if values[0] < -ASYMMETRY:
            row = int(np.argmax(np.abs(vectors[:, 0])))
            raise ValueError(
                f"G must be positive semidefinite, as J M^-1 J' is, and has the eigenvalue "
                f"{unit * values[0]:g}, mostly of row {row}"
            ) from None


def bounds_of(bounds: FloatArray | None, rows: int) -> FloatArray:
    """(rows, 2) bounds of the rows before the contacts; without any they are infinite.

    Raises:
        ValueError: another shape, or no interval that holds a finite force.
    """
    if bounds is None:
        return np.tile([-np.inf, np.inf], (rows, 1))
    between = numbers("bounds", bounds, (rows, 2))
    if not (
        (between[:, 0] <= between[:, 1]) & (between[:, 0] < np.inf) & (between[:, 1] > -np.inf)
    ).all():
        raise ValueError(
            "a lower bound must not be above the upper one, and one of them is finite or they have "
            f"opposite signs: {between.tolist()}"
        )
    return between
