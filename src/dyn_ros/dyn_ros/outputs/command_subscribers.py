# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The subscribers of a node's commands: which of them takes them, and for which joints."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from controller_manager_msgs.msg import ControllerManagerActivity
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.expand_topic_name import expand_topic_name

from dyn_ros.messages.joint_order import quoted
from dyn_ros.node.interfaces import name_of
from dyn_ros.node.part import Host, Part
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, parameter
from dyn_ros.outputs.competing_publishers import LATCHED, UNKNOWN_NODE_NAME, CompetingPublishers
from dyn_ros.safety.beginning import NotBegunError
from dyn_ros.safety.command_subscriber import Subscriber

FIELDS = {  # of a Subscriber, by the parameter that reports it, and the value's type
    "joints": ("joints", ParameterType.PARAMETER_STRING_ARRAY),
    "interface_name": ("interface", ParameterType.PARAMETER_STRING),
    "hardware_compensates_gravity": ("compensates", ParameterType.PARAMETER_BOOL),
}
NEWCOMER_S = 0.2  # for which a subscriber that DDS does not name, or that does not answer, is new
PATIENCE_S = 1.0  # until a question is asked anew, by another client; twice as long each time
LOOK_PERIOD_S = 2.0  # between two looks at the graph if the number of subscribers stays
CALM_S = 0.2  # between two looks at that number, beside each command's
ACTIVITY = "controller_manager/activity"


@dataclass(frozen=True)
class SubscriberSettings(Group):
    """The command subscriber."""

    command_subscriber: str = parameter(
        "",
        "node that takes ~/commands, in the order of command_joints, for a driver that does not "
        "report its joints; empty: the controller that does, by its parameter `joints`. All other "
        "subscribers are passive",
    )


