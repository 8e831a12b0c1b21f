"""Publishes the efforts that hold a robot against gravity, for every joint state that comes."""

import sys
from contextlib import ExitStack
from typing import Any, ClassVar

from builtin_interfaces.msg import Time
from dyn_msgs.msg import JointEfforts
from std_msgs.msg import Float64MultiArray

from dyn_ros.gravity_pipeline import GravityPipeline
from dyn_ros.nodes.dynamics_node import DynamicsNode
from dyn_ros.nodes.joint_state_input import JOINT_STATE_TIMEOUT, JointStateInput
from dyn_ros.nodes.report import Report
from dyn_ros.nodes.settings import Kind, Setting
from dyn_ros.runtime import run

LAST_COMMAND = ("zero", "none")


class GravityCompensation(DynamicsNode):
    """joint_states in; ~/gravity_torque and, for a forward_command_controller, ~/commands out."""

    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        JOINT_STATE_TIMEOUT,
        Setting(
            "include_coriolis",
            False,
            "add Coriolis and centrifugal efforts to gravity; needs velocities in joint_states",
        ),
        Setting(
            "hardware_compensates_gravity",
            False,
            "the robot adds gravity efforts itself: ~/gravity_torque is published, ~/commands is "
            "not, so that gravity is not compensated twice",
        ),
        Setting(
            "command_joints",
            [],
            "joints in ~/commands, in the controller's order; empty: all, in the model's order",
            kind=Kind.STRING_ARRAY,
        ),
        Setting(
            "command_on_deactivate",
            "zero",
            "last command when the node is deactivated or stops; none: the controller holds the "
            "last efforts, for it has no time-out",
            choices=LAST_COMMAND,
        ),
        Setting(
            "command_on_stale",
            "zero",
            "last command when joint states stop coming; none: the controller holds the last "
            "efforts, for it has no time-out",
            choices=LAST_COMMAND,
        ),
    )

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        super().__init__("gravity_compensation", **options)
        self._input = JointStateInput(self, self._publish, self._on_stale)
        self.joint_states = self._input
        self._pipeline: GravityPipeline
        self._sends_commands = True
        self._clamped = 0  # commands over an effort limit since the last diagnostics

    def prepare(self, description: str, values: dict[str, Any]) -> GravityPipeline:
        """Compile gravity for the description."""
        return GravityPipeline(
            description,
            include_coriolis=values["include_coriolis"],
            command_joints=values["command_joints"],
        )

    def install(self, prepared: GravityPipeline) -> None:
        """Use another robot from the next joint state on."""
        self._pipeline = prepared
        self._input.reader = prepared.reader
        self.robot_name = prepared.robot.model.name

    def open(self, opened: ExitStack) -> None:
        """Create the publishers."""
        self._sends_commands = not self.values["hardware_compensates_gravity"]
        self._torque_publisher = self.create_lifecycle_publisher(
            JointEfforts, "~/gravity_torque", 10
        )
        self._command_publisher = self.create_lifecycle_publisher(
            Float64MultiArray, "~/commands", 10
        )
        for publisher in (self._torque_publisher, self._command_publisher):
            opened.callback(self.destroy_lifecycle_publisher, publisher)

    def stop(self) -> None:
        """Publish the last command."""
        self._publish_last(self.values["command_on_deactivate"])

    def report(self, report: Report) -> None:
        """Say what the output contains and whether a joint is too weak."""
        report.values["terms"] = (
            "gravity and Coriolis" if self.values["include_coriolis"] else "gravity"
        )
        report.values["commands"] = "on" if self._sends_commands else "off"
        report.values["commands clamped"] = self._clamped
        if self._clamped:
            report.warn(f"commands clamped: {self._last_excess}")
            self._clamped = 0

    def _publish(self, stamp: Time) -> None:
        pipeline = self._pipeline
        pipeline.update(stamp)
        if self._sends_commands:
            self._command_publisher.publish(pipeline.command.message)
            if pipeline.limiter.exceeded:
                self._tell_excess()
        self._torque_publisher.publish(pipeline.torque.message)

    def _tell_excess(self) -> None:
        self._clamped += 1
        self._last_excess = self._pipeline.describe_excess()
        self.get_logger().warning(
            f"command clamped: {self._last_excess}", throttle_duration_sec=2.0
        )

    def _on_stale(self) -> None:
        self._publish_last(self.values["command_on_stale"])

    def _publish_last(self, command: str) -> None:
        if self._sends_commands and command == "zero":
            self._command_publisher.publish(self._pipeline.command.zero())


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run([GravityCompensation], args)


if __name__ == "__main__":
    sys.exit(main())
