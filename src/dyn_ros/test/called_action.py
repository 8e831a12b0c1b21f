# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""An action of which a test calls the server: what rclpy is between the two, without DDS."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action import CancelResponse, GoalResponse


class CalledServer:
    """The server that `trajectory_action` makes."""

    converted = b"", 0.0

    def __init__(self, node: Any, kind: Any, name: str, **callbacks: Any) -> None:
        self.kind, self.callbacks = kind, callbacks
        self._known = node.world.actions
        self._known[node.resolve_service_name(name)] = self

    def destroy(self) -> None:
        """Be there no more."""
        self._known.clear()

    def end(self, handle: Handle, finish: Callable[[Any], Any]) -> None:
        """Let `finish` put the goal into its last state, and give its result to the client."""
        result = finish(handle)
        handle.result.set_result(SimpleNamespace(status=handle.status, result=result))


class CalledClient:
    """A client of the action that a node of its world serves."""

    def __init__(self, servers: dict[str, CalledServer], name: str) -> None:
        self._servers, self._name = servers, name

    def server_is_ready(self) -> bool:
        """Return whether there is a server."""
        return self._name in self._servers

    def send_goal_async(self, goal: Any, feedback_callback: Any = None) -> Future[Handle]:
        """Return the handle of the goal."""
        server = self._servers[self._name]
        handle = Handle(server, goal, feedback_callback)
        accepted = server.callbacks["goal_callback"](goal)
        handle.accepted = accepted is GoalResponse.ACCEPT
        if handle.accepted:
            server.callbacks["handle_accepted_callback"](handle)
        return done(handle)


class Handle:
    """A goal, as the server sees it and as the client does."""

    count = itertools.count(1)

    def __init__(self, server: CalledServer, request: Any, feedback: Any) -> None:
        self.request, self._server, self._feedback = request, server, feedback
        self.goal_id = SimpleNamespace(uuid=next(self.count).to_bytes(16, "little"))
        self.accepted = self.is_cancel_requested = False
        self.status = GoalStatus.STATUS_ACCEPTED
        self.result: Future[Any] = Future()

    def execute(self) -> None:
        """Begin."""
        self.status = GoalStatus.STATUS_EXECUTING

    def succeed(self) -> None:
        """Be done."""
        self.status = GoalStatus.STATUS_SUCCEEDED

    def abort(self) -> None:
        """Be given up."""
        self.status = GoalStatus.STATUS_ABORTED

    def canceled(self) -> None:
        """Be cancelled."""
        self.status = GoalStatus.STATUS_CANCELED

    def publish_feedback(self, feedback: Any) -> None:
        """Tell the client."""
        if self._feedback:
            self._feedback(SimpleNamespace(feedback=feedback))

    def get_result_async(self) -> Future[Any]:
        """Return the result, with a status."""
        return self.result

    def cancel_goal_async(self) -> Future[Any]:
        """Ask the server to cancel the goal, unless it has ended."""
        answer = self._server.callbacks["cancel_callback"](self)
        may = answer is CancelResponse.ACCEPT and not self.result.done()
        self.is_cancel_requested |= may
        return done(SimpleNamespace(goals_canceling=[self] if may else []))


def done(result: Any) -> Future[Any]:
    """Return a future that has its result."""
    future: Future[Any] = Future()
    future.set_result(result)
    return future
