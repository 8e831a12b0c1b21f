"""Makes of footsteps a motion of the whole robot whose centre of pressure is where it should be."""

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, ClassVar, NamedTuple

import numpy as np
from dyn_msgs.msg import Footsteps
from geometry_msgs.msg import PointStamped
from rclpy.time import Time
from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory

import dyn_core
from dyn_core.errors import ModelError
from dyn_core.walking import (
    LEFT,
    RIGHT,
    Biped,
    Footstep,
    Steps,
    Timing,
    Walked,
    exceeded,
    filtered,
    pattern,
)
from dyn_core.walking.legs import leg_motion, leg_step
from dyn_ros.adapters.joint_order import quoted
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.adapters.stamp import time_message
from dyn_ros.adapters.walk import base_trajectory, joint_trajectory, point, read_footsteps
from dyn_ros.base.dynamics_node import DynamicsNode
from dyn_ros.base.report import Report
from dyn_ros.base.settings import Kind, Setting
from dyn_ros.parts.bad_input import LOG_PERIOD
from dyn_ros.robot import Kernel
from dyn_ros.simulation.simulated_robot import base_size
from dyn_ros.simulation.start import start_position

Stance = tuple[Footstep, Footstep]


class Plan(NamedTuple):
    """A walk that was computed, and where the feet stand after it."""

    walk: Walked
    joints: JointTrajectory
    base: MultiDOFJointTrajectory
    uncorrected: float  # m, largest distance of the CoP from the pattern's without the filter
    stance: Stance
    beyond: list[str]  # joints that need more than a limit of theirs


