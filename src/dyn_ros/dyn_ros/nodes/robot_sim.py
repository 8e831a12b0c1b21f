"""A simulated robot that publishes its description and joint states and takes efforts."""

from contextlib import ExitStack
from math import floor
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from rclpy.clock import Clock, ClockType
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String

import dyn_core
from dyn_ros.adapters.command import CommandReader
from dyn_ros.adapters.joint_state_message import JointStateMessage
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.base.dynamics_node import DynamicsNode, description_qos
from dyn_ros.base.report import Report
from dyn_ros.base.settings import Kind, Setting
from dyn_ros.simulation import SimulatedRobot

STEP = 0.001  # s; of the integration and of joint_states
MOST_STEPS = 20  # made up for when the timer is late; the rest of the time is lost


class RobotSim(DynamicsNode):
    """robot_description and joint_states out; ~/commands (efforts in the model's order) in."""

    DESCRIPTION_SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting("urdf_file", "", "path of the robot's URDF file"),
    )
    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "command_timeout",
            0.1,
            "s without a command after which the motors give nothing and the arm falls",
            limits=(0.002, 3600.0),
        ),
        Setting(
            "brakes_until_command",
            True,
            "hold still until the first command comes, as a robot does whose brakes are on",
        ),
        Setting(
            "brake_release_time",
            1.0,
            "s of commands after which the brakes are off; the commands ramp up meanwhile",
            limits=(0.0, 60.0),
        ),
        Setting(
            "initial_joint_names",
            [],
            "joints of initial_joint_positions; the others start at 0",
            kind=Kind.STRING_ARRAY,
        ),
        Setting(
            "initial_joint_positions",
            [],
            "rad or m, one for each name in initial_joint_names",
            kind=Kind.DOUBLE_ARRAY,
        ),
    )

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        super().__init__("robot_sim", **options)
        self._robot: SimulatedRobot
        self._commands = CommandReader(())
        self._last_command: float | None = None  # s, monotonic; None: motors give nothing
        self._release_at: float | None = None  # s, monotonic; once the first command has come
        self._failure = ""

    def listen_for_description(self) -> None:
        """Not needed: this node is where descriptions come from."""

    def read_description(self, values: dict[str, Any]) -> str:
        """Return the text of urdf_file. Raises ValueError if it cannot be read."""
        path = values["urdf_file"]
        if not path:
            raise ValueError("parameter urdf_file is empty: set it to the path of a URDF file")
        try:
            return Path(path).expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"urdf_file '{path}' cannot be read: {error}") from error

    @classmethod
    def kernels(cls) -> tuple[tuple[str, ...], ...]:
        """Return the kernel that is integrated."""
        return (("forward_dynamics",),)

    def prepare(self, model: dyn_core.Model, values: dict[str, Any]) -> SimulatedRobot:
        """Put the simulated robot at its initial position."""
        names, positions = values["initial_joint_names"], values["initial_joint_positions"]
        if len(names) != len(positions):
            raise ValueError(
                f"initial_joint_names has {len(names)} names but initial_joint_positions has "
                f"{len(positions)} numbers: give one number for each name"
            )
        initial = dict(zip(names, positions, strict=True))
        return SimulatedRobot(model, STEP, initial)

    def install(self, prepared: SimulatedRobot) -> None:
        """Take over the robot."""
        self._robot = prepared
        names = self._robot.robot.joint_names
        self._commands = CommandReader(names)
        self._state = JointStateMessage(names)

    def open(self, opened: ExitStack) -> None:
        """Publish the description and create the other interfaces."""
        self._description_publisher = self.create_publisher(
            String, "robot_description", description_qos()
        )
        opened.callback(self.destroy_publisher, self._description_publisher)
        self._description_publisher.publish(String(data=self.description))
        self._state_publisher = self.create_lifecycle_publisher(JointState, "joint_states", 10)
        opened.callback(self.destroy_lifecycle_publisher, self._state_publisher)
        subscription = self.create_subscription(
            Float64MultiArray, "~/commands", self._take_command, 10
        )
        opened.callback(self.destroy_subscription, subscription)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = self.create_timer(STEP, self._tick, clock=steady)
        opened.callback(self.destroy_timer, self._timer)

    def start(self) -> None:
        """Go on from where the robot stands."""
        self._failure = ""
        self._refused = self._lost_steps = 0
        self._last_command = self._release_at = None
        self._robot.braked = self.values["brakes_until_command"]
        self._next_step = monotonic()

    def report(self, report: Report) -> None:
        """Say whether the robot is held by brakes, by commands, or falls."""
        if self._failure:
            report.error(self._failure)
        elif self.active and not self._robot.braked and self._last_command is None:
            timeout = self.values["command_timeout"]
            report.warn(f"no command for {timeout:g} s: the motors give nothing")
        report.values["brakes"] = "on" if self._robot.braked else "off"
        report.values["commands refused"] = self._refused
        report.values["steps lost"] = self._lost_steps

    def watch(self) -> None:
        """Let the motors give nothing once commands have stopped."""
        if self._last_command is None:
            return
        if monotonic() - self._last_command > self.values["command_timeout"]:
            self._last_command = None
            self._robot.drop_effort()
            self.get_logger().warning("commands have stopped: the motors give nothing")

    def _take_command(self, message: Float64MultiArray) -> None:
        if not self.active or self._failure:
            return
        try:
            self._commands.read(message)
        except InputRefusedError as refusal:
            self._refused += 1
            self.get_logger().warning(f"command refused: {refusal}", throttle_duration_sec=2.0)
            return
        now = monotonic()
        braked = self._robot.braked
        if braked and self._release_at is None:
            self._release_at = now + self.values["brake_release_time"]
        self._robot.apply(self._commands.effort)
        self._robot.braked = braked and self._release_at is not None and now < self._release_at
        self._last_command = now

    def _tick(self) -> None:
        if not self.active:
            return
        if not self._failure:
            self._step_to_now()
        robot = self._robot
        now = self.get_clock().now().nanoseconds
        self._state_publisher.publish(
            self._state.fill(now, robot.position, robot.velocity, robot.effort)
        )

    def _step_to_now(self) -> None:
        due = max(0, floor((monotonic() - self._next_step) / STEP) + 1)
        steps = min(due, MOST_STEPS)
        self._lost_steps += due - steps
        self._next_step += due * STEP
        try:
            for _ in range(steps):
                self._robot.step()
        except FloatingPointError as error:
            self._failure = str(error)
            self._robot.velocity[:] = 0.0
            self._robot.braked = True
            self.get_logger().error(f"{error}; the brakes are on now, configure again")
