# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""An identification as plain values, for tables and JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from dyn_core.identification.identify import Identification
from dyn_core.identification.parameters import INERTIAL

MIN_STANDARD_ERRORS = 3.0
"""Standard errors from zero from which a parameter is significant."""

MAX_MASS_ERROR = 0.3
"""Largest relative standard error of a mass that counts as identified."""


def plain(found: Identification) -> dict[str, Any]:
    """All fields as plain values, for JSON."""
    return {
        "samples": found.estimate.count,
        "dropped": dict(found.dropped),
        "base_parameters": parameter_table(found),
        "parameters": found.named,
        "links": link_table(found),
        "prior_weight": found.weight,
        "doubts": found.doubts,
        "drives": drive_table(found),
        "noise": found.estimate.noise.tolist(),
        "delay": found.estimate.delay,
        "delay_standard_error": found.estimate.delay_deviation,
        "residual": found.relative_residual,
    }


def parameter_table(found: Identification) -> list[dict[str, Any]]:
    """Each base parameter with its value, standard error and value in the model.

    Parameters within 3 standard errors of zero are not significant.
    """
    before = found.base.values
    return [
        {
            "name": name,
            "value": float(x),
            "standard_error": float(s),
            "before": float(b),
            "significant": bool(abs(x) > MIN_STANDARD_ERRORS * s),
        }
        for name, x, s, b in zip(
            found.base.names, found.estimate.values, found.estimate.deviations, before, strict=True
        )
    ]


def link_table(found: Identification) -> list[dict[str, Any]]:
    """Each body with its mass (kg) and centre of mass (m, in its joint's frame), before and after.

    A row has standard errors, and whether the recordings determine the mass: otherwise the mass
    follows from the prior and the masses of other bodies.
    """
    model, size = found.base.parameters.model, len(INERTIAL)
    rows = []
    for k, i in enumerate(model.moving_joints):
        own = slice(size * k, size * k + 4)
        mass, *moment = found.values[own]
        covariance = found.covariance[own, own]
        com = np.array(moment) / mass
        lever = np.hstack([-com[:, None], np.eye(3)]) / mass
        error = float(np.sqrt(covariance[0, 0]))
        rows.append(
            {
                "joint": model.names[i],
                "mass_before": float(model.inertias[i].mass),
                "mass": float(mass),
                "mass_standard_error": error,
                "com": com.tolist(),
                "com_standard_error": np.sqrt(np.diag(lever @ covariance @ lever.T)).tolist(),
                "distance_from_prior": float(found.distances[k]),
                "weighed": bool(error < MAX_MASS_ERROR * mass),
            }
        )
    return rows


def drive_table(found: Identification) -> list[dict[str, Any]]:
    """Each joint with its identified rotor inertia, friction and offset."""
    return [{"joint": name, **terms} for name, terms in found.drives.items()]
