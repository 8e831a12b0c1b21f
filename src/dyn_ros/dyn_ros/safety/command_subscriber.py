# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The command subscriber, and the order of joints that it takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_ros.messages.joint_order import quoted
from dyn_ros.safety.beginning import NotBegunError

EFFORT = "effort"  # what a controller's interface_name has to be for efforts


@dataclass(eq=False)
class Subscriber:
    """A node that subscribes to commands, and what it reports."""

    name: str
    joints: tuple[str, ...] = ()  # in the order of the commands; empty: not reported
    interface: str = ""  # position, velocity, effort; empty: not reported
    compensates: bool | None = None  # whether it adds gravity efforts itself; None: not reported
    ends_in_motion: bool | None = None  # whether the last point of a trajectory may have velocities
    natural_frequency: float | None = None  # of computed_torque, which takes any order of joints

    @property
    def takes(self) -> bool:
        """Whether it takes commands; recorders, for example, do not."""
        return bool(self.joints) or self.natural_frequency is not None

    def wants_other(self, interface: str) -> bool:
        """Whether it takes commands of joints for something else, as of positions for efforts."""
        return bool(self.joints) and self.interface not in ("", interface)


def order_of_commands(
    subscribers: Sequence[Subscriber],
    asked: Sequence[str],
    motors: Sequence[str],
    interface: str = EFFORT,
) -> tuple[str, ...]:
    """Return the joints of the commands, in the order of the subscriber.

    `asked` are the joints that a parameter names, if any, and `motors` all that may be commanded.
    Where no subscriber reports its joints, it is one of these. Raises NotBegunError, worded, if the
    subscribers want something else than what `interface` says of these joints, or not the same.
    """
    for other in subscribers:
        if other.wants_other(interface):
            raise NotBegunError(
                f"{other.name} takes commands of {other.interface}, not of {interface}: send "
                f"commands to a controller whose interface_name is {interface}"
            )
    known = [subscriber for subscriber in subscribers if subscriber.joints]
    if not known:
        return tuple(asked or motors)
    first, *others = known
    for other in others:
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
    if strangers := [name for name in first.joints if name not in motors]:
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


def compensates_gravity(subscribers: Sequence[Subscriber], declared: bool | None) -> bool | None:
    """Return whether the hardware adds gravity: as it reports, else as the parameter says.

    None: unknown.
    """
    reported = (x.compensates for x in subscribers if x.compensates is not None)
    return next(reported, declared)
