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

from dyn_ros.inputs.joint_state_settings import SKIP, JointStateSettings
from dyn_ros.node.settings import Values

STALE = "stale"
REACTIONS = {
    "commands misplaced": "deactivate",
    "free joint stale": "hold",
    "gains over rate": "deactivate",
    "no solution": "hold",
    "publishers disagree": "damp",
    "target stale": "hold",
    "tracking error": "deactivate",
    "velocity against positions": "damp",
    "velocity over limit": "deactivate",
}
"""By the reason of a refusal; for every other reason it is SKIP, and joint states are lost, as
on_loss says, if none can be used for joint_state_timeout."""


def reaction_to(reason: str, values: Values) -> str:
    """Return the reaction to inputs refused for `reason`, with parameter values."""
    return values[JointStateSettings].on_loss if reason == STALE else REACTIONS.get(reason, SKIP)
