# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Nodes of which a test calls topics and services: nothing goes over DDS, and time is stepped."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from functools import cache, partial
from inspect import signature
from types import SimpleNamespace
from typing import Any

import rclpy
from called_action import CalledClient, CalledServer
from called_clock import SteppedClock, Timer
from rcl_interfaces.msg import Log
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.time import Time
from ros_helpers import begin

from dyn_ros.node.dynamics_node import DynamicsNode
from dyn_ros.node.safe_lifecycle import SafeLifecycleNode


class Called:
    """Publishers, subscribers, services and timers of some nodes, in one thread.

    A message is received before `publish` returns. Whoever waits by `until` steps the clock.
    """

    def __init__(self) -> None:
        self.clock = SteppedClock()
        self.nodes: list[Any] = []
        self.ends: dict[tuple[str, str], list[Any]] = {}  # by kind and name: publisher, /topic
        self.count = itertools.count(1)
        self.actions: dict[str, CalledServer] = {}
        self.come: dict[str, int] = {}  # subscriptions to a topic since the beginning
        self.tester = self.create(partial(Node, "tester"))

    def create(self, kind: Callable[..., Any], **parameters: Any) -> Any:
        """Create a node with these parameters."""
        options = dict(kind.keywords) if isinstance(kind, partial) else {}
        arguments = kind.args if isinstance(kind, partial) else ()
        made = kind.func if isinstance(kind, partial) else kind
        made = Node if made is rclpy.create_node else made
        if issubclass(made, SafeLifecycleNode):
            options["clock"] = self.clock
        if parameters:
            overrides = [Parameter(name, value=value) for name, value in parameters.items()]
            options["parameter_overrides"] = overrides
        called = type(made.__name__, (CalledNode, made), {"world": self})
        self.nodes.append(called(*arguments, context=context(), **options))
        return self.nodes[-1]

    def elsewhere(self) -> Elsewhere:
        """Return where nodes are as if in another process."""
        return Elsewhere(self)

    def start(self) -> None:
        """Nothing has to be begun."""

    def settle(self) -> None:
        """Nothing is on its way."""

    def collect(self, kind: Any, topic: str, qos: Any = 10) -> list[Any]:
        """Return a list to which every message of a topic is appended."""
        messages: list[Any] = []
        self.tester.create_subscription(kind, topic, messages.append, qos)
        return messages

    def action_client(self, kind: Any, name: str, **_: Any) -> CalledClient:
        """A client of an action."""
        return CalledClient(self.actions, f"/{name}")

    def ignore(self, topic: str) -> None:
        """Let the test subscribe to a topic no more."""
        for end in self.tester.ends():
            if (end.kind, end.topic_name) == ("subscription", f"/{topic}"):
                end.destroy()

    def call(self, kind: Any, service: str, **request: Any) -> Any:
        """Return the response of a service."""
        client = self.tester.create_client(kind, service)
        return client.call_async(kind.Request(**request)).result()

    def close(self) -> None:
        """Destroy the nodes."""
        for node in self.nodes:
            DynamicsNode.at_work.discard(node)
            node.destroy_node()


class Elsewhere:
    """Another process, which can be killed."""

    def __init__(self, world: Called) -> None:
        self._world = world
        self._nodes: list[Any] = []

    def create(self, kind: Callable[..., Any]) -> Any:
        """Create a node."""
        node = self._world.create(kind)
        node.participant = f"elsewhere {next(self._world.count)}"
        for end in node.ends():
            end.identify()
        self._nodes.append(node)
        return node

    def stop(self) -> None:
        """Do nothing more: all seem to be killed, and are still known to others."""
        for node in self._nodes:
            node.alive = False

    def leave(self) -> None:
        """Take the nodes down, as if their process ended."""
        self.stop()
        for node in self._nodes:
            for end in node.ends():
                end.destroy()


@cache
def context() -> rclpy.Context:
    """Return a context of which no other process hears."""
    return begin(0)


def prepare_at_once(prepare: Callable[..., Any], *request: Any) -> Future[Any]:
    """Prepare a description while the caller waits."""
    future: Future[Any] = Future()
    try:
        future.set_result(prepare(*request))
    except Exception as error:
        future.set_exception(error)
    return future


class End:
    """An end of a topic or service; `use` is called with what comes."""

    def __init__(self, node: Any, kind: str, name: str, made: Any, use: Any = None) -> None:
        self.node, self.kind, self.topic_name, self.made, self.use = node, kind, name, made, use
        self.identify()
        self.peers = node.world.ends.setdefault((kind, name), [])
        self.peers.append(self)
        if kind == "subscription":
            node.world.come[name] = node.world.come.get(name, 0) + 1

    def identify(self) -> None:
        """Have an identity, which begins with that of the process."""
        participant = self.node.participant.encode()[:12].ljust(12, b"\0")
        self.gid = participant + next(self.node.world.count).to_bytes(12, "little")

    def destroy(self) -> None:
        """Be there no more."""
        if self in self.peers:
            self.peers.remove(self)

    @property
    def others(self) -> list[End]:
        """Return who is at the other end."""
        other = {"publisher": "subscription", "client": "service"}[self.kind]
        return list(self.node.world.ends.get((other, self.topic_name), ()))

    def described(self) -> Any:
        """Return it as the graph shows it."""
        node = self.node
        return SimpleNamespace(
            node_name=node.get_name(), node_namespace=node.get_namespace(), endpoint_gid=self.gid
        )


