# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Finds out who subscribes to a node's commands, and asks them for which joints."""

from collections import Counter
from contextlib import suppress
from time import monotonic
from typing import Any, ClassVar

from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters

from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.messages.controller_activity import ACTIVITY, controller_states
from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.serialized import deserialized
from dyn_ros.node.interfaces import name_of
from dyn_ros.node.part import Host, Part
from dyn_ros.node.report import Report
from dyn_ros.outputs.competing_publishers import UNKNOWN, Rivals
from dyn_ros.safety.beginning import NotBegunError
from dyn_ros.safety.command_subscriber import Receiver, silent

JOINTS, INTERFACE, COMPENSATES = ASKED = (
    "joints",
    "interface_name",
    "hardware_compensates_gravity",
)
MOMENT = 0.2  # s that commands wait until DDS names who takes them; then none for as long
ANSWER = 0.05  # s that they wait then for an answer; `ros2 topic echo` and the like give none
PATIENCE = 3.0  # s after which who has no parameters will not answer; others are waited for
REPEAT = 1.0  # s after which a question is asked again, for a first answer may get lost
RENEWAL = 5.0  # s without an answer until that is tried with another client; then twice as long
PARTICIPANT = 12  # bytes of an endpoint's identity that are those of its participant in DDS
CALM = 0.2  # s between two looks at their number once all have answered, beside each command's
LOOK_PERIOD = 2.0  # s between two looks at the receivers if their number stays
NO_ANSWER = "was it stopped or killed, or is its computer overloaded? End it, or let it spin"


