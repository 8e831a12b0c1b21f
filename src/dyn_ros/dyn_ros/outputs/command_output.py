# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The base of parts that publish commands: receivers, and the timer beside joint states."""

import re
from collections.abc import Callable
from time import monotonic
from typing import Any

from dyn_ros.inputs.state_host import StateHost
from dyn_ros.messages.joint_message import CommandMessage
from dyn_ros.messages.joint_order import quoted
from dyn_ros.node.interfaces import WatchedPublisher
from dyn_ros.node.part import Part
from dyn_ros.node.report import Report
from dyn_ros.outputs.command_subscribers import CommandReceivers
from dyn_ros.outputs.competing_publishers import ON_FOR, OthersCommandError
from dyn_ros.safety.beginning import NotBegunError
from dyn_ros.safety.command_subscriber import Receiver

TICK = 0.005  # s between commands while no joint state comes
NUMBER = re.compile(r"(?<!\w)-?[0-9][0-9.]*(e[-+][0-9]+)?")  # none in the name of a joint


class CommandOutput(Part):
    """A topic of commands, and a timer for commands between joint states.

    A class of it says in `_tick` what is sent then, and cancels the timer when nothing is left.
    """

    node: StateHost

    def __init__(self, node: StateHost) -> None:
        """Belong to a node."""
        super().__init__(node)
        self._give_out: Callable[[Any], None]  # publishes a message
        self._matched: Callable[[], Any]  # returns who has come, as DDS knows it at once
        self._message = CommandMessage([])
        self._timer: Any = None
        self._next = 0.0  # s, when a command between joint states is due
        self._receivers: CommandReceivers
        self._waits_for: NotBegunError | None = None  # why nothing is sent
        self._told = ""  # what was logged of that
        self._receivers_known = -1  # the change of receivers that has been looked at
        self._audience: frozenset[bytes] = frozenset()  # who took commands when that was
        self._stream: Any  # of commands
        self._since: float | None = None  # s, when they began

    def connect(self, kind: Any, topic: str, interface: str = "") -> None:
        """Create the publisher, and the timer of commands between joint states.

        `interface` is what a controller has to take them for; empty: anything.
        """
        publisher = self.opened.publisher(kind, topic, publisher_class=WatchedPublisher)
        self._give_out = publisher.publish
        self._matched = publisher.matched
        self._receivers = self.node.part(CommandReceivers)
        self._receivers.publisher, self._receivers.interface = publisher, interface
        self._timer = self.opened.timer(TICK, self._tick_in_turn, steady=True)
        self._timer.cancel()

    def close(self) -> None:
        """Destroy publisher and timer."""
        super().close()
        self._timer = None

    @property
    def busy(self) -> bool:
        """Whether a last word takes its time."""
        return self._timer is not None and not self.node.active and not self._timer.is_canceled()

    def go_on(self) -> None:
        """Send what is due, also while the timer waits behind requests or joint states."""
        now = monotonic()
        if now >= self._next and self._timer is not None and not self._timer.is_canceled():
            self._next = now + TICK
            self._tick()

    def _tick_in_turn(self) -> None:
        """Tick by the timer, unless `go_on` was first."""
        now = monotonic()
        if now >= self._next - 0.5 * TICK:
            self._next = now + TICK
            self._tick()

    def _tick(self) -> None:
        raise NotImplementedError

    def _known(self) -> list[Receiver]:
        """Return who takes the commands. Raises NotBegunError; ends beside others that command."""
        if not self._stream.begun:
            self._since = None
        try:
            return self._receivers.known(self._since)
        except OthersCommandError:
            self._stream.end()
            raise

    def _know_receivers(self) -> None:
        """Keep that the receivers, as they are now, have been looked at, and commands go on."""
        self._waits_for = None
        self._since = self._since or monotonic()
        self._receivers_known, self._audience = self._receivers.changes, self._receivers.audience

    def _left_alone(self) -> bool:
        """Whether all who took commands are gone, or somebody has come who wants other ones.

        A last word is not for those who came instead; their robot may stand elsewhere. Of who was
        killed DDS knows for some time.
        """
        others = self._receivers.others(self._message.joint_names)
        if others:
            self.node.get_logger().error(
                f"commands end, and the motors keep the last: {quoted(others)} would get them too, "
                "and takes them for joints in another order, for others or for another interface: "
                "send commands to one controller"
            )
        return bool(others) or not (self._audience & self._receivers.present)

    def _go_on(self) -> None:
        """Let the timer tick; one that does is left alone, or many bad samples would delay it."""
        if self._timer.is_canceled():
            self._timer.reset()

    @property
    def waits_for(self) -> str:
        """Why nothing is sent, in words; empty: commands are sent, or no state was good yet."""
        return "" if self._waits_for is None else str(self._waits_for)

    def _tell_waiting(self, reason: NotBegunError) -> None:
        """Log a reason once, whatever numbers are in it, which change with each joint state."""
        kind = NUMBER.sub("", str(reason))
        if self._waits_for is None:
            self._told = ""
        if kind != self._told and self.node.is_due(kind):
            self._told = kind
            logger = self.node.get_logger()
            text = f"no commands: {reason}"
            logger.info(text) if reason.usual else logger.error(text)
        self._waits_for = reason

    def _report_commands(self, report: Report) -> None:
        """Say for how long commands are on, or why nothing is sent."""
        on = self.node.active and self._stream.begun and self._since
        report.values[ON_FOR] = f"{monotonic() - on:.3f}" if on else "off"
        if self.node.active and self._waits_for is not None:
            say = report.note if self._waits_for.usual else report.error
            say(f"no commands: {self._waits_for}")