class CopFilter(DynamicsNode):
    """~/footsteps in; ~/joint_trajectory, ~/base_trajectory, ~/center_of_mass and ~/cop out.

    A walk is computed as a whole, in a thread: preview control, inverse kinematics, inverse
    dynamics, correction. Both trajectories come at once, centre of mass and CoP while it is walked.
    A walk begins when it was asked to, but not before it is computed. The next one begins where the
    last one ended; activation begins at the origin.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/joint_trajectory": "the walk, of all joints",
        "~/base_trajectory": "the walk, of the floating base",
        "~/center_of_mass": "where it shall be now",
        "~/cop": "where the centre of pressure shall be now",
        "walks refused": "footsteps that could not be walked",
        "largest error of the CoP [mm]": "of the last walk, to the pattern of its footsteps",
    }
    SERVES: ClassVar[bool] = True
    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting("feet", [], "frames of the left and the right foot", kind=Kind.STRING_ARRAY),
        Setting("ankle_height", 0.0, "m, of these frames above the soles", limits=(-1.0, 1.0)),
        Setting(
            "posture",
            "",
            "in which the robot stands: 'joint=position, joint=position' in rad, with bent knees; "
            "the base is level",
        ),
        Setting("world_frame", "world", "frame of all positions", live=True),
        Setting(
            "single_support", 0.7, "s, a foot is in the air", limits=(0.05, 10.0), live=True
        ),
        Setting("double_support", 0.1, "s, both feet stand", limits=(0.02, 10.0), live=True),
        Setting(
            "rest", 1.7, "s of standing before the first and after the last step",
            limits=(0.1, 60.0), live=True,
        ),
        Setting("period", 0.005, "s, from sample to sample", limits=(0.001, 0.02), live=True),
        Setting("clearance", 0.07, "m by which a foot is lifted", limits=(0.001, 1.0), live=True),
        Setting(
            "iterations", 1, "steps of the dynamic filter; 0: none", limits=(0, 10), live=True
        ),
    )  # fmt: skip

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self._biped: Biped
        self._stance: Stance
        self._planner = ThreadPoolExecutor(1, thread_name_prefix="cop_filter")
        self._computing: Future[Plan] | None = None
        self._plan: Plan | None = None
        self._asked = self._begins = 0  # ns, when the walk is to begin, and when it does
        self._refused = 0
        super().__init__("cop_filter", **options)

    @staticmethod
    def impossible(values: dict[str, Any]) -> str:
        """Return why parameter values do not fit each other."""
        if values["feet"] and len(values["feet"]) != 2:
            return f"feet are {list(values['feet'])}: name the left and the right one"
        if values["period"] > values["double_support"]:
            return f"period {values['period']} is longer than double_support: make it shorter"
        return ""

    @classmethod
    def kernels(cls, values: dict[str, Any]) -> tuple[Kernel, ...]:
        """Return what is computed of each sample."""
        feet = tuple(values["feet"])
        if len(feet) != 2:
            raise ValueError("feet: name the frames of the left and the right foot")
        kinematics = (Kernel((leg_step(feet=feet),)), Kernel((leg_motion(feet=feet),)))
        return (*kinematics, Kernel(("inverse_dynamics",)))

    def load_model(self, description: str, values: dict[str, Any]) -> dyn_core.Model:
        """Read a robot that is not fixed to the world."""
        return super().load_model(description, {**values, "floating_base": True})

    def prepare(self, model: dyn_core.Model, values: dict[str, Any]) -> Biped:
        """Stand. Raises ValueError, worded, if the robot cannot."""
        position = start_position(model, values["posture"])
        position[: base_size(model)] = 0.0
        posture = dyn_core.integrate(model, dyn_core.neutral(model), position)
        left, right = values["feet"]
        try:
            biped = Biped.standing(model, (left, right), posture, values["ankle_height"])
            _ = biped.response  # compiles all that a walk needs, so that the first does not wait
            return biped
        except (ModelError, KeyError) as error:
            raise ValueError(f"cannot stand: {error.args[0]}") from error

    def install(self, prepared: Biped) -> None:
        """Walk with another robot from the next footsteps on."""
        self._biped, self._stance = prepared, prepared.start
        self._computing = self._plan = None

    def open(self, opened: ExitStack) -> None:
        """Create publishers, the subscription and the timer of the samples."""
        self._outputs = [
            self.create_publisher(kind, f"~/{topic}", 10)
            for topic, kind in (
                ("joint_trajectory", JointTrajectory),
                ("base_trajectory", MultiDOFJointTrajectory),
                ("center_of_mass", PointStamped),
                ("cop", PointStamped),
            )
        ]
        for publisher in self._outputs:
            opened.callback(self.destroy_publisher, publisher)
        steps = self.create_subscription(Footsteps, "~/footsteps", self._receive, 1)
        opened.callback(self.destroy_subscription, steps)
        timer = self.create_timer(self.values["period"], self._publish_sample)
        opened.callback(self.destroy_timer, timer)

    def start(self) -> None:
        """Stand at the origin."""
        self._stance, self._refused = self._biped.start, 0
        self._computing = self._plan = None

    def stop(self) -> None:
        """Forget the walk."""
        self._computing = self._plan = None

    def watch(self) -> None:
        """Publish a walk that has been computed."""
        if self._computing is None or not self._computing.done():
            return
        done, self._computing = self._computing, None
        try:
            self._plan = done.result()
        except (ModelError, ValueError) as error:
            self._decline(str(error))
            return
        self._stance = self._plan.stance
        self._begins = max(self._asked, self.get_clock().now().nanoseconds)
        for publisher, message in zip(self._outputs, (self._plan.joints, self._plan.base)):  # noqa: B905
            message.header.stamp = time_message(self._begins)
            publisher.publish(message)
        self.get_logger().info(
            f"walking: CoP within {1e3 * self._plan.walk.distances.max():.1f} mm of the pattern's, "
            f"{1e3 * self._plan.uncorrected:.1f} mm without the filter"
        )
        if self._plan.beyond:
            self.get_logger().warning(
                f"the walk takes joints beyond their limits: {quoted(self._plan.beyond)}"
            )

    def report(self, report: Report) -> None:
        """Tell how well the last walk was corrected."""
        report.values["walks refused"] = self._refused
        if self._plan is not None:
            largest = 1e3 * self._plan.walk.distances.max()
            report.values["largest error of the CoP [mm]"] = f"{largest:.2f}"

    def _receive(self, message: Footsteps) -> None:
        if not self.active:
            return
        try:
            steps = read_footsteps(message)
            if self._computing is not None or self._sample() is not None:
                raise InputRefusedError("walking", "the last walk is still under way: wait")
            self._asked = Time.from_msg(message.header.stamp).nanoseconds
            self._computing = self._planner.submit(
                plan, self._biped, self._stance, steps, dict(self.values)
            )
        except InputRefusedError as refusal:
            self._decline(str(refusal))

    def _decline(self, why: str) -> None:
        self._refused += 1
        self.get_logger().warning(f"footsteps refused: {why}", throttle_duration_sec=LOG_PERIOD)

    def _sample(self) -> int | None:
        """The sample of the walk that is due now; None without a walk under way."""
        if self._plan is None:
            return None
        passed = 1e-9 * (self.get_clock().now().nanoseconds - self._begins)
        k = int(passed / self._plan.walk.pattern.steps.timing.dt)
        return k if k < len(self._plan.walk.q) else None

    def _publish_sample(self) -> None:
        if not self.active or (k := self._sample()) is None or k < 0 or self._plan is None:
            return
        walk, frame = self._plan.walk, self.values["world_frame"]
        stamp = self.get_clock().now().to_msg()
        self._outputs[2].publish(point(walk.center.positions[k], 0.0, frame, stamp))
        height = float(walk.pattern.cop[k, 2])
        self._outputs[3].publish(point(walk.cop[k], height, frame, stamp))


def plan(biped: Biped, stance: Stance, footsteps: list[Footstep], values: dict[str, Any]) -> Plan:
    """Compute a walk and its messages, which lack a stamp.

    Raises ModelError or ValueError if there is none.
    """
    timing = Timing(
        values["single_support"], values["double_support"], values["rest"], values["period"]
    )
    steps = Steps.of(stance, footsteps, timing, values["clearance"])
    before, *after = filtered(biped, pattern(biped, steps), values["iterations"])
    walk = after[-1] if after else before
    if not np.isfinite(walk.q).all():
        raise ValueError("the walk has numbers that are not finite: take smaller steps")
    left, right = (course.values[-1, 0].tolist() for course in steps.feet)
    model = biped.model
    return Plan(
        walk,
        joint_trajectory(walk, model.dof_names[base_size(model) :]),
        base_trajectory(walk, values["world_frame"], model.names[1]),
        float(before.distances.max()),
        (Footstep(LEFT, (*left[:3],), left[3]), Footstep(RIGHT, (*right[:3],), right[3])),
        list(dict.fromkeys(one.joint for one in exceeded(biped, walk))),
    )
