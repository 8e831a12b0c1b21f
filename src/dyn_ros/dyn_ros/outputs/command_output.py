# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The base of parts that publish commands: subscribers, and the timer beside joint states."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dyn_core
from dyn_ros.inputs.command_settings import CommandedJoints, motors
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.messages.joint_message import CommandMessage
from dyn_ros.messages.joint_order import quoted
from dyn_ros.node.part import Part
from dyn_ros.node.report import Report
from dyn_ros.outputs.command_subscribers import AskedSubscriber, CommandSubscribers
from dyn_ros.outputs.competing_publishers import OthersCommandError
from dyn_ros.safety.beginning import NotBegunError
from dyn_ros.safety.command_subscriber import Subscriber, order_of_commands

ACTIVE_TIME = "command_active_time"  # in diagnostics, a number only while commands are sent
COMMAND_PERIOD_S = 0.005  # s between commands while no joint state comes
NUMBER = re.compile(r"(?<!\w)-?[0-9][0-9.]*(e[-+][0-9]+)?")  # none in the name of a joint


class CommandOutput(Part):
    """A topic of commands, and a timer for commands between joint states.

    A class of it says in `_tick` what is sent then, and cancels the timer when nothing is left.
    """

    node: StateHost
    _model: dyn_core.Model

    def __init__(self, node: StateHost) -> None:
        """Belong to a node."""
        super().__init__(node)
        self._give_out: Callable[[Any], None]  # publishes a message
        self._message = CommandMessage([])
        self._timer: Any = None
        self._next = 0.0  # s, when a command between joint states is due
        self._subscribers: CommandSubscribers
        self._waits_for: NotBegunError | None = None  # why nothing is sent
        self._logged = ""  # the newest logged reason
        self._changes_known = -1  # the change of subscribers that has been looked at
        self._audience: frozenset[Subscriber] = frozenset()  # that took commands when that was
        self._stream: Any  # of commands
        self._since: float | None = None  # s, when they began

    def connect(self, kind: Any, topic: str, interface: str = "") -> None:
        """Create the publisher, and the timer of commands between joint states.

        `interface` is what a controller has to take them for; empty: anything.
        """
        publisher = self.opened.publisher(kind, topic)
        self._give_out = publisher.publish
        self._subscribers = self.node.part(CommandSubscribers)
        self._subscribers.connect(publisher, interface)
        self._timer = self.opened.timer(
            COMMAND_PERIOD_S, partial(self._tick_if_due, 0.5 * COMMAND_PERIOD_S), steady=True
        )
        self._timer.cancel()

    def watch(self) -> None:
        """Announce that commands are sent, or that they are not."""
        since = self._since if self._stream.begun else None
        self._subscribers.competing.announce(self.clock.now(), since)

    def close(self) -> None:
        """Destroy publisher and timer."""
        super().close()
        self._timer = None

    @property
    def busy(self) -> bool:
        """Whether a shutdown command takes its time."""
        return self._timer is not None and not self.node.active and not self._timer.is_canceled()

    def send_due(self) -> None:
        """Send what is due, also while the timer waits behind requests or joint states."""
        self._tick_if_due(0.0)

    def _tick_if_due(self, early: float) -> None:
        """Tick if commands are sent between joint states, and one is due within so many s."""
        now = self.clock.now()
        if self._timer is None or self._timer.is_canceled() or now < self._next - early:
            return
        self._next = now + COMMAND_PERIOD_S
        self._tick()

    def _tick(self) -> None:
        raise NotImplementedError

    def _ready(self, now: float) -> bool:
        """Return whether commands have begun, or begin now; else say why not."""
        subscribers, stream = self._subscribers, self._stream
        if subscribers.publisher.get_subscription_count() != subscribers.count:
            subscribers.update(now)
        if stream.begun and subscribers.changes == self._changes_known:
            return True
        gone = self._audience.isdisjoint(subscribers.known.values())
        if stream.begun and gone and not self._awaits_successor:
            stream.end()  # the subscriber is gone; its successor may have other joints
        if not stream.begun:
            self._since = None
        try:
            self._begin(subscribers.taking(self._since), now)
        except NotBegunError as reason:
            if isinstance(reason, OthersCommandError):
                stream.end()
            self._log_waiting(reason)
            if not self._awaits_successor:
                self._break_off()
            self.node.part(JointStateInput).reader.commanded = ()
            return False
        self._waits_for = None
        self.node.part(JointStateInput).reader.commanded = self._message.joint_names
        if self._since is None:
            topic = subscribers.publisher.topic_name
            self.node.get_logger().info(f"sending commands on {topic}")
            self._since = self.clock.now()
        self._changes_known = subscribers.changes
        self._audience = frozenset(subscribers.audience)
        return True

    def _begin(self, taking: Sequence[Subscriber], now: float) -> None:
        """Begin, or go on, for these subscribers and their joints. Raises NotBegunError."""
        raise NotImplementedError

    def _order_of(self, taking: Sequence[Subscriber]) -> tuple[str, ...]:
        """Return the joints of subscribers, in their order. Raises NotBegunError."""
        asked = self.values[CommandedJoints].command_joints
        usual = motors(self._model, self.values)
        return order_of_commands(taking, asked, usual, self._subscribers.interface)

    def _break_off(self) -> None:
        """End commands, because subscribers do not take them any more."""
        raise NotImplementedError

    @property
    def _successors(self) -> list[AskedSubscriber]:
        """Those that came under the names of command subscribers and get the rest of a shutdown."""
        names = {x.name for x in self._audience}
        known = self._subscribers.known.values()
        return [x for x in known if x.name in names and x not in self._audience]

    @property
    def _awaits_successor(self) -> bool:
        """Whether one of them has not reported its joints, so that nothing but zero is for it."""
        return any("joints" in x.open for x in self._successors)

    def _left_alone(self) -> bool:
        """Whether all command subscribers are gone, or one has come that wants other commands.

        No command is for others that came instead; their robot may stand elsewhere.
        """
        subscribers = self._subscribers
        subscribers.update(self.clock.now())
        if self._awaits_successor:
            return False
        others = subscribers.others(self._message.joint_names)
        if others:
            self.node.get_logger().error(
                f"commands end, and the motors keep the last command: {quoted(others)} subscribes "
                "too, with other joints, another order or another interface: send commands to one "
                "controller"
            )
        taking = {*self._audience, *self._successors}.intersection(subscribers.audience)
        return bool(others or not taking)

    def _start_timer(self) -> None:
        """Let the timer tick; one that does is left alone, or many bad samples would delay it."""
        if self._timer.is_canceled():
            self._timer.reset()

    @property
    def waits_for(self) -> str:
        """Why nothing is sent, in words; empty: commands are sent, or no state was good yet."""
        return "" if self._waits_for is None else str(self._waits_for)

    def _log_waiting(self, reason: NotBegunError) -> None:
        """Log a reason once, whatever numbers are in it, which change with each joint state."""
        kind = NUMBER.sub("", str(reason))
        if self._waits_for is None:
            self._logged = ""
        if kind != self._logged and self.node.is_due(kind):
            self._logged = kind
            logger = self.node.get_logger()
            text = f"no commands: {reason}"
            logger.info(text) if reason.usual else logger.error(text)
        self._waits_for = reason

    def _report_commands(self, report: Report) -> None:
        """Report for how long commands have been active, or why nothing is sent."""
        on = self.node.active and self._stream.begun and not self._waits_for and self._since
        report.values[ACTIVE_TIME] = f"{self.clock.now() - on:.3f}" if on else "off"
        if self.node.active and self._waits_for is not None:
            say = report.note if self._waits_for.usual else report.error
            say(f"no commands: {self._waits_for}")
