"""Friction in the joints, as the nodes compute with it."""

from typing import Any

import dyn_core
from dyn_ros.base.settings import Setting

FRICTION_SMOOTHING = Setting(
    "friction_smoothing",
    0.01,
    "rad/s or m/s below which Coulomb friction fades, so that it does not jump where a joint "
    "turns back; friction itself is what the description gives",
    limits=(1e-6, 10.0),
)


def friction(values: dict[str, Any]) -> dyn_core.Request:
    """Return what computes the efforts of friction, against the motion, [nv] N m or N."""
    return dyn_core.friction_efforts.request(smoothing=values["friction_smoothing"])


def has_friction(model: dyn_core.Model) -> bool:
    """Return whether the description gives any."""
    limits = (entry.limits for entry in model.tree)
    return any(any((*x.damping, *x.friction, *x.stiction)) for x in limits)
