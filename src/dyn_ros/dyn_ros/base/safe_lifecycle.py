"""A lifecycle node that survives invalid transitions and says why a transition failed."""

import traceback
from collections.abc import Callable

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

Transition = Callable[[LifecycleState], TransitionCallbackReturn]


class SafeLifecycleNode(LifecycleNode):
    """LifecycleNode without two traps of rclpy.

    In jazzy an invalid transition raises through the executor and ends the process; in jazzy and
    kilted an exception in a transition is dropped without a word.
    """

    def _LifecycleNodeMixin__change_state(self, transition_id: int) -> TransitionCallbackReturn:
        try:
            return super()._LifecycleNodeMixin__change_state(transition_id)
        except rclpy_implementation.RCLError:
            self.get_logger().error(
                f"transition {transition_id} is not possible now: "
                f"`ros2 lifecycle list {self.get_fully_qualified_name()}` shows which are"
            )
            return TransitionCallbackReturn.ERROR

    def guarded(self, transition: Transition, state: LifecycleState) -> TransitionCallbackReturn:
        """Run a transition; log what it raises and return ERROR then."""
        try:
            return transition(state)
        except Exception:
            self.get_logger().error(
                f"{transition.__name__} failed, the node cleans up:\n{traceback.format_exc()}"
            )
            return TransitionCallbackReturn.ERROR