class CommandReceivers(Part):
    """The subscribers of the commands: their joints, read from their parameters, and states.

    Asks without waiting: questions go out and answers are looked at in `watch`. A parameter that a
    node does not have makes it leave out all others, so that each is a question of its own.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "commands go to": "nodes that subscribe to the commands; in brackets those that do not say "
        "for which joints",
    }

    def __init__(self, node: Host) -> None:
        """Belong to a node; no receiver is known yet."""
        super().__init__(node)
        self.publisher: Any = None  # of the commands
        self.by_name = False  # whether commands name their joints
        self.interface = ""  # what commands are for: effort, velocity; empty: anything
        self.changes = 0  # number of changes of the receivers or of their answers
        self.has_newcomer = False  # whether `strange` has to be asked before a command
        self._nameless = False  # whether somebody may have come whom DDS does not name yet
        self._unheard = False  # whether somebody has come who has not said for which joints yet
        self._questions: dict[str, _Question] = {}  # by name of the receiver
        self._states: dict[str, dict[str, str]] = {}  # of controllers, by their manager
        self._managers: Counter[str] = Counter()  # how many nodes of a name publish diagnostics
        self.come = 0  # how many have come, of those that were looked at
        self._count, self._looked = -1, -LOOK_PERIOD
        self._changed = 0.0  # when somebody has come or gone, s
        self._asked = 0.0  # when somebody was asked who has come, s
        self._paused = 0.0  # when commands began to wait for newcomers, s
        self._is_said = False  # whether anybody has said for which joints since the start
        self._rivals = Rivals(node)
        self._robots: set[bytes] = set()  # command subscribers whose process publishes joint states

    def open(self) -> None:
        """Listen to the controller manager."""
        take = self._take_diagnostics
        self.opened.subscription(DiagnosticArray, "/diagnostics", take, raw=True)

    def close(self) -> None:
        """Forget everybody."""
        super().close()
        for question in self._questions.values():
            question.close()
        self._questions.clear()
        self.publisher = None

    def start(self) -> None:
        """Ask everybody anew."""
        for question in self._questions.values():
            question.close()
        self._questions.clear()
        self._is_said = False
        self._count, self._looked = -1, -LOOK_PERIOD

    def watch(self) -> float | None:
        """Update the receivers and their answers."""
        now = monotonic()
        matched = self.publisher.matched()
        if (matched.current_count, matched.total_count) != (self._count, self.come):
            self._count, self.come = matched.current_count, matched.total_count
            self._changed, self._nameless, self.has_newcomer = now, True, True
        if self._nameless or now - self._looked > LOOK_PERIOD:
            self._looked = now
            self._look(now)
        for question in self._questions.values():
            if question.watch(now):
                self.changes += 1
                self._is_said |= bool(question.receiver.joints)
        return CALM if self.settled and not self._nameless else None

    def strange(self) -> bool:
        """Look at the receivers; return whether commands have to wait, for a moment at most.

        Somebody has come whom DDS does not name yet, or who has not answered yet, and who may want
        them in another order. Who come and go all the time take half of the commands at most.
        Commands do not wait while a controller that reported its joints is at work, for it has the
        motors for itself; a newcomer is a recorder then, or `ros2 topic echo`.
        """
        self.watch()
        now = monotonic()
        answered = all(x.settled for x in self._questions.values())
        self._unheard = self._unheard and not answered and now - self._asked < ANSWER
        self.has_newcomer = self._unheard or self._nameless
        waits = self._unheard or (self._nameless and now - self._changed < MOMENT)
        waits = waits and not self._is_at_work()
        if waits and now - self._paused > 2.0 * MOMENT:
            self._paused = now
        return waits and now - self._paused < MOMENT

    def _is_at_work(self) -> bool:
        """Whether a controller that reported its joints moves the only robot that takes commands.

        Joint states come from its process. Of one that was killed DDS knows for some time, but it
        publishes none. A newcomer whose process publishes joint states may be another robot's.
        """
        publisher = self.node.part(JointStateInput).publisher
        if publisher is None or self._robots != {publisher[:PARTICIPANT]}:
            return False
        reported = (x.subscriptions for x in self._questions.values() if x.receiver.joints)
        return any(x[:PARTICIPANT] in self._robots for some in reported for x in some)

    @property
    def settled(self) -> bool:
        """Whether there are receivers, and all have been asked."""
        return bool(self._questions) and all(x.settled for x in self._questions.values())

    def known(self, since: float | None) -> list[Receiver]:
        """Return who takes the commands.

        Raises NotBegunError, worded, if nobody listens, if a controller is not active, or if
        answers are still awaited, unless commands have begun, `since` a time, s, and go to one who
        was asked before; or if another node commands the same motors.
        Where one who has said for which joints has gone, who never does is no one to go on with.
        """
        topic = self.publisher.topic_name
        if self.publisher.matched().current_count == 0:
            raise NotBegunError(f"nobody listens on {topic}", usual=True)
        self._rivals.refuse_beside_others(since)
        asked = [name for name, x in self._questions.items() if not x.settled]
        receivers = [x.receiver for x in self._questions.values() if x.settled or x.receiver.joints]
        left = self._is_said and not any(x.joints for x in receivers)
        if not receivers or (asked and (left or since is None)):
            whom = quoted(asked) or "those who listen"
            if any(self._questions[name].late for name in asked):
                raise NotBegunError(
                    f"no answer from {whom}, for which joints to command: {NO_ANSWER}"
                )
            raise NotBegunError(f"asking {whom} for which joints", usual=True)
        if left:
            names = quoted([x.name for x in receivers])
            raise NotBegunError(
                f"who took them has gone, and {names} does not say for which joints it takes them: "
                "if it is to have them, activate this node again",
                usual=True,
            )
        for receiver in receivers:
            state = self._state(receiver)
            if receiver.joints and state != "active":
                raise NotBegunError(f"controller {receiver.name} is {state}")
        return receivers

    def taken_over(self, since: float) -> bool:
        """Return whether another node has begun to command the motors after a time, s."""
        return any(began > since for began in self._rivals.at_work.values())

    def take(self, joints: tuple[str, ...]) -> bool:
        """Return whether an active receiver takes commands for these joints, none for others."""
        settled = [x.receiver for x in self._taking() if x.settled]
        return not self.others(joints) and any(self._state(x) == "active" for x in settled)

    @property
    def audience(self) -> frozenset[bytes]:
        """Identities of who takes commands; of a name those alone that came last."""
        return frozenset(x for asked in self._taking() for x in asked.newest)

    @property
    def present(self) -> frozenset[bytes]:
        """The same of all who are there."""
        return frozenset(x for asked in self._questions.values() for x in asked.newest)

    def _taking(self) -> list["_Question"]:
        """Return who takes commands: all, where nobody has said for which; else others listen."""
        return [x for x in self._questions.values() if x.receiver.joints or not self._is_said]

    def others(self, joints: tuple[str, ...]) -> list[str]:
        """Return who takes the commands for other joints, in another order or as something else."""
        receivers = [x.receiver for x in self._questions.values()]
        return [
            x.name
            for x in receivers
            if x.joints not in ((), joints) or x.wants_other(self.interface)
        ]

    def report(self, report: Report) -> None:
        """Report the receivers."""
        receivers = [question.receiver for question in self._questions.values()]
        report.values["commands go to"] = (
            ", ".join(x.name if x.joints else f"({x.name})" for x in receivers) or "nobody"
        )
        for receiver in receivers:
            if self.node.active and len(self._said(receiver)) > 1:
                report.note(
                    f"whether {receiver.name} is active is not known: several controllers of this "
                    "name are in /diagnostics, where names have no namespace"
                )
        mute = silent(receivers)
        if self.node.active and mute and not self.by_name:
            report.note(
                f"{quoted(mute)} does not say for which joints it takes commands: make sure that "
                "its order is that of command_joints"
            )

        if self.node.active and self._rivals:
            report.note(str(self._rivals))

    def _state(self, receiver: Receiver) -> str:
        """Return the state of a controller; active if it is unknown or ambiguous."""
        said = self._said(receiver)
        return said[0] if len(said) == 1 else "active"

    def _said(self, receiver: Receiver) -> list[str]:
        """Return the states reported for all controllers with a receiver's name."""
        name = receiver.name.rpartition("/")[2]
        return [
            states[name]
            for manager, states in self._states.items()
            for _ in range(max(1, self._managers[manager]))
            if name in states
        ]

    def _look(self, now: float) -> None:
        self._rivals.look(self.publisher.topic_name)
        found = self.node.get_subscriptions_info_by_topic(self.publisher.topic_name)
        states = self.node.get_publishers_info_by_topic(
            self.node.resolve_topic_name("joint_states")
        )
        self._robots = {participant_of(x) for x in found} & {participant_of(x) for x in states}
        if len(found) < self._count:
            self._robots = set()  # nothing is known of a newcomer
        unnamed = len(found) < self._count or any(x.node_name == UNKNOWN for x in found)
        self._nameless = unnamed and now - self._changed < PATIENCE
        self.has_newcomer |= self._nameless
        subscriptions: dict[str, set[bytes]] = {}
        for x in found:
            if x.node_name != UNKNOWN:
                subscriptions.setdefault(name_of(x), set()).add(bytes(x.endpoint_gid))
        diagnosing = self.node.get_publishers_info_by_topic("/diagnostics")
        self._managers = Counter(
            x for _, x in {(x.node_namespace, x.node_name) for x in diagnosing}
        )
        for name in set(self._questions) - set(subscriptions):
            self._questions.pop(name).close()
            self.changes += 1
        for name, present in sorted(subscriptions.items()):
            question = self._questions.get(name)
            if question is None or present - question.subscriptions:
                self._ask(name, present, now)
            else:
                question.subscriptions = present

    def _ask(self, name: str, subscriptions: set[bytes], now: float) -> None:
        """Ask who has come, perhaps in place of one that has died and that DDS still knows."""
        before = self._questions.get(name)
        if before is not None:
            before.close()
        newest = subscriptions - (before.subscriptions if before else set())
        self._questions[name] = _Question(self.node, name, subscriptions, newest, now)
        self._unheard, self.has_newcomer, self._asked = True, True, now
        self.changes += 1

    def _take_diagnostics(self, data: bytes) -> None:
        if self._rivals.hear(data):
            self.changes += 1
        if ACTIVITY.encode() not in data:  # as most of a robot's: no need to deserialize it
            return
        with suppress(InputRefusedError):
            states = controller_states(deserialized(data, DiagnosticArray))
            if self._states | states != self._states:
                self._states.update(states)
                self.changes += 1


