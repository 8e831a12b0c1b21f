# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts at the limit of a motor or of its sensor, or that never change."""

from __future__ import annotations

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.model.model import FloatArray, Model

SATURATION_SHARE = 0.999
"""Share of an effort limit from which a motor is saturated."""
ROUNDING = 1e-6
"""Relative range of a signal that is constant."""
MIN_CLIPPED_SHARE, MIN_CLIPPED_RATIO, MIN_LEVELS = 0.01, 5.0, 50
"""A joint's efforts are clipped if they reach exactly their largest magnitude in this share of the
rows, this many times as often as the next one, among at least so many different magnitudes. Of a
sine that is rounded to many steps, the ratio is 2.4."""


def refuse_constant(model: Model, tau: FloatArray) -> None:
    """Raise ModelError if a joint's efforts (n, nv) are always the same."""
    for k in np.flatnonzero(np.ptp(tau, axis=0) <= ROUNDING * np.abs(tau[0])):
        raise ModelError(
            f"the signal of joint '{model.dof_names[k]}' is zero or constant: name the column that "
            "has it"
        )


def clipped_at(q: FloatArray, tau: FloatArray) -> FloatArray:
    """(nv,) magnitude at which efforts (n, nv) in motion are clipped; infinite: they are not."""
    moving = np.append(True, np.diff(q, axis=0).any(axis=1))[: len(q)]
    result = np.full(tau.shape[1], np.inf)
    for k, efforts in enumerate(np.abs(tau[moving]).T):
        levels, counts = np.unique(efforts, return_counts=True)
        if len(levels) >= MIN_LEVELS and counts[-1] > max(
            MIN_CLIPPED_SHARE * len(efforts), MIN_CLIPPED_RATIO * counts[-2]
        ):
            result[k] = levels[-1]
    return result


def saturated_from(model: Model) -> FloatArray:
    """(nv,) effort from which a motor is saturated; a limit of 0 counts as not given."""
    return np.where(model.effort_limit > 0.0, SATURATION_SHARE * model.effort_limit, np.inf)


def saturation_hint(model: Model, tau: FloatArray) -> str:
    """A hint for efforts (n, nv) that are beyond a limit in most rows; empty for others."""
    with np.errstate(invalid="ignore"):
        beyond = (np.abs(tau) >= saturated_from(model)).sum(axis=0)
    k = int(np.argmax(beyond))
    if not beyond[k] > 0.5 * len(tau):
        return ""
    return (
        f"; joint '{model.dof_names[k]}' has up to {np.nanmax(np.abs(tau[:, k])):.4g} N m (N), its "
        f"limit is {model.effort_limit[k]:.4g}: are its efforts those of another joint ('dyn-core "
        "identify log ... --efforts'), or in another unit ('... --gains 0.001')?"
    )
