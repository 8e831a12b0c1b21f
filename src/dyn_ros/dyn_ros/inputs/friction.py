# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Friction in the joints, as the nodes compute with it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dyn_msgs.msg import JointEfforts

import dyn_core
from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.node.settings import Group, Values, parameter

SMOOTHING = 0.01
"""rad/s or m/s below which Coulomb friction fades: it is continuous where a joint turns back."""


@dataclass(frozen=True)
class Friction(Group):
    """Whether friction counts."""

    include_friction: bool = parameter(
        True,
        "include the joint friction of the description",
    )


FRICTION = dyn_core.friction_efforts.request(smoothing=SMOOTHING)
"""The efforts of friction, against the motion, [nv] N m or N."""


def losses(values: Values) -> tuple[dyn_core.Request, ...]:
    """Return the friction that counts with parameter `values`: none, or all that there is."""
    return (FRICTION,) if values[Friction].include_friction else ()


def friction_fields(node: StateHost) -> dict[str, Any] | None:
    """Return the efforts of joint friction for a message, if the robot has any."""
    if node.model is None or not has_friction(node.model):
        return None
    return {"effort": -node.results[FRICTION], "terms": JointEfforts.TERM_FRICTION}


@lru_cache(maxsize=4)
def has_friction(model: dyn_core.Model) -> bool:
    """Return whether the description gives any."""
    limits = (entry.limits for entry in model.tree)
    return any(any((*x.damping, *x.friction, *x.stiction)) for x in limits)
