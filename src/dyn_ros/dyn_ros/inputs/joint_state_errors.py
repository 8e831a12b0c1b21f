# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Errors about joint states that cannot be used."""

from collections.abc import Sequence

from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.safety.plausible_limits import MAX_JUMP_RATIO


def position_jumped(joint: str, step: float, elapsed: float) -> InputRefusedError:
    """Return the error about a position that is `step`, rad or m, from that `elapsed` s before."""
    return InputRefusedError(
        "position jump",
        f"position of joint '{joint}' jumped by {abs(step):.4g} within {elapsed:.4g} s, more "
        f"than {MAX_JUMP_RATIO:g} times its velocity limit: does another node publish the "
        "same joints? If the robot was moved without power, activate the node again",
    )


def wrong_length(field: str, count: int, size: int) -> InputRefusedError:
    """Return the error about a field that has `count` numbers for `size` joint names."""
    text = f"{field} has {count} numbers but should have {size}"
    if count or field == "position":
        return InputRefusedError("length mismatch", f"{text}, one for each joint name")
    text += (
        ": let the publisher of joint_states send it, because this node computes with it, or fix "
        "these joints by locked_joints"
    )
    return InputRefusedError(f"{field} absent", text)


def positions_frozen(joint_names: Sequence[str]) -> InputRefusedError:
    """Return the error about positions of these joints that stand still."""
    return InputRefusedError(
        "positions frozen",
        f"positions of joints {quoted(joint_names)} are exactly the same in each "
        "message, although some were in motion: does the driver still read its sensors? "
        "Positions are used again once one of them changes",
    )
