"""Desired trajectories in, the same with the efforts that they take out."""

from typing import TYPE_CHECKING, Any, ClassVar

from trajectory_msgs.msg import JointTrajectory

from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.base.part import Part
from dyn_ros.base.report import Report
from dyn_ros.parts.bad_input import LOG_PERIOD

if TYPE_CHECKING:
    from dyn_ros.nodes.inverse_dynamics import InverseDynamics


class FeedForward(Part):
    """~/joint_trajectory in, ~/feed_forward out: points of a motion, one or many, with efforts.

    joint_trajectory_controller adds the efforts to those of its PID. What cannot be used is
    counted, logged, and has no answer.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/joint_trajectory": "points of a motion, whose efforts are to be computed",
        "~/feed_forward": "the same points with the efforts that the motion takes",
        "trajectories answered": "how many were given efforts since activation",
        "trajectories refused": "how many could not be computed with",
    }
    node: "InverseDynamics"

    def __init__(self, node: "InverseDynamics") -> None:
        """Belong to a node that has `trajectory_efforts`."""
        super().__init__(node)
        self._subscription: Any = None
        self._publisher: Any = None
        self._answered = self._refused = 0
        self._last_refusal = ""  # since the last report

    def open(self) -> None:
        """Create publisher and subscription."""
        self._publisher = self.node.create_publisher(JointTrajectory, "~/feed_forward", 10)
        self._subscription = self.node.create_subscription(
            JointTrajectory, "~/joint_trajectory", self._receive, 10
        )

    def close(self) -> None:
        """Destroy both."""
        if self._subscription is not None:
            self.node.destroy_subscription(self._subscription)
            self.node.destroy_publisher(self._publisher)
            self._subscription = self._publisher = None

    def start(self) -> None:
        """Count from zero."""
        self._answered = self._refused = 0
        self._last_refusal = ""

    def report(self, report: Report) -> None:
        """Tell how many trajectories there were."""
        report.values["trajectories answered"] = self._answered
        report.values["trajectories refused"] = self._refused
        if self._last_refusal:
            report.warn(f"trajectory refused: {self._last_refusal}")
            self._last_refusal = ""

    def _receive(self, trajectory: JointTrajectory) -> None:
        node = self.node
        if not node.active:
            return
        try:
            most = self.values["max_numbers"]
            node.trajectory_efforts.fill(trajectory, node.surroundings, most)
        except InputRefusedError as refusal:
            self._refused += 1
            self._last_refusal = str(refusal)
            node.get_logger().warning(
                f"trajectory refused: {refusal}", throttle_duration_sec=LOG_PERIOD
            )
            return
        self._answered += 1
        self._publisher.publish(trajectory)
