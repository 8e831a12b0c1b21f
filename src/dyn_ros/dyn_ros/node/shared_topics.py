# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Topics that several nodes of a process read: subscribed once, received once."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary, ref

from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription

from dyn_ros.node.interfaces import destroy
from dyn_ros.node.part import Host
from dyn_ros.node.supervision import Supervision

Receive = Callable[[Any, dict[str, Any]], None]  # gets message and info
Close = Callable[[], None]
PAIR = signature(lambda message, info: None)
"""By which rclpy finds out that a callback wants the info of a message too."""


class SharedTopics:
    """A node that subscribes for others, which the same executor spins.

    Each of them has its own parameters, remaps and overrides of QoS: those share that come to the
    same topic with the same QoS. They come and go in any order, as their life cycles say. One timer
    looks after all of them.
    """

    def __init__(self, nodes: Iterable[Host], guests: Iterable[Host] = ()) -> None:
        """Serve these nodes; the leading underscore hides the own one from lists.

        They listen for robot descriptions here from now on, and for all else that they open later.
        So do `guests`, which another executor spins in its own thread, but for descriptions: what
        they give `subscribe` must be ready to be called by the thread of the others.
        """
        nodes = list(nodes)
        self.node = Node(
            "_shared_topics",
            context=nodes[0].context,
            namespace=nodes[0].get_namespace(),
            use_global_arguments=False,  # nodes resolve names before they subscribe
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._topics: list[_Topic] = []
        self._lock = Lock()  # of these, for guests come and go in another thread
        _shared_by.update(dict.fromkeys(guests, self))
        for node in nodes:
            _shared_by[node] = self
            node.listen_for_description()
        self._supervision = Supervision(self.node, [node.supervise for node in nodes])
        for node in nodes:
            node.supervision.end(instead=self._supervision)
        self._given_back = [ref(node.supervision) for node in nodes]

    def close(self) -> None:
        """Listen no more; from now on each node looks after itself."""
        for node in [x for x, shared in _shared_by.items() if shared is self]:
            del _shared_by[node]  # the timer knows the nodes: none would ever be collected
        for topic in self._topics:
            destroy(self.node, "subscription", topic.subscription)
        self.node.destroy_node()
        for known in self._given_back:
            supervision = known()
            if supervision is not None:
                supervision.begin()

    def listen(
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
            if first and not topic.is_first:
                topic.is_first = True
                topic.leave = come_first(
                    self._supervision, kind, topic.subscription, topic.receive, raw
                )
            topic.receivers.insert(0 if first else len(topic.receivers), receive)

        def close() -> None:
            with self._lock:
                topic.receivers.remove(receive)
                if not topic.receivers:
                    self._topics.remove(topic)
                    topic.leave()
                    destroy(self.node, "subscription", topic.subscription)

        return close


@dataclass(eq=False)
class _Topic:
    """A subscription and the nodes that receive its messages."""

    kind: Any
    name: str
    qos: QoSProfile
    raw: bool
    receivers: list[Receive] = field(default_factory=list)
    subscription: Any = None
    is_first: bool = False
    leave: Close = lambda: None  # ends that it comes first

    def is_for(self, kind: Any, name: str, qos: QoSProfile, raw: bool) -> bool:
        same = self.kind is kind and self.name == name and self.raw == raw
        return same and _beside_depth(self.qos) == _beside_depth(qos)

    def receive(self, message: Any, info: dict[str, Any]) -> None:
        """Hand a message to all, also if one of them leaves meanwhile."""
        for receive in tuple(self.receivers):
            receive(message, info)


def _beside_depth(qos: QoSProfile) -> dict[str, Any]:
    return {**qos.get_c_qos_profile().to_dict(), "depth": 0}


_shared_by: "WeakKeyDictionary[Node, SharedTopics]" = WeakKeyDictionary()


def subscribe(
    node: Host,
    kind: Any,
    topic: str,
    receive: Receive,
    qos: QoSProfile,
    *,
    first: bool = False,
    raw: bool = False,
) -> Close:
    """Subscribe with overrides of QoS by parameters of `node`; return what ends it.

    Where the process shares topics, the node's own subscription only finds out name and QoS.
    What comes `first` is taken before requests that wait, and before other nodes get it.
    A `raw` message comes as bytes.
    """
    own = node.create_subscription(
        kind,
        topic,
        with_info(receive),
        copy(qos),  # rclpy writes the overrides into it
        qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        raw=raw,
    )
    shared = _shared_by.get(node)
    if shared is None:
        leave = come_first(node.supervision, kind, own, receive, raw) if first else None

        def close() -> None:
            if leave is not None:
                leave()
            destroy(node, "subscription", own)

        return close
    name, found = own.topic_name, own.qos_profile
    destroy(node, "subscription", own)
    return shared.listen(kind, name, found, receive, first, raw)


def come_first(
    supervision: Supervision, kind: Any, subscription: Subscription, receive: Receive, raw: bool
) -> Close:
    """Let messages of a subscription be taken before the next request; return what ends it."""

    def take() -> None:
        handle = subscription.handle
        with suppress(InvalidHandle), handle:
            while (taken := handle.take_message(kind, raw)) is not None:
                receive(*taken)

    supervision.first.append(take)
    return partial(supervision.first.remove, take)


def with_info(receive: Receive) -> Callable[..., None]:
    """Return a callback for (message, info).

    EventsExecutor calls it with the pair as its only argument, the other executors with two;
    rclpy looks at the signature to find out that it wants the info.
    """

    def callback(*arguments: Any) -> None:
        receive(*(arguments[0] if len(arguments) == 1 else arguments))

    callback.__signature__ = PAIR  # type: ignore[attr-defined]
    return callback
