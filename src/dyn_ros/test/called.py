# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Nodes of which a test calls topics, services and actions, without DDS; time is stepped."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from functools import cache, partial, partialmethod
from inspect import signature
from types import SimpleNamespace
from typing import Any

import rclpy
from action_msgs.msg import GoalStatus
from rcl_interfaces.msg import Log
from rclpy.action import CancelResponse, GoalResponse
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.time import Time
from ros_helpers import begin

from dyn_ros.clock import ManualClock
from dyn_ros.node.dynamics_node import DynamicsNode
from dyn_ros.node.safe_lifecycle import SafeLifecycleNode


class Called:
    """Some nodes in one thread: a message is received before `publish` returns.

    Only a wait steps the clock (`until`, `sleep`), and timers call meanwhile.
    """

    def __init__(self) -> None:
        self.clock = SteppedClock()
        self.nodes: list[Any] = []
        self.ends: list[End] = []
        self.count = itertools.count(1)  # of processes and ends
        self.actions: dict[str, CalledServer] = {}
        self.tester = self.create(partial(Node, "tester"))

    def create(self, kind: Callable[..., Any], **parameters: Any) -> Any:
        """Create a node with these parameters."""
        kind = kind if isinstance(kind, partial) else partial(kind)
        called = type(kind.func.__name__, (CalledNode, kind.func), {"world": self})
        clock = {"clock": self.clock} if issubclass(called, SafeLifecycleNode) else {}
        given = [Parameter(name, value=value) for name, value in parameters.items()]
        options = {"context": context(), "parameter_overrides": given, **clock, **kind.keywords}
        self.nodes.append(called(*kind.args, **options))
        return self.nodes[-1]

    def elsewhere(self) -> Elsewhere:
        """Return where nodes are as if in another process."""
        return Elsewhere(self)

    def start(self) -> None:
        """Nothing has to be begun."""

    def collect(self, kind: Any, topic: str, qos: Any = 10) -> list[Any]:
        """Return a list to which every message of a topic is appended."""
        messages: list[Any] = []
        self.tester.create_subscription(kind, topic, messages.append, qos)
        return messages

    def ignore(self, topic: str) -> None:
        """Let the test subscribe to a topic no more."""
        for end in self.find("subscription", f"/{topic}"):
            if end.node is self.tester:
                end.destroy()

    def find(self, kind: str, name: str) -> list[End]:
        """Return the ends of a topic or service."""
        return [x for x in self.ends if (x.kind, x.topic_name) == (kind, name)]

    def call(self, kind: Any, service: str, **request: Any) -> Any:
        """Return the response of a service."""
        client = self.tester.create_client(kind, service)
        return client.call_async(kind.Request(**request)).result()

    def action_client(self, kind: Any, name: str) -> Any:
        """Return a client of an action."""
        servers, name = self.actions, f"/{name}"
        return SimpleNamespace(
            server_is_ready=lambda: name in servers,
            send_goal_async=lambda goal, **how: servers[name].begin(goal, **how),
        )

    def close(self) -> None:
        """Destroy the nodes."""
        for node in self.nodes:
            DynamicsNode.active_nodes.discard(node)
            node.destroy_node()


class Elsewhere:
    """Another process, which can be killed."""

    def __init__(self, world: Called) -> None:
        self._world = world
        self._nodes: list[Any] = []

    def create(self, kind: Callable[..., Any]) -> Any:
        node = self._world.create(kind)
        node.participant = f"elsewhere {next(self._world.count)}"
        for end in node.own_ends():
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
            for end in node.own_ends():
                end.destroy()


@cache
def context() -> rclpy.Context:
    """Return a context of which no other process hears."""
    return begin(0)


def done(compute: Callable[..., Any], *given: Any) -> Future[Any]:
    """Return a future of what a function returns, which is called at once."""
    future: Future[Any] = Future()
    try:
        future.set_result(compute(*given))
    except Exception as error:
        future.set_exception(error)
    return future


class SteppedClock(ManualClock):
    """A clock whose timers are called while code sleeps on it."""

    def __init__(self) -> None:
        super().__init__()
        self.timers: list[Timer] = []

    def sleep(self, seconds: float) -> None:
        end = self.now() + seconds
        while self.timers and (timer := min(self.timers, key=lambda x: x.due)).due <= end:
            super().sleep(max(0.0, timer.due - self.now()))
            timer.fire()
        super().sleep(max(0.0, end - self.now()))


