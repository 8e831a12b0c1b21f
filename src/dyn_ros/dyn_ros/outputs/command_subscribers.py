# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The subscribers of a node's commands: which of them takes them, and for which joints."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, ClassVar

from controller_manager_msgs.msg import ControllerManagerActivity
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.expand_topic_name import expand_topic_name
from rclpy.parameter import parameter_value_to_python

from dyn_ros.messages.joint_order import quoted
from dyn_ros.node.interfaces import name_of
from dyn_ros.node.part import Host, Part
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, parameter
from dyn_ros.outputs.competing_publishers import LATCHED, UNKNOWN_NODE_NAME, CompetingPublishers
from dyn_ros.safety.beginning import NotBegunError
from dyn_ros.safety.command_subscriber import Subscriber

ENDS_IN_MOTION = "allow_nonzero_velocity_at_trajectory_end"
FIELDS = {  # of a Subscriber, by the parameter that reports it, and the value's type
    "joints": ("joints", ParameterType.PARAMETER_STRING_ARRAY),
    "interface_name": ("interface", ParameterType.PARAMETER_STRING),
    "hardware_compensates_gravity": ("compensates", ParameterType.PARAMETER_BOOL),
    ENDS_IN_MOTION: ("ends_in_motion", ParameterType.PARAMETER_BOOL),
    "natural_frequency": ("natural_frequency", ParameterType.PARAMETER_DOUBLE),
}
KIND = {"interface_name", "hardware_compensates_gravity"}  # of commands that a controller takes
MAX_ASKED = 10  # times that a question is asked while answers to earlier ones are awaited
PATIENCE_S = 1.0  # for a name, and for an answer, after which the question is asked again
SILENCE_S = 5.0  # after which a driver without a service for parameters is taken for one
LOOK_PERIOD_S = 2.0  # between two looks at the graph if the number of subscribers stays
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
    """Asks the subscribers of the commands for their joints, without waiting for the answers."""

    ABOUT: ClassVar[dict[str, str]] = {
        "command_subscribers": "nodes that subscribe to the commands; passive ones in brackets",
        ACTIVITY: "states of the controllers; also in the namespaces of other subscribers",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (SubscriberSettings,)

    def __init__(self, node: Host) -> None:
        """Belong to a node; no subscriber is known yet."""
        super().__init__(node)
        self.publisher: Any = None  # of the commands
        self.interface = ""  # what commands are for: effort, velocity; empty: anything
        self.changes = 0  # of the subscribers, their answers and states, and of other publishers
        self.competing = CompetingPublishers(node)
        self.known: dict[str, AskedSubscriber] = {}  # by name
        self._states: dict[str, dict[str, str]] = {}  # of controllers, by their namespace
        self.count, self._unnamed = 0, False  # of subscribers; whether one has no name yet
        self._counted = self._looked = -inf  # s, when the number changed, and of the last look

    def connect(self, publisher: Any, interface: str) -> None:
        """Watch the subscribers of a topic of commands."""
        self.publisher, self.interface = publisher, interface
        self.competing.open(self.opened, publisher.topic_name, self._note_change)
        self._watch_controllers(self.node.get_namespace())

    def stop(self) -> None:
        """Report that no commands are sent."""
        self.competing.announce(self.clock.now(), None)

    def close(self) -> None:
        """Forget all subscribers."""
        super().close()
        while self.known:
            self.known.popitem()[1].close()
        self._states.clear()
        self._looked, self.publisher = -inf, None

    def watch(self) -> None:
        """Update the subscribers and their answers."""
        self.update(self.clock.now())

    def update(self, now: float) -> None:
        """Look at the subscribers if their number has changed, and take their answers."""
        count = self.publisher.get_subscription_count()
        if count != self.count:
            self.count, self._counted, self._unnamed = count, now, True
        if self._naming(now) or now - self._looked > LOOK_PERIOD_S:
            self._look(now)
        for asked in self.known.values():
            if asked.watch(now):
                self._note_change()

    def taking(self, since: float | None) -> list[Subscriber]:
        """Return the nodes that take the commands, which began at `since`, s.

        Raises NotBegunError, worded, if there is none or it is not known yet, if a controller is
        not active, or if another node commands the same motors.
        """
        topic, now = self.publisher.topic_name, self.clock.now()
        if self.publisher.get_subscription_count() == 0:
            raise NotBegunError(f"{topic} has no subscriber", usual=True)
        self.competing.refuse_beside_others(since, now)
        taking = self.audience
        late = [x for x, asked in self.known.items() if now - asked.came > PATIENCE_S]
        if late and not taking:
            raise NotBegunError(self._absence(late))
        awaited = since is None and not self._chosen and self._awaited(now)
        if awaited or not taking:
            what = f"{self._chosen} to subscribe to" if self._chosen else "a controller on"
            raise NotBegunError(f"waiting for {what} {topic}", usual=True)
        for subscriber in taking:
            if (state := self._state(subscriber)) != "active":
                raise NotBegunError(f"controller {subscriber.name} is {state}")
        if unknown := self._unknown(now):
            raise NotBegunError(f"waiting for {quoted(unknown)} to report its joints", usual=True)
        if silent := [x.name for x in self.known.values() if x.takes and x.open.keys() & KIND]:
            raise NotBegunError(f"waiting for {quoted(silent)} to report what it takes", usual=True)
        return taking

    def _awaited(self, now: float) -> bool:
        """Whether a subscriber may still report that it takes the commands."""
        asked = self.known.values()
        return self._naming(now) or any(x.open and now - x.came < PATIENCE_S for x in asked)

    def _naming(self, now: float) -> bool:
        """Whether DDS may not know the name of a subscriber yet."""
        return self._unnamed and now - self._counted < PATIENCE_S

    def _absence(self, late: Collection[str]) -> str:
        topic = self.publisher.topic_name
        if self._chosen:
            return (
                f"command_subscriber {self._chosen} does not subscribe to {topic}, but "
                f"{quoted(self.known)}: start it, or correct its name"
            )
        return (
            f"no subscriber of {topic} reports its joints by a parameter `joints`: {quoted(late)}. "
            "If one of them is a controller, is it overloaded or stopped? If it is a driver, set "
            "command_subscriber to its name, and command_joints to its order"
        )

    def awaits(self, name: str, parameter: str) -> bool:
        """Return whether a subscriber still may answer for the first time what a parameter is."""
        asked = self.known[name]
        recent = self.clock.now() - asked.came < SILENCE_S
        return parameter in asked.open and (recent or asked.can_answer)

    def ask_again(self, name: str, parameter: str) -> None:
        """Ask a subscriber for a parameter that may have changed."""
        self.known[name].open.setdefault(parameter, [])

    def take(self, joints: tuple[str, ...]) -> bool:
        """Return whether an active subscriber takes commands for these joints, none for others."""
        active = any(self._state(x) == "active" for x in self.audience)
        return active and not self.others(joints)

    def others(self, joints: tuple[str, ...]) -> list[str]:
        """Return who takes the commands for other joints, in another order or as something else.

        An active controller that has not reported its joints yet may.
        """
        nodes = self.known.values()
        return self._unknown(self.clock.now()) + [
            x.name for x in nodes if x.joints not in ((), joints) or x.wants_other(self.interface)
        ]

    def _unknown(self, now: float) -> list[str]:
        """Return the active controllers that have not reported their joints, and still may."""
        recent = (x for x in self.known.values() if now - x.came < PATIENCE_S)
        return [x.name for x in recent if "joints" in x.open and self._state(x, "") == "active"]

    @property
    def audience(self) -> list[Subscriber]:
        """The subscribers that take the commands; another object if one came anew by its name."""
        if chosen := self._chosen:
            return [self.known[chosen]] if chosen in self.known else []
        return [x for x in self.known.values() if x.takes]

    def report(self, report: Report) -> None:
        """Report the subscribers, and other publishers."""
        taking = self.audience
        names = ", ".join(x.name if x in taking else f"({x.name})" for x in self.known.values())
        report.values["command_subscribers"] = names or "none"
        if self.node.active and self.competing:
            report.note(str(self.competing))

    @property
    def _chosen(self) -> str:
        """The node that command_subscriber names."""
        name = self.values[SubscriberSettings].command_subscriber
        return name and expand_topic_name(name, self.node.get_name(), self.node.get_namespace())

    def _state(self, subscriber: Subscriber, unknown: str = "active") -> str:
        """Return the state of a controller, `unknown` if no manager has it."""
        namespace, _, name = subscriber.name.rpartition("/")
        return self._states.get(namespace, {}).get(name, unknown)

    def _look(self, now: float) -> None:
        """Ask the subscribers that have come, perhaps in place of one of the same name.

        DDS knows one that was killed for some time.
        """
        self._looked = now
        self.competing.look(now)
        found = self.node.get_subscriptions_info_by_topic(self.publisher.topic_name)
        named: dict[str, set[bytes]] = {}
        for x in found:
            if x.node_name != UNKNOWN_NODE_NAME:
                named.setdefault(name_of(x), set()).add(bytes(x.endpoint_gid))
        self._unnamed = sum(map(len, named.values())) < max(len(found), self.count)
        for name, asked in tuple(self.known.items()):
            if name not in named or named[name] - asked.identities:
                self.known.pop(name).close()
                self._note_change()
        for name in sorted(named.keys() - self.known.keys()):
            questions = (ENDS_IN_MOTION,) if self._chosen else FIELDS
            self.known[name] = AskedSubscriber(self.node, name, named[name], questions, now)
            self._watch_controllers(name.rpartition("/")[0])
            self._note_change()

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


class AskedSubscriber(Subscriber):
    """A subscriber, the questions to it, and its answers so far.

    A parameter that a node does not have makes it leave out all others, so that each is a question
    of its own.
    """

    def __init__(
        self, host: Host, name: str, identities: set[bytes], questions: Iterable[str], now: float
    ) -> None:
        """Ask a node that came at `now`, s."""
        super().__init__(name)
        self.identities = identities  # of all of this name
        self.came, self._sent = now, -inf
        self.open: dict[str, list[Any]] = {x: [] for x in questions}  # futures; answered: gone
        self._host = host
        self._client = host.create_client(GetParameters, f"{name}/get_parameters")

    def watch(self, now: float) -> bool:
        """Ask, and take answers; return whether one has come."""
        done = {name: [x for x in asked if x.done()] for name, asked in self.open.items()}
        answered = {name: futures[0] for name, futures in done.items() if futures}
        for name, future in answered.items():
            self._forget(self.open.pop(name))
            field, kind = FIELDS[name]
            for value in future.result().values:
                if value.type == kind:
                    content = parameter_value_to_python(value)
                    setattr(self, field, tuple(content) if name == "joints" else content)
        if self.open and now - self._sent > PATIENCE_S and self.can_answer:
            self._sent = now
            for name, asked in self.open.items():
                self._forget(asked[: 1 - MAX_ASKED])
                del asked[: 1 - MAX_ASKED]
                asked.append(self._client.call_async(GetParameters.Request(names=[name])))
        return bool(answered)

    def _forget(self, futures: Iterable[Any]) -> None:
        for future in futures:
            self._client.remove_pending_request(future)

    @property
    def can_answer(self) -> bool:
        """Whether it is known to have a service for parameters."""
        return bool(self._client.service_is_ready())

    def close(self) -> None:
        """Ask no more."""
        self._host.destroy_client(self._client)