class CommandSubscribers(Part):
    """Asks the subscribers of the commands for their joints, without waiting for the answers.

    A parameter that a node does not have makes it leave out all others, so that each is a question
    of its own.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "command_subscribers": "nodes that subscribe to the commands; passive ones in brackets",
        ACTIVITY: "states of the controllers; also in the namespaces of other subscribers",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (SubscriberSettings,)

    def __init__(self, node: Host) -> None:
        """Belong to a node; no subscriber is known yet."""
        super().__init__(node)
        self.publisher: Any = None  # of the commands
        self.by_name = False  # whether commands name their joints
        self.interface = ""  # what commands are for: effort, velocity; empty: anything
        self.changes = 0  # of the subscribers, their answers and states, and of other publishers
        self.rivals = CompetingPublishers(node)
        self._asked: dict[str, _Asked] = {}  # by name
        self._states: dict[str, dict[str, str]] = {}  # of controllers, by their namespace
        self.start()

    def start(self) -> None:
        """Ask everybody anew."""
        for asked in self._asked.values():
            asked.close()
        self._asked.clear()
        self.come = self._count = -1  # how many have come, and how many are there
        self._looked = -LOOK_PERIOD_S
        self._unnamed = 0.0  # s, since when DDS may have one without a name yet; 0: it has none
        self.newcomer: float | None = None  # s, when one came that is new still

    def connect(self, publisher: Any, interface: str, *, by_name: bool) -> None:
        """Watch the subscribers of a topic of commands."""
        self.publisher, self.interface, self.by_name = publisher, interface, by_name
        self.rivals.open(self.opened, publisher.topic_name, self._note_change)
        self._watch_controllers(self.node.get_namespace())

    def stop(self) -> None:
        """Report that no commands are sent."""
        self.rivals.announce(self.clock.now(), None)

    def close(self) -> None:
        """Forget everybody."""
        super().close()
        self.start()
        self._states.clear()
        self.publisher = None

    def watch(self) -> float | None:
        """Update the subscribers and their answers."""
        self.update(self.clock.now())
        return CALM_S if self.newcomer is None and self._taking() else None

    def update(self, now: float) -> None:
        """Look at the subscribers if some may have come, and take their answers."""
        matched = self.publisher.matched()
        if (matched.current_count, matched.total_count) != (self._count, self.come):
            self._count, self.come = matched.current_count, matched.total_count
            self.newcomer = self._unnamed = now
        naming = self._unnamed and now - self._unnamed < LOOK_PERIOD_S
        if naming or now - self._looked > LOOK_PERIOD_S:
            self._look(now)
        for asked in self._asked.values():
            if asked.watch(now):
                self.changes += 1
        if not self._unnamed and not any(asked.pending for asked in self._asked.values()):
            self.newcomer = None

    def has_newcomer(self, now: float) -> bool:
        """Update; return whether one came just now that may take commands in place of another."""
        self.update(now)
        new = self.newcomer is not None and now - self.newcomer < NEWCOMER_S
        return new and not self._chosen

    def known(self, since: float | None) -> list[Subscriber]:
        """Return who takes the commands, which began at `since`, s.

        Raises NotBegunError, worded, if none is known, if a controller is not active, or if another
        node commands the same motors.
        """
        topic, now = self.publisher.topic_name, self.clock.now()
        if self.publisher.matched().current_count == 0:
            raise NotBegunError(f"{topic} has no subscriber", usual=True)
        self.rivals.refuse_beside_others(since, now)
        taking, late = self._taking(), [x for x, asked in self._asked.items() if asked.late(now)]
        if not taking and late:
            self._refuse_absence(late)
        waiting = not self._chosen and self.newcomer is not None and since is None
        if not taking or (waiting and not late):
            what = f"{self._chosen} to subscribe to" if self._chosen else "a controller on"
            raise NotBegunError(f"waiting for {what} {topic}", usual=True)
        for asked in taking:
            if (state := self._state(asked.subscriber)) != "active":
                raise NotBegunError(f"controller {asked.subscriber.name} is {state}")
        return [asked.subscriber for asked in taking]

    def _refuse_absence(self, late: Collection[str]) -> None:
        topic = self.publisher.topic_name
        if self._chosen:
            raise NotBegunError(
                f"command_subscriber {self._chosen} does not subscribe to {topic}, but "
                f"{quoted(self._asked)}: start it, or correct its name"
            )
        raise NotBegunError(
            f"no subscriber of {topic} reports its joints by a parameter `joints`: {quoted(late)}. "
            "If one of them is a controller, is it overloaded or stopped? If it is a driver, set "
            "command_subscriber to its name, and command_joints to its order"
        )

    def take(self, joints: tuple[str, ...]) -> bool:
        """Return whether an active subscriber takes commands for these joints, none for others."""
        active = any(self._state(asked.subscriber) == "active" for asked in self._taking())
        return active and not self.others(joints)

    def others(self, joints: tuple[str, ...]) -> list[str]:
        """Return who takes the commands for other joints, in another order or as something else."""
        nodes = [asked.subscriber for asked in self._asked.values()]
        return [
            x.name for x in nodes if x.joints not in ((), joints) or x.wants_other(self.interface)
        ]

    @property
    def audience(self) -> frozenset[bytes]:
        """Identities of who takes commands; of a name those alone that came last."""
        return frozenset(x for asked in self._taking() for x in asked.newest)

    @property
    def present(self) -> frozenset[bytes]:
        """The same of all who are there."""
        return frozenset(x for asked in self._asked.values() for x in asked.newest)

    def report(self, report: Report) -> None:
        """Report the subscribers, and other publishers."""
        taking = {asked.subscriber.name for asked in self._taking()}
        names = ", ".join(x if x in taking else f"({x})" for x in self._asked)
        report.values["command_subscribers"] = names or "none"
        if self.node.active and self.rivals:
            report.note(str(self.rivals))

    @property
    def _chosen(self) -> str:
        """The node that command_subscriber names."""
        name = self.values[SubscriberSettings].command_subscriber
        return (
            expand_topic_name(name, self.node.get_name(), self.node.get_namespace()) if name else ""
        )

    def _taking(self) -> list["_Asked"]:
        """Return who takes commands."""
        if chosen := self._chosen:
            return [self._asked[chosen]] if chosen in self._asked else []
        return [x for x in self._asked.values() if x.subscriber.joints or self.by_name]

    def _state(self, subscriber: Subscriber) -> str:
        """Return the state of a controller; active if it is unknown."""
        namespace, _, name = subscriber.name.rpartition("/")
        return self._states.get(namespace, {}).get(name, "active")

    def _look(self, now: float) -> None:
        self._looked = now
        topic = self.publisher.topic_name
        self.rivals.look(now)
        found = self.node.get_subscriptions_info_by_topic(topic)
        present: dict[str, set[bytes]] = {}
        for x in found:
            if x.node_name != UNKNOWN_NODE_NAME:
                present.setdefault(name_of(x), set()).add(bytes(x.endpoint_gid))
        if sum(map(len, present.values())) == len(found) >= self._count:
            self._unnamed = 0.0
        for name in self._asked.keys() - present.keys():
            self._asked.pop(name).close()
            self.changes += 1
        for name, identities in sorted(present.items()):
            before = self._asked.get(name)
            if before is None or identities - before.identities:
                self._ask(name, identities, now)
            else:
                before.identities = identities

    def _ask(self, name: str, identities: set[bytes], now: float) -> None:
        """Ask who has come, perhaps in place of one that has died and that DDS still knows."""
        before = self._asked.get(name)
        if before is not None:
            before.close()
        newest = identities - (before.identities if before else set())
        questions = () if self._chosen else FIELDS
        self._asked[name] = _Asked(self.node, name, identities, newest, questions, now)
        self._watch_controllers(name.rpartition("/")[0])
        self.changes += 1

    def _watch_controllers(self, namespace: str) -> None:
        namespace = namespace.rstrip("/")
        if namespace not in self._states:
            self._states[namespace] = {}
            take = partial(self._take_states, namespace)
            topic = f"{namespace}/{ACTIVITY}"
            self.opened.subscription(ControllerManagerActivity, topic, take, LATCHED)

    def _take_states(self, namespace: str, message: ControllerManagerActivity) -> None:
        self._states[namespace] = {x.name: x.state.label for x in message.controllers}
        self._note_change()

    def _note_change(self) -> None:
        self.changes += 1


class _Asked:
    """A subscriber, the questions to it, and its answers so far."""

    def __init__(
        self,
        host: Host,
        name: str,
        identities: set[bytes],
        newest: set[bytes],
        questions: Iterable[str],
        now: float,
    ) -> None:
        self.subscriber = Subscriber(name)
        self.identities = identities  # of all of this name
        self.newest = newest  # of those that came last
        self._host, self._service = host, f"{name}/get_parameters"
        self._open: dict[str, Any] = dict.fromkeys(questions)  # futures, or None; answered: gone
        self._client: Any = None
        self._came, self._sent, self._patience = now, 0.0, PATIENCE_S

    @property
    def pending(self) -> bool:
        """Whether it was asked and has not answered all."""
        return bool(self._open and self._sent)

    def late(self, now: float) -> bool:
        """Return whether it has been there for long without reporting joints."""
        return not self.subscriber.joints and now - self._came > PATIENCE_S

    def watch(self, now: float) -> bool:
        """Ask, and take answers; return whether one has come."""
        answered = {name: x for name, x in self._open.items() if x is not None and x.done()}
        for name, future in answered.items():
            del self._open[name]
            self._take(name, future.result())
        if self._open and self._sent and now - self._sent > self._patience:
            self._patience *= 2.0  # a client takes milliseconds, and discovery may know half of it
            self.close()
        if self._open and self._client is None:
            self._client = self._host.create_client(GetParameters, self._service)
        if self._open and not self._sent and self._client.service_is_ready():
            self._sent = now
            for name in self._open:
                self._open[name] = self._client.call_async(GetParameters.Request(names=[name]))
        return bool(answered)

    def close(self) -> None:
        """Ask no more."""
        if self._client is not None:
            self._host.destroy_client(self._client)
        self._client, self._sent = None, 0.0

    def _take(self, parameter: str, response: Any) -> None:
        value = next(iter(response.values), None) if response else None
        field, kind = FIELDS[parameter]
        if value is not None and value.type == kind:
            content = {
                "joints": tuple(value.string_array_value),
                "interface": value.string_value,
                "compensates": value.bool_value,
            }[field]
            self.subscriber = self.subscriber._replace(**{field: content})