class Timer:
    """A timer that the clock of its world drives."""

    def __init__(self, node: Any, period: float, tick: Callable[[], None]) -> None:
        self._node, self._clock, self._tick = node, node.world.clock, tick
        self.timer_period_ns = round(1e9 * period)
        self.reset()

    def reset(self) -> None:
        self.due = self._clock.now() + 1e-9 * self.timer_period_ns
        if self.is_canceled():
            self._clock.timers.append(self)

    def cancel(self) -> None:
        if not self.is_canceled():
            self._clock.timers.remove(self)

    destroy = cancel

    def is_canceled(self) -> bool:
        return self not in self._clock.timers

    def fire(self) -> None:
        self.due += 1e-9 * self.timer_period_ns
        if self._node.alive:
            self._tick()


class End:
    """A publisher, subscription, client or service; `use` is called with what comes."""

    lifecycle = lasts = raw = False  # `lasts`: those who come later get the last message
    event_handlers = ()
    handle = type("NoMessages", (nullcontext,), {"take_message": lambda *_: None})()
    last: bytes | None = None
    qos_profile: Any = None
    count = 0  # of messages that were published

    def __init__(self, node: Any, kind: str, name: str, made: Any, use: Any = None) -> None:
        self.node, self.kind, self.topic_name, self.made, self.use = node, kind, name, made, use
        self.takes = len(signature(use).parameters) if use else 0
        self.world = node.world
        self.identify()
        self.world.ends.append(self)

    def identify(self) -> None:
        """Have an identity, which begins with that of the process."""
        participant = self.node.participant.encode()[:12].ljust(12, b"\0")
        self.gid = participant + next(self.world.count).to_bytes(12, "little")

    def destroy(self) -> None:
        if self in self.world.ends:
            self.world.ends.remove(self)

    def publish(self, message: Any) -> None:
        """Hand a message to all subscriptions, each its own copy."""
        if self.lifecycle and not self.node.active:
            return
        data = message if isinstance(message, bytes) else serialize_message(message)
        self.last, self.count = data if self.lasts else None, self.count + 1
        for end in self.world.find("subscription", self.topic_name):
            end.receive(data, self)

    def receive(self, data: bytes, sender: End) -> None:
        """Call the callback as rclpy does."""
        if not self.node.alive:
            return
        message = data if self.raw else deserialize_message(data, self.made)
        stamp = self.world.clock.since_1970()
        info = {"received_timestamp": stamp, "source_timestamp": stamp}
        info |= {"publisher_gid": sender.gid, "publication_sequence_number": sender.count}
        self.use(*(message, info)[: self.takes])

    def get_subscription_count(self) -> int:
        return len(self.world.find("subscription", self.topic_name))

    def wait_for_all_acked(self, *_: Any) -> bool:
        return True

    def service_is_ready(self) -> bool:
        return bool(self.world.find("service", self.topic_name))

    def call_async(self, request: Any) -> Future[Any]:
        """Return the answer, which is there at once unless the service's process was killed."""
        service = self.world.find("service", self.topic_name)[-1]
        alive = service.node.alive
        return done(service.use, request, self.made.Response()) if alive else Future()

    remove_pending_request = wait_for_all_acked


class CalledServer:
    """The server of an action, as `trajectory_action` makes it."""

    def __init__(self, node: Any, kind: Any, name: str, **callbacks: Any) -> None:
        self.kind, self.callbacks, self._known = kind, callbacks, node.world.actions
        self._known[node.resolve_service_name(name)] = self

    def destroy(self) -> None:
        self._known.clear()

    def begin(self, goal: Any, feedback_callback: Any = None) -> Future[Any]:
        """Return the handle of a goal."""
        handle = Handle(self, goal, feedback_callback)
        handle.accepted = self.callbacks["goal_callback"](goal) is GoalResponse.ACCEPT
        if handle.accepted:
            self.callbacks["handle_accepted_callback"](handle)
        return done(lambda: handle)

    def end(self, handle: Handle, finish: Callable[[Any], Any]) -> None:
        """Let `finish` put the goal into its last state, and give its result to the client."""
        result = finish(handle)
        handle.result.set_result(SimpleNamespace(status=handle.status, result=result))


