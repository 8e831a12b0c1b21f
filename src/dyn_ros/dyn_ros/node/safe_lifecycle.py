# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A lifecycle node that survives invalid transitions and says why a transition failed."""

import traceback
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

from lifecycle_msgs.srv import ChangeState
from rclpy.action import ActionServer
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from dyn_ros.clock import CLOCK, Clock
from dyn_ros.process.private_members import leave_dds

Transition = Callable[[LifecycleState], TransitionCallbackReturn]
LOG_PERIOD = 2.0  # s between log lines of the same kind


class SafeLifecycleNode(LifecycleNode):
    """LifecycleNode without four traps of rclpy; what it does is in `_configure`, `_activate`, ...

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

    def _configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        return super().on_configure(state)

    def _activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        return super().on_activate(state)

    def _deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        return super().on_deactivate(state)

    def _clean_up(self, state: LifecycleState) -> TransitionCallbackReturn:
        return super().on_cleanup(state)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Run `_configure`."""
        return self._guarded(self._configure, state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Run `_activate`."""
        return self._guarded(self._activate, state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Run `_deactivate`."""
        return self._guarded(self._deactivate, state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Run `_clean_up`."""
        result = self._guarded(self._clean_up, state)
        entities = self.default_callback_group.entities
        entities -= {reference for reference in entities if reference() is None}
        return result

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Clean up, whatever the state."""
        return self._guarded(self._clean_up, state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Return to unconfigured after a transition that failed."""
        return self._guarded(self._clean_up, state)

    def _guarded(self, transition: Transition, state: LifecycleState) -> TransitionCallbackReturn:
        """Run a transition; log what it raises and return ERROR then."""
        try:
            return transition(state)
        except Exception:
            self.get_logger().error(
                f"{transition.__name__} failed, the node cleans up:\n{traceback.format_exc()}"
            )
            return TransitionCallbackReturn.ERROR
