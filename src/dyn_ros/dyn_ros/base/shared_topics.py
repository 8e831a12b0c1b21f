# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Topics that several nodes of a process read: subscribed once, received once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, ref

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions

from dyn_ros.base.interfaces import destroy
from dyn_ros.base.newest import PAIR, NewestFirst, Serialized
from dyn_ros.base.part import Host
from dyn_ros.base.supervision import Supervision

Receive = Callable[[Any, dict[str, Any]], None]  # gets message and info
Close = Callable[[], None]


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
        self, kind: Any, name: str, qos: QoSProfile, receive: Receive, options: "TopicOptions"
    ) -> Close:
        """Subscribe to a topic with a resolved name, unless that was done; return what ends it."""
        with self._lock:
            topic = self._topic(kind, name, qos, options)
            if isinstance(topic.take, NewestFirst):
                topic.take.hurry |= options.first
                if topic.take.hurry:
                    self._supervision.put_first(topic.take)
            topic.receivers.insert(0 if options.first else len(topic.receivers), receive)

        def close() -> None:
            with self._lock:
                topic.receivers.remove(receive)
                if not topic.receivers:
                    self._topics.remove(topic)
                    release(topic.take)
                    destroy(self.node, "subscription", topic.subscription)

        return close

    def _topic(self, kind: Any, name: str, qos: QoSProfile, options: "TopicOptions") -> "_Topic":
        topic = next((x for x in self._topics if x.is_for(kind, name, qos)), None)
        if topic is None:
            topic = _Topic(kind, name, qos)
            topic.take = options.wrapped(kind, topic.receive)
            topic.subscription = self.node.create_subscription(
                kind, name, topic.take, qos, raw=options.raw
            )
            if isinstance(topic.take, NewestFirst):
                topic.take.subscription = topic.subscription
            self._topics.append(topic)
        return topic


@dataclass(eq=False)
class _Topic:
    """A subscription and the nodes that receive its messages."""

    kind: Any
    name: str
    qos: QoSProfile
    receivers: list[Receive] = field(default_factory=list)
    subscription: Any = None
    take: Any = None  # its callback

    def is_for(self, kind: Any, name: str, qos: QoSProfile) -> bool:
        same = self.kind is kind and self.name == name
        return same and _beside_depth(self.qos) == _beside_depth(qos)

    def receive(self, message: Any, info: dict[str, Any]) -> None:
        """Hand a message to all, also if one of them leaves meanwhile."""
        if len(self.receivers) > 1 and type(message) is Serialized:
            message.readers = []
        for receive in tuple(self.receivers):
            receive(message, info)


def _beside_depth(qos: QoSProfile) -> dict[str, Any]:
    return {**qos.get_c_qos_profile().to_dict(), "depth": 0}


_shared_by: "WeakKeyDictionary[Node, SharedTopics]" = WeakKeyDictionary()


class TopicOptions(NamedTuple):
    """How a topic is read."""

    raw: bool = False  # receivers get a Serialized
    first: bool = False  # it gets the newest message that there is, and before others do

    def wrapped(self, kind: Any, receive: Receive) -> Callable[..., None]:
        """Return the callback of the subscription."""
        return NewestFirst(kind, receive, self.first) if self.raw else with_info(receive)


def release(take: Callable[..., None]) -> None:
    """Let go of the subscription that has this callback, or both would keep each other."""
    if isinstance(take, NewestFirst):
        take.subscription = None


PLAIN = TopicOptions()


def subscribe(
    node: Host,
    kind: Any,
    topic: str,
    receive: Receive,
    qos: QoSProfile,
    options: TopicOptions = PLAIN,
) -> Close:
    """Subscribe with overrides of QoS by parameters of `node`; return what ends it.

    Where the process shares topics, the node's own subscription only finds out name and QoS.
    """
    take = options.wrapped(kind, receive)
    own = node.create_subscription(
        kind,
        topic,
        take,
        qos,
        qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        raw=options.raw,
    )
    shared = _shared_by.get(node)
    if isinstance(take, NewestFirst):
        take.subscription = own
        if options.first and shared is None:
            node.supervision.put_first(take)
    if shared is None:

        def close() -> None:
            release(take)
            destroy(node, "subscription", own)

        return close
    name, found = own.topic_name, own.qos_profile
    release(take)
    destroy(node, "subscription", own)
    return shared.listen(kind, name, found, receive, options)


def with_info(receive: Receive) -> Callable[..., None]:
    """Return a callback for (message, info).

    EventsExecutor calls it with the pair as its only argument, the other executors with two;
    rclpy looks at the signature to find out that it wants the info.
    """

    def callback(*arguments: Any) -> None:
        receive(*(arguments[0] if len(arguments) == 1 else arguments))

    callback.__signature__ = PAIR  # type: ignore[attr-defined]
    return callback
