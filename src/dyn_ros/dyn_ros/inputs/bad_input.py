# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a node does about input that it cannot use: one parameter for each kind of fault.

| answer | what happens |
|---|---|
| skip | nothing is sent for this sample; a controller without time-out holds the last efforts |
| hold | gravity of the newest positions is sent for hold_duration, then as damp |
| damp | gravity, of the newest positions, and damping for damp_duration, then zero |
| zero | a command of zero efforts is sent; later commands ramp up from there |
| deactivate | the node deactivates itself, with its shutdown_command |

Who commands motion, not efforts, brakes for hold and damp, within the limits of acceleration, and
stands at once for zero; so does the last word.

Topics that carry no commands get nothing from an input that cannot be used, whatever the answer.
Every fault is counted in the diagnostics and logged, at most every two seconds, with the joint.
"""

from typing import Any

from dyn_ros.node.settings import Setting

ANSWERS = ("skip", "hold", "damp", "zero", "deactivate")


def answer_setting(
    reason: str, what: str, default: str, *others: str, live: bool = True
) -> Setting:
    """Return the parameter that says what to do about inputs refused for `reason`."""
    return Setting(
        parameter_of(reason),
        default,
        f"answer to {what}",
        choices=(*others, *ANSWERS),
        live=live,
    )


def parameter_of(reason: str) -> str:
    """Return the name of the parameter for a reason, such as bad_input.not_finite."""
    return f"bad_input.{reason.replace(' ', '_')}"


def answer_to(reason: str, values: dict[str, Any]) -> str:
    """Return what parameter values say about inputs refused for `reason`; skip by default."""
    answer: str = values.get(parameter_of(reason), "skip")
    return answer


LENGTH_MISMATCH = answer_setting(
    "length mismatch", "a message with too few or too many numbers", "skip"
)
NOT_FINITE = answer_setting("not finite", "a message with a NaN or infinite number", "skip")
TIME_RAN_BACKWARDS = answer_setting(
    "time ran backwards", "a message older than the one before from the same source", "skip"
)
STAMPS = Setting(
    "stamps",
    "required",
    "stamps of joint states: required refuses states without one, with one further "
    "than joint_state_timeout from the node's time, or with that of the state before; ignored "
    "computes with them",
    choices=("required", "ignored"),
    live=True,
)
UNKNOWN_FRAME = answer_setting(
    "unknown frame", "a message at a frame that the model has not", "skip"
)
NO_FRAME = answer_setting("no frame", "a message without a frame_id", "skip")
NO_ORIENTATION = answer_setting(
    "no orientation", "a message whose quaternion is not of length 1", "skip"
)
IMPLAUSIBLE = answer_setting(
    "implausible",
    "a velocity or effort beyond ten times the limit of its joint, or a position further outside "
    "of its limits than these are apart; ignore computes with it",
    "skip",
    "ignore",
)
BAD_JOINT_STATE = (
    NOT_FINITE,
    answer_setting("duplicate joint", "a joint state that names a joint twice", "skip"),
    LENGTH_MISMATCH,
    answer_setting("velocity absent", "a joint state without the velocities needed", "skip"),
    TIME_RAN_BACKWARDS,
    STAMPS,
    IMPLAUSIBLE,
    answer_setting(
        "position jump",
        "a position further from the one before than the joint could go meanwhile",
        "skip",
    ),
    answer_setting(
        "publishers disagree",
        "positions that jump to and fro, as those of two publishers do",
        "skip",
    ),
    answer_setting("result not finite", "a joint state that gives no finite result", "skip"),
    answer_setting("stale", "joint states that have stopped coming", "hold"),
)
EFFORT_OVER_LIMIT = answer_setting(
    "effort over limit",
    "an effort beyond the limit of its joint; clamp commands the limit itself",
    "clamp",
    "clamp",
)
EFFORT_ABSENT = answer_setting("effort absent", "a joint state without the efforts needed", "skip")
TRACKING_ERROR = answer_setting(
    "tracking error", "a robot further from where it shall be than allowed", "deactivate"
)
TRAJECTORY_OVER_LIMIT = answer_setting(
    "trajectory over limit",
    "a trajectory beyond the limits of position, velocity, acceleration or effort that the "
    "description gives, at its points or between them, or whose efforts change faster than "
    "max_effort_rate allows, or that does not end at rest; a set-point to which the robot would go "
    "too fast, with too much effort or by too great a leap; ignore follows it all the same",
    "skip",
    "ignore",
)
