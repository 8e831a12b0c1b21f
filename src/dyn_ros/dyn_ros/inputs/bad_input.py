# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a node does about input that it cannot use.

| reaction | what happens |
|---|---|
| skip | nothing is sent for this sample; a controller without time-out holds the last efforts |
| hold | gravity of the newest positions is sent for hold.duration, then as damp |
| damp | gravity, of the newest positions, and damping for damp.duration, then zero |
| zero | a command of zero efforts is sent; later commands ramp up from there |
| deactivate | the node deactivates itself, with its shutdown.command |

A node that commands motion, not efforts, brakes for hold and damp, within the limits of
acceleration, and stands at once for zero; so does its shutdown.

Topics that carry no commands get nothing from an input that cannot be used, whatever the reaction.
Every fault is counted in the diagnostics and logged, at most every two seconds, with the joint.
"""

from typing import Any

from dyn_ros.node.settings import Setting

SKIP = "skip"
CHOICES = (SKIP, "hold", "damp", "zero", "deactivate")
ON_LOSS = Setting(
    "on_loss",
    "hold",
    "reaction to joint states that have stopped coming: hold, gravity for hold.duration, then as "
    "damp; damp, gravity and damping for damp.duration, then zero efforts; zero, zero efforts at "
    "once; skip, nothing, so that a controller keeps the last efforts; deactivate, as "
    "shutdown.command says",
    choices=CHOICES,
    live=True,
)
STALE = "stale"
REACTIONS = {
    "commands misplaced": "deactivate",
    "free joint stale": "zero",
    "gains over rate": "deactivate",
    "no solution": "hold",
    "target stale": "hold",
    "tracking error": "deactivate",
    "velocity over limit": "deactivate",
}
"""By the reason of a refusal; for every other reason it is SKIP, and joint states are lost, as
ON_LOSS says, if none can be used for joint_state_timeout."""


def reaction_to(reason: str, values: dict[str, Any]) -> str:
    """Return the reaction to inputs refused for `reason`, with parameter values."""
    reaction: str = values[ON_LOSS.name] if reason == STALE else REACTIONS.get(reason, SKIP)
    return reaction


STAMPS = Setting(
    "stamps",
    "required",
    "stamps of joint states: required refuses states without one, with one further "
    "than joint_state_timeout from the node's time, or with that of the state before; ignored "
    "computes with them",
    choices=("required", "ignored"),
    live=True,
)
