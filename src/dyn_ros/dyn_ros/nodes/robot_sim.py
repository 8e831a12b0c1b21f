# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A simulated robot that publishes its description and joint states and takes efforts."""

from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np
from geometry_msgs.msg import TransformStamped, WrenchStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage

import dyn_core
from dyn_ros.inputs.payloads import Payloads
from dyn_ros.kernels.robot import KernelRequest, root_link
from dyn_ros.kernels.surroundings import in_surroundings
from dyn_ros.messages.checked_vector import finite_vector
from dyn_ros.messages.geometry import WORLD, read_wrench, write_xyz, xyz
from dyn_ros.messages.joint_message import JointMessage, StampedMessage
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.description import COMPILING, Reading, Starting, Structure, description_qos
from dyn_ros.node.dynamics_node import DynamicsNode
from dyn_ros.node.interfaces import Interfaces
from dyn_ros.node.part import Part
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Values
from dyn_ros.nodes.robot_sim_settings import (
    CLOCK_RATE_HZ,
    GroundSettings,
    SimulatedDescription,
    SimulationSettings,
    TimeSettings,
    create_simulation,
    impossible,
    pace,
    read_urdf,
    say_joints,
    unfit_time,
)
from dyn_ros.nodes.simulated_time import SimulatedTime
from dyn_ros.simulator import STEP, Pace, Simulation
from dyn_ros.simulator.simulated_robot import SimulatedRobot
from dyn_ros.simulator.simulation import Measurement

STATE_DEPTH = 100  # for slow readers, when late steps are caught up with
ODOMETRY_FIELDS = (  # position and quaternion of the pose, linear and angular part of the twist
    "pose.pose.position",
    "pose.pose.orientation",
    "twist.twist.linear",
    "twist.twist.angular",
)
TRANSFORM_PERIOD_NS = 20_000_000  # of /tf, in simulated time
LOST_WARNING, LOST_ERROR = 0.01, 0.1  # share of the steps between two diagnostics


