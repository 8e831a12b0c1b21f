# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Friction in the joints, as the nodes compute with it."""

from functools import lru_cache
from typing import Any

from dyn_msgs.msg import JointEfforts

import dyn_core
from dyn_ros.inputs.state_host import StateHost
from dyn_ros.node.settings import Setting

FRICTION_SMOOTHING = Setting(
    "friction_smoothing",
    0.01,
    "rad/s or m/s below which Coulomb friction fades, so that it does not jump where a joint "
    "turns back; friction itself is what the description gives",
    limits=(1e-6, 10.0),
)
INCLUDE_FRICTION = Setting(
    "include_friction", True, "count the friction in the joints that the description gives"
)


def losses(values: dict[str, Any]) -> tuple[dyn_core.Request, ...]:
    """Return the friction that counts with parameter `values`: none, or all that there is."""
    return (friction(values),) if values[INCLUDE_FRICTION.name] else ()


def friction(values: dict[str, Any]) -> dyn_core.Request:
    """Return what computes the efforts of friction, against the motion, [nv] N m or N."""
    return _request(values["friction_smoothing"])


@lru_cache(maxsize=16)  # for it is asked for with every state
def _request(smoothing: float) -> dyn_core.Request:
    return dyn_core.friction_efforts.request(smoothing=smoothing)


def friction_fields(node: StateHost) -> dict[str, Any] | None:
    """Return the efforts of joint friction for a message, if the robot has any."""
    if node.model is None or not has_friction(node.model):
        return None
    return {"effort": -node.results[friction(node.values)], "terms": JointEfforts.TERM_FRICTION}


@lru_cache(maxsize=4)
def has_friction(model: dyn_core.Model) -> bool:
    """Return whether the description gives any."""
    limits = (entry.limits for entry in model.tree)
    return any(any((*x.damping, *x.friction, *x.stiction)) for x in limits)