class Publisher(End):
    """The publishing end of a topic."""

    lifecycle = lasts = False
    last: bytes | None = None  # which those get who come later, if it `lasts`

    def publish(self, message: Any) -> None:
        """Hand a message to all subscriptions, each its own copy."""
        if self.lifecycle and not self.node.active:
            return
        data = message if isinstance(message, bytes) else serialize_message(message)
        self.last = data if self.lasts else None
        for end in self.others:
            end.receive(data, self.gid)

    def get_subscription_count(self) -> int:
        """Return how many subscribe."""
        return len(self.others)

    def matched(self) -> Any:
        """Return how many subscribe, and have since the beginning."""
        total = self.node.world.come.get(self.topic_name, 0)
        return SimpleNamespace(current_count=len(self.others), total_count=total)

    def wait_for_all_acked(self, *_: Any) -> bool:
        """Return that all has come."""
        return True


class NoMessages(nullcontext[None]):
    """What waits in the queue of a subscription."""

    def take_message(self, kind: Any, raw: bool) -> None:
        """Return nothing: all was received when it was published."""


class Subscription(End):
    """The subscribing end of a topic."""

    raw = False
    event_handlers = ()
    handle = NoMessages()

    def receive(self, data: bytes, gid: bytes) -> None:
        """Call the callback as rclpy does."""
        if not self.node.alive:
            return
        message = data if self.raw else deserialize_message(data, self.made)
        stamp = self.node.world.clock.since_1970()
        info = {"received_timestamp": stamp, "source_timestamp": stamp}
        info |= {"publisher_gid": {"data": gid}, "publication_sequence_number": None}
        pair = len(signature(self.use).parameters) == 2
        self.use(*((message, info) if pair else (message,)))


class Client(End):
    """Whoever asks a service."""

    def service_is_ready(self) -> bool:
        """Return whether there is one."""
        return bool(self.others)

    def call_async(self, request: Any) -> Future[Any]:
        """Return the answer, which is there at once."""
        service = self.others[-1]
        future: Future[Any] = Future()
        if service.node.alive:
            future.set_result(service.use(request, self.made.Response()))
        return future

    def remove_pending_request(self, _: Any) -> None:
        """None is."""


class Logger:
    """A logger of which the lines are messages on /rosout."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher

    def info(self, text: str, **throttle: Any) -> None:
        """Publish a line."""
        self._publisher.publish(Log(msg=text))

    debug = warning = error = fatal = info


def lasts(qos: Any) -> bool:
    """Return whether who comes later gets what was published before."""
    return getattr(qos, "durability", None) == DurabilityPolicy.TRANSIENT_LOCAL


class CalledNode:
    """What a node calls of rclpy, by its world."""

    world: Called
    participant = "the test"
    alive = True  # unless its process was killed
    get_name: Any
    resolve_topic_name: Any
    resolve_service_name: Any

    def ends(self) -> list[End]:
        """Return its ends of topics and services."""
        return [x for some in self.world.ends.values() for x in some if x.node is self]

    def create_publisher(self, kind: Any, topic: str, qos: Any, **_: Any) -> Publisher:
        made = Publisher(self, "publisher", self.resolve_topic_name(topic), kind)
        made.lasts = lasts(qos)
        return made

    def create_lifecycle_publisher(self, kind: Any, topic: str, qos: Any) -> Publisher:
        made = self.create_publisher(kind, topic, qos)
        made.lifecycle = True
        return made

    def create_subscription(
        self, kind: Any, topic: str, take: Any, qos: Any, *, raw: bool = False, **_: Any
    ) -> Subscription:
        name = self.resolve_topic_name(topic)
        made = Subscription(self, "subscription", name, kind, take)
        made.raw, made.qos_profile = raw, qos
        for end in self.world.ends.get(("publisher", name), ()) if lasts(qos) else ():
            if end.last is not None:
                made.receive(end.last, end.gid)
        return made

    def create_service(self, kind: Any, name: str, answer: Any, **_: Any) -> End:
        return End(self, "service", self.resolve_service_name(name), kind, answer)

    def create_client(self, kind: Any, name: str, **_: Any) -> Client:
        return Client(self, "client", self.resolve_service_name(name), kind)

    def create_timer(self, period: float, tick: Callable[[], None], *_: Any, **__: Any) -> Timer:
        return Timer(self, period, tick)

    def destroy_publisher(self, made: Any) -> bool:
        made.destroy()
        return True

    destroy_lifecycle_publisher = destroy_subscription = destroy_publisher
    destroy_client = destroy_timer = destroy_publisher

    def destroy_service(self, made: Any) -> bool:
        """Destroy one of these, or one of those by which rclpy shows types and states."""
        made.destroy()
        if made in self._services:
            self._services.remove(made)
        return True

    def get_clock(self) -> Any:
        clock = self.world.clock
        return SimpleNamespace(
            now=lambda: Time(nanoseconds=clock.since_1970()), ros_time_is_active=False
        )

    def get_logger(self) -> Logger:
        return Logger(Publisher(self, "publisher", "/rosout", Log))

    def count_subscribers(self, topic: str) -> int:
        return len(self.get_subscriptions_info_by_topic(topic))

    def count_publishers(self, topic: str) -> int:
        return len(self.get_publishers_info_by_topic(topic))

    def count_services(self, name: str) -> int:
        return len(self.world.ends.get(("service", self.resolve_service_name(name)), ()))

    def get_subscriptions_info_by_topic(self, topic: str) -> list[Any]:
        return self._ends("subscription", topic)

    def get_publishers_info_by_topic(self, topic: str) -> list[Any]:
        return self._ends("publisher", topic)

    def _ends(self, kind: str, topic: str) -> list[Any]:
        ends = self.world.ends.get((kind, self.resolve_topic_name(topic)), ())
        return [x.described() for x in ends]