class Handle:
    """A goal, as the server sees it and as the client does."""

    count = itertools.count(1)
    accepted = is_cancel_requested = False
    status = GoalStatus.STATUS_ACCEPTED
    execute = partialmethod(setattr, "status", GoalStatus.STATUS_EXECUTING)
    succeed = partialmethod(setattr, "status", GoalStatus.STATUS_SUCCEEDED)
    abort = partialmethod(setattr, "status", GoalStatus.STATUS_ABORTED)
    canceled = partialmethod(setattr, "status", GoalStatus.STATUS_CANCELED)

    def __init__(self, server: CalledServer, request: Any, feedback: Any) -> None:
        self.request, self._server, self._feedback = request, server, feedback
        self.goal_id = SimpleNamespace(uuid=next(self.count).to_bytes(16, "little"))
        self.result: Future[Any] = Future()

    def publish_feedback(self, feedback: Any) -> None:
        if self._feedback:
            self._feedback(SimpleNamespace(feedback=feedback))

    def get_result_async(self) -> Future[Any]:
        return self.result

    def cancel_goal_async(self) -> Future[Any]:
        """Ask the server to cancel the goal, unless it has ended."""
        answer = self._server.callbacks["cancel_callback"](self)
        may = answer is CancelResponse.ACCEPT and not self.result.done()
        self.is_cancel_requested |= may
        return done(lambda: SimpleNamespace(goals_canceling=[self] if may else []))


class CalledNode:
    """What a node calls of rclpy, by its world."""

    world: Called
    participant = "the test"
    alive = True  # unless its process was killed

    def own_ends(self) -> list[End]:
        return [x for x in self.world.ends if x.node is self]

    def end(self: Any, kind: str, made: Any, name: str, use: Any = None, **_: Any) -> End:
        of_service = kind in ("service", "client")
        resolve = self.resolve_service_name if of_service else self.resolve_topic_name
        return End(self, kind, resolve(name), made, use)

    create_service = partialmethod(end, "service")
    create_client = partialmethod(end, "client")

    def create_publisher(self, made: Any, topic: str, qos: Any, **_: Any) -> End:
        publisher = self.end("publisher", made, topic)
        publisher.lasts = lasts(qos)
        return publisher

    def create_lifecycle_publisher(self, made: Any, topic: str, qos: Any) -> End:
        publisher = self.create_publisher(made, topic, qos)
        publisher.lifecycle = True
        return publisher

    def create_subscription(
        self, made: Any, topic: str, take: Any, qos: Any, raw: bool = False, **_: Any
    ) -> End:
        subscription = self.end("subscription", made, topic, take)
        subscription.qos_profile, subscription.raw = qos, raw
        for end in self.world.find("publisher", subscription.topic_name):
            if lasts(qos) and end.last is not None:
                subscription.receive(end.last, end)
        return subscription

    def create_timer(self, period: float, tick: Callable[[], None], *_: Any, **__: Any) -> Timer:
        return Timer(self, period, tick)

    def destroy_publisher(self: Any, made: Any) -> bool:
        made.destroy()
        if made in self._services:  # one of those by which rclpy shows types and states
            self._services.remove(made)
        return True

    destroy_lifecycle_publisher = destroy_subscription = destroy_service = destroy_publisher
    destroy_client = destroy_timer = destroy_publisher

    def get_clock(self: Any) -> Any:
        if (own := super().get_clock()).ros_time_is_active:
            return own
        now = lambda: Time(nanoseconds=self.world.clock.since_1970())  # noqa: E731
        return SimpleNamespace(now=now, ros_time_is_active=False)

    def get_logger(self) -> Any:
        return SimpleNamespace(**dict.fromkeys(("debug", "info", "warning", "error"), self.log))

    def log(self, text: str, **_: Any) -> None:
        for end in self.world.find("subscription", "/rosout"):
            end.receive(serialize_message(Log(msg=text)), end)

    def described(self: Any, kind: str, topic: str) -> list[Any]:
        """Return the ends of a topic as the graph shows them."""
        found = self.world.find(kind, self.resolve_topic_name(topic))
        nodes = [(x.node.get_name(), x.node.get_namespace(), x.gid) for x in found]
        fields = "node_name", "node_namespace", "endpoint_gid"
        return [SimpleNamespace(**dict(zip(fields, x, strict=True))) for x in nodes]

    get_subscriptions_info_by_topic = partialmethod(described, "subscription")
    get_publishers_info_by_topic = partialmethod(described, "publisher")

    def count(self: Any, kind: str, topic: str) -> int:
        return len(self.described(kind, topic))

    count_subscribers = partialmethod(count, "subscription")
    count_publishers = partialmethod(count, "publisher")


def lasts(qos: Any) -> bool:
    """Return whether who comes later gets what was published before."""
    return getattr(qos, "durability", None) == DurabilityPolicy.TRANSIENT_LOCAL