class RobotSim(DynamicsNode):
    """robot_description and joint_states out; ~/commands (efforts in the model's order) in.

    With a floating base odom and /tf are out too. Also in: ~/wrench, pushes at a frame;
    ~/set_payload, ~/clear_payload, ~/pause and ~/reset, services.
    """

    MASSLESS_LINKS: ClassVar[bool] = True  # refused by name, or given rotors, by `prepare`
    ABOUT: ClassVar[dict[str, str]] = {
        "~/commands": "efforts of the motors, in the order of joint_states",
        "~/wrench": "external force and torque at a link or frame, in its axes",
        "joint_states": "measured states, with noise and delay",
        "odom": "pose of a floating base in the world, and its twist in its own axes",
        "/tf": "pose of a floating base in the world, at 50 Hz",
        "robot_description": "URDF text of the simulated robot",
        "~/pause": "pauses or resumes simulated time",
        "~/reset": "resets the robot to its start position, at rest",
        "brakes": "whether they hold the robot",
        "paused": "whether simulated time is paused",
        "commands_refused": "messages that were refused",
        "steps_lost": "steps that were left out because this computer is too slow",
        "steps_with_inexact_contacts": "steps whose friction, stops or ground contacts are inexact",
        "real_time_factor": "simulated time divided by wall-clock time, since the last report",
    }
    DESCRIPTION_SETTINGS: ClassVar[tuple[type[Group], ...]] = (
        Starting,
        SimulatedDescription,
        Reading,
        Structure,
    )
    PARTS: ClassVar[tuple[type[Part], ...]] = (Payloads,)
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (GroundSettings, SimulationSettings, TimeSettings)

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self._pace: Pace
        self._timer: Any = None
        self._factor = 1.0  # pace of simulated time
        self._refused = 0  # commands; reported before activation too
        super().__init__("robot_sim", **options)
        self._simulation: Simulation

    def listen_for_description(self) -> None:
        """Not needed: this node is where descriptions come from."""

    def read_description(self, values: Values) -> str:
        """Return the description that the parameters give. Raises ValueError if there is none."""
        if wrong := self._unfit_time(values):
            raise ValueError(wrong)
        text = read_urdf(values)
        self.get_logger().info(f"read the robot's description: {COMPILING}")
        return text

    def _unfit_time(self, values: Values) -> str:
        return unfit_time(values, bool(self.get_parameter("use_sim_time").value))

    @staticmethod
    def impossible(values: Values) -> str:
        """Refuse lists of other numbers than the simulation takes."""
        return impossible(values)

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return the kernel that is integrated."""
        return (in_surroundings(SimulatedRobot.QUANTITIES),)

    def prepare(self, model: dyn_core.Model, values: Values) -> Simulation:
        """Put the simulated robot where it starts."""
        return create_simulation(model, values)

    def install(self, prepared: Simulation) -> None:
        """Take over the robot."""
        self._simulation = prepared
        prepared.surround(self.surroundings)
        self._state = JointMessage(JointState, prepared.joint_names, names_field="name")
        child = root_link(prepared.model)
        self._odometry = StampedMessage(Odometry, (), child_frame_id=child)

    def _fault_of(self, values: Values, new: Collection[str]) -> str:
        """Refuse a pace that does not fit the time of the messages, which configure finds out."""
        wrong = super()._fault_of(values, new)
        return wrong or (self._unfit_time(values) if self.configured else "")

    def _on_change(self, names: Collection[str]) -> None:
        """Let simulated time run at another pace from now on."""
        super()._on_change(names)
        factor = pace(self.values)
        if self.configured and factor != self._factor:
            self._factor, period = factor, STEP / factor
            self._pace.change(period, self.clock.now())
            self._timer.timer_period_ns = round(max(STEP, period) * NANOSECONDS)

    # Interfaces ------------------------------------------------------------------------------

    def open(self, opened: Interfaces) -> None:
        """Publish the description and create the other interfaces."""
        say_joints(self, self._simulation.joint_names, opened)
        self._time = SimulatedTime(
            self, opened, CLOCK_RATE_HZ if self.values[TimeSettings].real_time_factor else 0.0
        )
        descriptions = opened.publisher(String, "robot_description", description_qos())
        descriptions.publish(String(data=self.description))
        self._states = opened.lifecycle_publisher(JointState, "joint_states", STATE_DEPTH)
        if self._simulation.floating:
            self._odometries = opened.lifecycle_publisher(Odometry, "odom", STATE_DEPTH)
            self._transforms = opened.lifecycle_publisher(TFMessage, "/tf", STATE_DEPTH)
        opened.subscription(Float64MultiArray, "~/commands", self._take_command)
        opened.subscription(WrenchStamped, "~/wrench", self._take_wrench)
        opened.service(SetBool, "~/pause", self._pause)
        opened.service(Trigger, "~/reset", self._reset)
        self._factor = pace(self.values)
        period = STEP / self._factor
        self._pace = Pace(period)
        self._timer = opened.timer(max(STEP, period), self._tick, steady=True)

    def start(self) -> None:
        """Go on from where the robot stands."""
        self._refused = 0
        self._commanded = self._failure_logged = False
        self._simulation.motors.reset()
        self._pace.start(self.clock.now())
        topic = self.resolve_topic_name("~/commands")
        first = "brakes hold the robot" if self._simulation.motors.braked else "the robot falls"
        self.get_logger().info(f"{first} until the first command on {topic}")

    def report(self, report: Report) -> None:
        """Say whether the robot is held by brakes, by commands, or falls, and how time runs."""
        simulation, motors = self._simulation, self._simulation.motors
        if simulation.failure:
            report.error(self._failure_text())
        elif self.active and simulation.paused:
            report.note("paused: time and the robot stand still")
        elif self.active and not (motors.braked or motors.commanded):
            timeout = self.values[SimulationSettings].command_timeout
            since = f"for {timeout:g} s" if timeout else "yet"
            say = report.warn if motors.deprived else report.note
            say(f"no command {since}: motor efforts are zero")
        if self.active:
            self._report_pace(report)
        report.values["brakes"] = "on" if motors.braked else "off"
        report.values["paused"] = "yes" if simulation.paused else "no"
        report.values["commands_refused"] = self._refused
        report.values["steps_with_inexact_contacts"] = simulation.robot.stepper.unsolved
        report.values["steps_lost"] = self._pace.lost

    def _report_pace(self, report: Report) -> None:
        progress = self._pace.take_interval(self.clock.now())
        report.values["real_time_factor"] = f"{progress.speed:.4f}"
        if progress.lost_share > LOST_WARNING:
            text = (
                f"{progress.lost} of {progress.lost + progress.done} steps skipped, real-time "
                f"factor {progress.speed:.2f}: this computer is too slow or too busy"
            )
            (report.error if progress.lost_share > LOST_ERROR else report.warn)(text)
            self.warn_seldom("too busy", text, 10.0)

    def watch(self) -> None:
        """Say once that commands have stopped, or that the simulation has failed."""
        motors = self._simulation.motors
        if self._commanded and not motors.commanded:
            self.get_logger().warning("commands stopped; motor efforts are zero")
        self._commanded = motors.commanded
        if self._simulation.failure and not self._failure_logged:
            self.get_logger().error(self._failure_text())
        self._failure_logged = bool(self._simulation.failure)

    def _failure_text(self) -> str:
        return f"{self._simulation.failure}; the robot stands still until ~/reset is called"

    # Callbacks -------------------------------------------------------------------------------

    def _take_command(self, message: Float64MultiArray) -> None:
        if not self.active or self._simulation.failure:
            return
        names = self._simulation.joint_names
        try:
            self._simulation.command(finite_vector("data", names, message.data))
        except InputRefusedError as refusal:
            self._refuse_input("command", refusal)

    def _take_wrench(self, message: WrenchStamped) -> None:
        if not self.active:
            return
        try:
            self._simulation.push(*read_wrench(message))
        except InputRefusedError as refusal:
            self._refuse_input("wrench", refusal)

    def _refuse_input(self, what: str, refusal: InputRefusedError) -> None:
        self._refused += 1
        self.warn_seldom(what, f"{what} refused: {refusal}")

    def _pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._simulation.paused = request.data
        response.success = True
        response.message = "paused" if request.data else "running"
        self.get_logger().info(response.message)
        return response

    def _reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._simulation.reset()
        response.success = True
        response.message = "the robot is at its start position; simulated time continues"
        self.get_logger().info(f"reset: {response.message}")
        return response

    def _tick(self) -> None:
        if not self.active:
            return
        self._time.read_clock()
        for _ in range(self._pace.due(self.clock.now())):
            due = self._pace.next_due
            self._pace.advance()
            measured = self._simulation.advance()
            stamp = self._time.stamp(self._simulation.time, due)
            if measured is not None:
                self._publish(measured, stamp - self._simulation.age)

    def _publish(self, state: Measurement, stamp: int) -> None:
        if self._simulation.floating:  # first: subscribers compute when the joint state comes
            fields = dict(zip(ODOMETRY_FIELDS, np.split(state.base, (3, 7, 10)), strict=True))
            odometry = self._odometry.fill(stamp, **{"header.frame_id": WORLD}, **fields)
            self._odometries.publish(odometry)
            if self._simulation.time % TRANSFORM_PERIOD_NS == 0:
                self._transforms.publish(self._transform(odometry))
        position, velocity, effort = state.position, state.velocity, state.effort
        fields = {"position": position, "velocity": velocity, "effort": effort}
        self._states.publish(self._state.fill(stamp, **fields))

    def _transform(self, odometry: Odometry) -> TFMessage:
        """Return where the base is, for RViz."""
        found = TransformStamped(header=odometry.header, child_frame_id=odometry.child_frame_id)
        write_xyz(found.transform.translation, xyz(odometry.pose.pose.position))
        found.transform.rotation = odometry.pose.pose.orientation
        return TFMessage(transforms=[found])
