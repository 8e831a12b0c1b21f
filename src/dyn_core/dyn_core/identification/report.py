"""What an identification says, in plain values."""

from __future__ import annotations

from typing import Any

from dyn_core.identification.identify import Identification

SIGNIFICANT = 3.0
"""Standard errors from zero beyond which a parameter counts as not zero."""


def plain(found: Identification) -> dict[str, Any]:
    """All of it, for JSON."""
    return {
        "samples": found.estimate.count,
        "dropped": dict(found.dropped),
        "base_parameters": parameter_table(found),
        "parameters": found.named,
        "drives": drive_table(found),
        "noise": found.estimate.noise.tolist(),
        "delay": found.estimate.delay,
        "delay_standard_error": found.estimate.delay_deviation,
        "residual": found.left,
    }


def parameter_table(found: Identification) -> list[dict[str, Any]]:
    """Each base parameter with its value, standard error and what the model had.

    Those that are not significant are within 3 standard errors of zero.
    """
    before = found.base.values
    return [
        {
            "name": name,
            "value": float(x),
            "standard_error": float(s),
            "before": float(b),
            "significant": bool(abs(x) > SIGNIFICANT * s),
        }
        for name, x, s, b in zip(
            found.base.names, found.estimate.values, found.estimate.deviations, before, strict=True
        )
    ]


def drive_table(found: Identification) -> list[dict[str, Any]]:
    """Each joint with what its drive does: rotor, friction and offset, as far as they are there."""
    parameters = found.base.parameters
    return [
        {"joint": name, **{term: float(found.drive(term)[k]) for term in parameters.drive}}
        for k, name in enumerate(parameters.model.dof_names)
    ]
