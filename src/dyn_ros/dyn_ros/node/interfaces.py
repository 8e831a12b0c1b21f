# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a node, or a part of it, talks through."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile

DEPTH = 10  # of queues, unless another is asked for
REQUESTS = QoSProfile(depth=1000)
"""Of services and actions: as many requests may wait. Of more none but the newest is answered."""


class Interfaces(ExitStack):
    """Creates topics, services and timers of a node; `close` destroys them, the last first."""

    def __init__(self, node: Node) -> None:
        """Create nothing yet."""
        super().__init__()
        self._node = node

    def publisher(self, kind: Any, topic: str, qos: Any = DEPTH) -> Any:
        """Return a publisher that publishes in every state of the node."""
        return self._kept(self._node.create_publisher(kind, topic, qos), "publisher")

    def lifecycle_publisher(self, kind: Any, topic: str, qos: Any = DEPTH) -> Any:
        """Return a publisher that publishes while the node is active."""
        made = self._node.create_lifecycle_publisher(kind, topic, qos)
        return self._kept(made, "lifecycle_publisher")

    def subscription(
        self, kind: Any, topic: str, take: Callable[[Any], None], qos: Any = DEPTH
    ) -> None:
        """Call `take` with each message of a topic."""
        self._kept(self._node.create_subscription(kind, topic, take, qos), "subscription")

    def service(self, kind: Any, name: str, answer: Callable[[Any, Any], Any]) -> None:
        """Let `answer` fill in the responses of a service."""
        self._kept(self._node.create_service(kind, name, answer, qos_profile=REQUESTS), "service")

    def timer(self, period: float, tick: Callable[[], None], steady: bool = False) -> Any:
        """Return a timer (period in s), of the node's clock or of the `steady` one."""
        clock = {"clock": Clock(clock_type=ClockType.STEADY_TIME)} if steady else {}
        return self._kept(self._node.create_timer(period, tick, **clock), "timer")

    def _kept(self, made: Any, kind: str) -> Any:
        self.callback(destroy, self._node, kind, made)
        return made


def destroy(node: Node, kind: str, made: Any) -> None:
    """Destroy what a node talks through; what waits for it in an executor's queue goes unheard.

    EventsExecutor serves its queue nevertheless: a callback would run in a node that is cleaned up,
    and InvalidHandle would end the process after a request, or a new subscriber, just before
    (ros2/rclpy issues 1142 and 1644).
    """
    for handler in getattr(made, "event_handlers", ()):
        handler.take_data = _ignore
    if kind in ("subscription", "service"):
        made.callback = _ignore
    if kind == "service":
        made.send_response = _ignore
    getattr(node, f"destroy_{kind}")(made)


def _ignore(*arguments: Any) -> None:
    pass


def name_of(endpoint: Any) -> str:
    """Return the full name of the node that an endpoint of the graph belongs to."""
    return f"{endpoint.node_namespace.rstrip('/')}/{endpoint.node_name}"
