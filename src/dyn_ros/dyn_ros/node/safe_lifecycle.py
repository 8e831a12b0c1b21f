# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A lifecycle node that survives invalid transitions and says why a transition failed."""

import traceback
from collections.abc import Callable
from functools import partial, wraps
from math import inf
from typing import Any

from lifecycle_msgs.srv import ChangeState
from rclpy.action import ActionServer
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from dyn_ros.clock import CLOCK, Clock
from dyn_ros.process.private_members import leave_dds

Transition = Callable[[Any, LifecycleState], TransitionCallbackReturn]
LOG_PERIOD = 2.0  # s between log lines of the same kind


def guarded(transition: Transition) -> Transition:
    """Return a transition of a node that logs what it raises, and returns ERROR then."""

    @wraps(transition)
    def run(node: Any, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            return transition(node, state)
        except Exception:
            node.get_logger().error(
                f"{transition.__name__} failed, the node cleans up:\n{traceback.format_exc()}"
            )
            return TransitionCallbackReturn.ERROR

    return run


class SafeLifecycleNode(LifecycleNode):
    """LifecycleNode without four traps of rclpy; its transitions are `guarded`.

    In jazzy a request for an invalid transition ends the process (ros2/rclpy issue 1209). An
    exception in a transition is dropped without a word (pull request 1696). Every destroyed
    subscription, service and timer leaves a reference behind (issue 1356). A destroyed node is
    known to DDS until it is collected (issue 1710).
    """

    def __init__(self, name: str, clock: Clock = CLOCK, **options: Any) -> None:
        """Have a name, a clock for time-outs, and what rclpy gives a node."""
        self.clock = clock
        self._warned: dict[str, float] = {}  # when the next line of a kind may come, s
        super().__init__(name, **options)
        for service in self.services:
            if service.srv_type is ChangeState:
                service.callback = partial(self._change_state, service.callback)

    def destroy_node(self) -> None:
        """Leave DDS, also where a thread still refers to the node."""
        for server in [x for x in self.waitables if isinstance(x, ActionServer)]:
            server.destroy()
        super().destroy_node()
        leave_dds(self)

    def forget_destroyed(self) -> None:
        """Drop the references to destroyed subscriptions, services and timers."""
        entities = self.default_callback_group.entities
        entities -= {reference for reference in entities if reference() is None}

    def ros_time(self) -> int:
        """Return the node's time, simulated with use_sim_time, ns."""
        return int(self.get_clock().now().nanoseconds)

    def warn_seldom(self, kind: str, text: str, period: float = LOG_PERIOD) -> None:
        """Log a warning, unless one of its kind was logged within the period, s.

        rclpy's throttle looks up its caller's source file each time, also where nothing is logged:
        0.8 ms, in which fifteen joint states are answered. Who sends what is refused would starve
        the commands.
        """
        if self.is_due(kind, period):
            self.get_logger().warning(text)

    def is_due(self, kind: str, period: float = LOG_PERIOD) -> bool:
        """Return whether to log a line of its kind, unless one was within the period, s."""
        now = self.clock.now()
        if now < self._warned.get(kind, -inf):
            return False
        self._warned[kind] = now + period
        return True

    def _change_state(self, change: Callable[..., Any], request: Any, response: Any) -> Any:
        """Answer a request for a transition with success false if it is not possible now."""
        try:
            return change(request, response)
        except RuntimeError:  # RCLError, for which rclpy has no public name
            self.get_logger().error(
                f"transition {request.transition.id} is not possible now: "
                f"`ros2 lifecycle list {self.get_fully_qualified_name()}` shows which are"
            )
            response.success = False
            return response
