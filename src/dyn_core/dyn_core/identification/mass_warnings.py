# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Doubts about an identification: masses far from their prior."""

from __future__ import annotations

import numpy as np

from dyn_core.identification.parameters import INERTIAL, Parameters
from dyn_core.identification.physical_consistency import Knowledge
from dyn_core.model.model import FloatArray

TOGETHER = 1.5
"""Ratio of the total mass to its prior, or its inverse, beyond which there is a doubt."""
SINGLE = 3.0
"""The same ratio of one body's mass."""


def doubts(parameters: Parameters, values: FloatArray, known: Knowledge) -> list[str]:
    """A sentence for each mass far from its prior.

    Efforts determine combinations of masses only. A recording with too little excitation fits
    equally well with bodies of tons, all of them physically consistent.

    Args:
        parameters: of the robot.
        values: all identified parameters.
        known: prior knowledge; a given total mass is kept exactly and raises no doubt.
    """
    before, now = (x[: parameters.inertial : len(INERTIAL)] for x in (known.prior.values, values))
    total = float(before.sum())
    found = []
    if known.mass is None and _apart(now.sum() / total) > TOGETHER:
        found.append(
            f"the moving bodies weigh {now.sum():.4g} kg, {now.sum() / total:.2g} times the "
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
