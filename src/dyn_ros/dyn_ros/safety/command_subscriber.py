# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Who takes the commands, and in which order of joints."""

from collections.abc import Sequence
from typing import NamedTuple

from dyn_ros.messages.joint_order import quoted
from dyn_ros.safety.beginning import NotBegunError

EFFORT = "effort"  # what a controller's interface_name has to be for efforts


class Receiver(NamedTuple):
    """A node that subscribes to commands, and what its parameters say."""

    name: str
    joints: tuple[str, ...] = ()  # in the order of the commands; empty: it does not say
    interface: str = ""  # position, velocity, effort; empty: it does not say
    compensates: bool | None = None  # whether it adds gravity efforts itself; None: does not say

    def wants_other(self, interface: str) -> bool:
        """Whether it takes commands of joints for something else, as of positions for efforts."""
        return bool(self.joints) and self.interface not in ("", interface)


def order_of_commands(
    receivers: Sequence[Receiver],
    asked: Sequence[str],
    motors: Sequence[str],
    interface: str = EFFORT,
) -> tuple[str, ...]:
    """Return the joints of the commands, in the order in which those who take them want them.

    `asked` are the joints that a parameter names, if any, and `motors` all that may be commanded.
    Where no receiver says its joints, it is one of these. Raises NotBegunError, worded, if the
    receivers want something else than what `interface` says of these joints, or not the same.
    """
    known = [receiver for receiver in receivers if receiver.joints]
    _refuse_other_interfaces(receivers, interface)
    if not known:
        return tuple(asked or motors)
    first = known[0]
    for other in known[1:]:
        if other.joints != first.joints:
            raise NotBegunError(
                f"{first.name} and {other.name} take the same commands with different joints, "
                f"{quoted(first.joints)} and {quoted(other.joints)}: send commands to one of them"
            )
    if len(set(first.joints)) != len(first.joints):
        raise NotBegunError(
            f"{first.name} takes commands for a joint twice, {quoted(first.joints)}: let its "
            "parameter joints name every joint once"
        )
    strangers = [name for name in first.joints if name not in motors]
    if strangers:
        raise NotBegunError(
            f"{first.name} takes commands for joint {quoted(strangers)}, for which the robot's "
            f"description has no motor: give it some of {quoted(motors)}, or give this node the "
            "description of its robot"
        )
    if asked and set(asked) != set(first.joints):
        raise NotBegunError(
            f"command_joints names {quoted(asked)} but {first.name} takes {quoted(first.joints)}: "
            "leave command_joints empty, or let both name the same joints"
        )
    return first.joints


def compensates_gravity(receivers: Sequence[Receiver], told: bool | None) -> bool | None:
    """Return whether the hardware adds gravity: by its own word, else as the parameter tells.

    None: nobody says.
    """
    words = [receiver.compensates for receiver in receivers if receiver.compensates is not None]
    return words[0] if words else told


def silent(receivers: Sequence[Receiver]) -> list[str]:
    """Return who does not say its joints, if nobody does."""
    if any(receiver.joints for receiver in receivers):
        return []
    return [receiver.name for receiver in receivers]


def _refuse_other_interfaces(receivers: Sequence[Receiver], interface: str) -> None:
    for receiver in receivers:
        if receiver.wants_other(interface):
            raise NotBegunError(
                f"{receiver.name} takes commands of {receiver.interface}, not of {interface}: send "
                f"commands to a controller whose interface_name is {interface}"
            )
