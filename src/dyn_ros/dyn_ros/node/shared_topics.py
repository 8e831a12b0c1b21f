# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The subscriptions and the timer of a node, or of several in a process that share them.

A topic that several nodes read is received once. A tick of a timer wakes two threads, which costs
as much processor time as a joint state does, so that all nodes have one.

The executor serves in the order of arrival. Clients that ask faster than they get answers would
keep joint states and the timer waiting, so these are looked after between requests too.
"""

from collections.abc import Callable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from inspect import signature
from threading import Lock
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions

from dyn_ros.clock import CLOCK, Clock
from dyn_ros.node.interfaces import Interfaces, destroy

PERIOD = 0.02  # s
Receive = Callable[[Any, dict[str, Any]], None]  # gets message and info
Close = Callable[[], None]
PAIR = signature(lambda message, info: None)
"""By which rclpy finds out that a callback wants the info of a message too."""


class SharedTopics:
    """Subscribes for nodes and looks after them; all by the thread that spins its `node`.

    Each of them has its own parameters, remaps and overrides of QoS: those share that come to the
    same topic with the same QoS. They come and go in any order, as their life cycles say.
    """

    def __init__(self, node: Node, clock: Clock = CLOCK) -> None:
        """Do so by `node`: one that is alone, or that of `of_process`."""
        self.node, self._clock = node, clock
        self.looks: list[Callable[[], None]] = []  # called again and again
        self._first: list[Callable[[], None]] = []  # called before the next request
        self._ticked = 0.0  # s
        self._topics: list[_Topic] = []
        self._lock = Lock()  # of these, for nodes of another executor come and go in its thread
        Interfaces(node).timer(PERIOD, self._tick, steady=True)  # also while simulated time rests

    @classmethod
    def of_process(cls, context: Any = None) -> "SharedTopics":
        """Return one with a node of its own; the leading underscore hides it from lists."""
        return cls(
            Node(
                "_shared_topics",
                context=context,
                use_global_arguments=False,  # nodes resolve names before they subscribe
                start_parameter_services=False,
                enable_rosout=False,
            )
        )

    def catch_up(self) -> None:
        """Take what comes first, and look after what is due; to be called after each request."""
        for take in tuple(self._first):
            take()
        if self._clock.now() - self._ticked > PERIOD:
            self._tick()

    def _tick(self) -> None:
        self._ticked = self._clock.now()
        for look in self.looks:
            look()

    def subscribe(
        self,
        node: Node,
        kind: Any,
        topic: str,
        receive: Receive,
        qos: QoSProfile,
        *,
        first: bool = False,
        raw: bool = False,
    ) -> Close:
        """Subscribe with overrides of QoS by parameters of `node`; return what ends it.

        What comes `first` is taken before requests that wait, and before other nodes get it.
        A `raw` message comes as bytes. `receive` is called by the thread of `self.node`, which may
        not be that of `node`.
        """
        own = node.create_subscription(
            kind,
            topic,
            with_info(receive),
            copy(qos),  # rclpy writes the overrides into it
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
            raw=raw,
        )
        if node is not self.node:  # the own one only finds out name and QoS
            name, found = own.topic_name, own.qos_profile
            destroy(node, "subscription", own)
            return self._listen(kind, name, found, receive, first, raw)
        alone = _Topic(kind, topic, qos, raw, [receive], own)
        if first:
            self._first.append(alone.take)
        return lambda: self._end(alone)

    def _listen(
        self, kind: Any, name: str, qos: QoSProfile, receive: Receive, first: bool, raw: bool
    ) -> Close:
        """Subscribe to a topic with a resolved name, unless that was done; return what ends it."""
        with self._lock:
            topic = next((x for x in self._topics if x.is_for(kind, name, qos, raw)), None)
            if topic is None:
                topic = _Topic(kind, name, qos, raw)
                take = with_info(topic.receive)
                topic.subscription = self.node.create_subscription(kind, name, take, qos, raw=raw)
                self._topics.append(topic)
            if first and topic.take not in self._first:
                self._first.append(topic.take)
            topic.receivers.insert(0 if first else len(topic.receivers), receive)

        def close() -> None:
            with self._lock:
                topic.receivers.remove(receive)
                if not topic.receivers:
                    self._topics.remove(topic)
                    self._end(topic)

        return close

    def _end(self, topic: "_Topic") -> None:
        if topic.take in self._first:
            self._first.remove(topic.take)
        destroy(self.node, "subscription", topic.subscription)


@dataclass(eq=False)
class _Topic:
    """A subscription and the nodes that receive its messages."""

    kind: Any
    name: str
    qos: QoSProfile
    raw: bool
    receivers: list[Receive] = field(default_factory=list)
    subscription: Any = None

    def is_for(self, kind: Any, name: str, qos: QoSProfile, raw: bool) -> bool:
        same = self.kind is kind and self.name == name and self.raw == raw
        return same and _beside_depth(self.qos) == _beside_depth(qos)

    def receive(self, message: Any, info: dict[str, Any]) -> None:
        """Hand a message to all, also if one of them leaves meanwhile."""
        for receive in tuple(self.receivers):
            receive(message, info)

    def take(self) -> None:
        """Receive the messages that wait."""
        handle = self.subscription.handle
        with suppress(InvalidHandle), handle:
            while (taken := handle.take_message(self.kind, self.raw)) is not None:
                self.receive(*taken)


def _beside_depth(qos: QoSProfile) -> dict[str, Any]:
    return {**qos.get_c_qos_profile().to_dict(), "depth": 0}


def with_info(receive: Receive) -> Callable[..., None]:
    """Return a callback for (message, info).

    EventsExecutor calls it with the pair as its only argument, the other executors with two;
    rclpy looks at the signature to find out that it wants the info.
    """

    def callback(*arguments: Any) -> None:
        receive(*(arguments[0] if len(arguments) == 1 else arguments))

    callback.__signature__ = PAIR  # type: ignore[attr-defined]
    return callback