def participant_of(endpoint: Any) -> bytes:
    """Return the identity of the process, or the ROS context in it, of a topic's endpoint."""
    return bytes(endpoint.endpoint_gid)[:PARTICIPANT]


class _Question:
    """The questions to one receiver, and its answers so far."""

    def __init__(
        self, node: Host, name: str, subscriptions: set[bytes], newest: set[bytes], now: float
    ) -> None:
        self.receiver = Receiver(name)
        self.subscriptions = subscriptions  # identities of all of this name
        self.newest = newest  # of those that came last
        self._node, self._service = node, f"{name}/get_parameters"
        self._open: dict[str, list[Any]] = {x: [] for x in ASKED}  # futures; answered ones leave
        self._patience = RENEWAL
        self._is_mute: bool | None = None  # None: not looked yet, for answers may still come
        self._looked = now + PATIENCE - REPEAT
        self._connect(now)

    def _connect(self, now: float) -> None:
        self._client = self._node.create_client(GetParameters, self._service)
        self._sent, self._renewed = -REPEAT, now

    @property
    def settled(self) -> bool:
        """Whether all answers are there, or are not to be expected."""
        return not self._open or bool(self._is_mute)

    @property
    def late(self) -> bool:
        """Whether it can answer and has been asked for long."""
        return self._is_mute is False

    def watch(self, now: float) -> bool:
        """Ask, and take answers; return whether one has come."""
        done = {name: [x for x in asked if x.done()] for name, asked in self._open.items()}
        answered = {name: futures[0] for name, futures in done.items() if futures}
        for name, future in answered.items():
            for other in self._open.pop(name):
                self._client.remove_pending_request(other)
            self._take(name, future.result())
        if answered:
            self._renewed = now
        if self._open and now - self._looked > REPEAT:
            self._looked, self._is_mute = now, not self._can_answer()
        if self._open and now - self._renewed > self._patience:  # discovery may know half of it
            self._patience *= 2.0  # some never answer, and a client takes milliseconds
            self._node.destroy_client(self._client)
            self._open = {name: [] for name in self._open}
            self._connect(now)
        if self._open and now - self._sent > REPEAT and self._client.service_is_ready():
            self._sent = now
            for name, asked in self._open.items():  # late answers to older ones count too
                asked.append(self._client.call_async(GetParameters.Request(names=[name])))
        return bool(answered)

    def _can_answer(self) -> bool:
        """Whether it has parameters: DDS tells of them no later than of who takes commands."""
        return bool(self._node.count_services(self._service))

    def close(self) -> None:
        """Ask no more."""
        self._open.clear()
        self._node.destroy_client(self._client)

    def _take(self, name: str, response: Any) -> None:
        value = next(iter(response.values), None) if response else None
        if value is None:
            return
        if name == JOINTS and value.type == ParameterType.PARAMETER_STRING_ARRAY:
            self.receiver = self.receiver._replace(joints=tuple(value.string_array_value))
        elif name == INTERFACE and value.type == ParameterType.PARAMETER_STRING:
            self.receiver = self.receiver._replace(interface=value.string_value)
        elif name == COMPENSATES and value.type == ParameterType.PARAMETER_BOOL:
            self.receiver = self.receiver._replace(compensates=value.bool_value)
