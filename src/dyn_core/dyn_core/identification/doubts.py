# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Doubts about an identification: masses far from those known before."""

from __future__ import annotations

import numpy as np

from dyn_core.identification.consistency import Knowledge
from dyn_core.identification.parameters import INERTIAL, Parameters
from dyn_core.model.model import FloatArray

TOGETHER = 1.5
"""Factor by which all bodies together may be heavier or lighter than the prior."""
SINGLE = 3.0
"""Factor by which one body may be."""


def doubts(parameters: Parameters, values: FloatArray, known: Knowledge) -> list[str]:
    """A sentence for each mass far from its prior.

    Efforts are linear in combinations of masses; recordings that excite too little fit as well with
    bodies of tons, all of which can exist.

    Args:
        parameters: of which robot.
        values: of all of them.
        known: beforehand; a total that was given is kept, and no doubt.
    """
    before, now = (x[: parameters.inertial : len(INERTIAL)] for x in (known.prior.values, values))
    total = float(before.sum())
    found = []
    if known.mass is None and _apart(now.sum() / total) > TOGETHER:
        found.append(
            f"what moves weighs {now.sum():.4g} kg together, {now.sum() / total:.2g} times the "
            f"{total:.4g} kg of the prior: give its mass if you know it, or record a motion that "
            "excites more"
        )
    names = parameters.model.names
    for joint, old, new in zip(parameters.model.moving_joints, before, now, strict=True):
        if _apart(new / old) > SINGLE and abs(new - old) > 0.1 * total / len(now):
            found.append(
                f"the body that '{names[joint]}' moves weighs {new:.4g} kg, {new / old:.2g} times "
                f"the {old:.4g} kg of the prior"
            )
    return found


def _apart(ratio: float) -> float:
    """A ratio or its inverse, whichever is above 1."""
    return float(np.exp(abs(np.log(ratio))))
