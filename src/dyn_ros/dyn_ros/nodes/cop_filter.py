# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Makes of footsteps a motion of the whole robot whose centre of pressure is where it should be."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from dyn_msgs.msg import Footsteps
from geometry_msgs.msg import PointStamped
from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory

import dyn_core
from dyn_core.errors import ModelError
from dyn_core.walking import Biped, Footstep, leg_motion, leg_step
from dyn_ros.inputs.robot_position import MAX_LAG_S, RobotPosition
from dyn_ros.kernels.robot import KernelRequest
from dyn_ros.messages.joint_trajectory import stop_messages
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import nanoseconds, time_message
from dyn_ros.messages.walk import base_trajectory, point, read_footsteps
from dyn_ros.node.dynamics_node import DynamicsNode
from dyn_ros.node.interfaces import Interfaces
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Kind, Values, parameter
from dyn_ros.nodes.walk_plan import PERIOD_S, WORLD_FRAME, Plan, Stance, change, plan
from dyn_ros.safety.motion_policy import Stop
from dyn_ros.simulator.simulated_robot import base_size
from dyn_ros.simulator.start import start_position

CHANGE_LEAD_S = 0.5
"""From footsteps that come while walking to the sample from which on they are walked; they must be
computed by then."""
MAX_LEAD_S = 600.0  # from footsteps to the beginning of their walk
MAX_AWAY = 0.1  # rad or m, of a joint from where a walk begins, and from a walk under way


@dataclass(frozen=True)
class WalkSettings(Group):
    """The feet, and how they step."""

    feet: list[str] = parameter(
        [],
        "frames of the left and the right foot",
        kind=Kind.STRING_ARRAY,
    )
    ankle_height: float = parameter(
        0.0,
        "height of these frames above the soles, m",
        limits=(-1.0, 1.0),
    )
    posture: str = parameter(
        "",
        "standing posture: 'joint=position, joint=position' in rad, with bent knees; the base is "
        "level",
    )
    step_times: list[float] = parameter(
        [0.7, 0.1],
        "s of swing, and s of double support",
        kind=Kind.DOUBLE_ARRAY,
        live=True,
    )


class CopFilter(DynamicsNode):
    """~/footsteps and joint_states in; trajectories of joints and base, centre of mass, CoP out.

    A walk is computed as a whole, in a thread: preview control, inverse kinematics, inverse
    dynamics, correction. Both trajectories come at once, centre of mass and CoP while it is walked.
    A walk begins when it was asked to, but not before it is computed. The next one begins where the
    last one ended; activation begins at the origin. Footsteps that come while the robot walks take
    the place of those whose steps have not begun CHANGE_LEAD_S later, or at their stamp; both
    trajectories then come anew from there on, and go on where the old ones are.

    A walk begins only where the robot stands, and is stopped if the robot does not follow.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/joint_trajectory": "the walk: joints",
        "~/base_trajectory": "the walk: floating base",
        "~/center_of_mass": "desired centre of mass, now",
        "~/cop": "desired centre of pressure, now",
        "joint_states": "where the robot is: a walk begins there, and has to be followed",
        "walks_refused": "plans of footsteps that were refused",
        "largest_cop_error_mm": "of the last walk, to the pattern of its footsteps",
    }
    SERVES: ClassVar[bool] = True
    LISTENS_APART: ClassVar[bool] = True
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (WalkSettings,)

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self._biped: Biped
        self._stance: Stance
        self._planner = ThreadPoolExecutor(1, thread_name_prefix="cop_filter")
        self._computing: Future[Plan] | None = None
        self._plans: list[Plan] = []  # each takes the place of the one before when it begins
        self._refused = 0
        self._position = RobotPosition(self)
        super().__init__("cop_filter", **options)

    @staticmethod
    def impossible(values: Values) -> str:
        """Return why parameter values do not fit each other."""
        if values[WalkSettings].feet and len(values[WalkSettings].feet) != 2:
            return f"feet are {values[WalkSettings].feet}: name the left and the right one"
        times = values[WalkSettings].step_times
        if len(times) != 2 or not (0.05 <= times[0] <= 10.0 and 0.02 <= times[1] <= 10.0):
            return (
                f"step_times are {list(times)}: give two numbers, s, the first from 0.05 to 10, "
                "the second from 0.02 to 10"
            )
        return ""

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return the quantities computed for each sample."""
        feet = tuple(values[WalkSettings].feet)
        if len(feet) != 2:
            raise ValueError("feet: name the frames of the left and the right foot")
        kinematics = (
            KernelRequest((leg_step.request(feet=feet),)),
            KernelRequest((leg_motion.request(feet=feet),)),
        )
        return (*kinematics, KernelRequest(("inverse_dynamics",)))

    def load_model(self, description: str, values: Values) -> dyn_core.Model:
        """Read a robot that is not fixed to the world."""
        return super().load_model(description, values.replaced({"floating_base": True}))

    def prepare(self, model: dyn_core.Model, values: Values) -> Biped:
        """Stand. Raises ValueError, worded, if the robot cannot."""
        position = start_position(model, values[WalkSettings].posture)
        position[: base_size(model)] = 0.0
        posture = dyn_core.integrate(model, dyn_core.neutral(model), position)
        left, right = values[WalkSettings].feet
        try:
            biped = Biped.standing(model, (left, right), posture, values[WalkSettings].ankle_height)
            _ = biped.response  # compiles all that a walk needs, so that the first does not wait
            return biped
        except (ModelError, KeyError) as error:
            raise ValueError(f"cannot stand: {error.args[0]}") from error

    def install(self, prepared: Biped) -> None:
        """Walk with another robot from the next footsteps on, from where the last one stands."""
        stands = self.active and self._under_way(self.ros_time()) is None
        self.stop()
        self._biped = prepared
        self._position.install(prepared.model)
        self._stance = self._stance if stands else prepared.start

    def open(self, opened: Interfaces) -> None:
        """Create publishers, the subscription and the timer of the samples."""
        self._joints = opened.publisher(JointTrajectory, "~/joint_trajectory")
        self._base = opened.publisher(MultiDOFJointTrajectory, "~/base_trajectory")
        self._center = opened.publisher(PointStamped, "~/center_of_mass")
        self._cop = opened.publisher(PointStamped, "~/cop")
        self._position.open(opened)
        opened.subscription(Footsteps, "~/footsteps", self._receive, 1)
        opened.timer(PERIOD_S, self._publish_sample)

    def start(self) -> None:
        """Stand at the origin."""
        self._stance, self._refused = self._biped.start, 0
        self._forget()

    def stop(self) -> None:
        """Stop a walk: what follows it would walk on."""
        now = self.ros_time()
        if (walking := self._under_way(now)) is not None:
            k = max(walking.sample(now), 0)
            walk, model, base = walking.walk, self._biped.model, base_size(self._biped.model)
            q, v = walk.q[k], walk.v[k]
            here, velocity = self._position.at_stop(
                lambda when: walking.states(round(1e9 * when)), MAX_AWAY
            )
            position, velocity = np.append(np.zeros(base), here), np.append(v[:base], velocity)
            stop = Stop.of(model, position, velocity, np.abs(walk.a).max(axis=0))
            at, rest = dyn_core.integrate(model, q, 0.5 * stop.duration * v), 0.0 * v
            empty, point = stop_messages(
                model.dof_names[base:], stop.duration, stop.position[base:]
            )
            self._joints.publish(empty)
            self._publish_motion(
                now,
                point,
                base_trajectory([stop.duration], ([at], [rest], [rest]), WORLD_FRAME, model),
            )
        self._forget()

    def _publish_motion(
        self, stamp: int, joints: JointTrajectory, base: MultiDOFJointTrajectory
    ) -> None:
        joints.header.stamp = base.header.stamp = time_message(stamp)
        self._joints.publish(joints)
        self._base.publish(base)

    def watch(self) -> None:
        """Stop a walk that the robot does not follow, and publish one that has been computed."""
        if why := self._deviation():
            self.stop()
            self._stance = self._biped.start
            self.get_logger().error(
                f"the robot does not follow the walk: {why}: stopped where it is. Look at the log "
                "of the controller that follows ~/joint_trajectory, and bring the robot into its "
                "posture; its next walk begins at the origin"
            )
        if self._computing is None or not self._computing.done():
            return
        done, self._computing = self._computing, None
        now = self.ros_time()
        try:
            found = done.result()
            if found.continues and found.begins <= now:
                raise ValueError(
                    f"they were computed {1e-9 * (now - found.begins):.2f} s too late for the walk "
                    "that is under way: send them earlier"
                )
            self._refuse_unready(stands=not found.continues, walk=found)
        except (ModelError, ValueError) as error:
            self._decline(str(error))
            return
        found = found._replace(begins=max(found.begins, now))
        self._plans = [*(one for one in self._plans if one.begins < found.begins), found]
        self._stance = found.stance
        self._position.command(moves=True)
        self._publish_motion(found.begins, found.joints, found.base)
        before, after = (1e3 * walk.distances.max() for walk in (found.walks[0], found.walk))
        self.get_logger().info(
            f"walking: CoP within {after:.1f} mm of the pattern's, {before:.1f} mm without the "
            "filter"
        )

    def report(self, report: Report) -> None:
        """Report how well the last walk was corrected."""
        report.values["walks_refused"] = self._refused
        if self._plans:
            largest = 1e3 * self._plans[-1].walk.distances.max()
            report.values["largest_cop_error_mm"] = f"{largest:.2f}"

    def _receive(self, message: Footsteps) -> None:
        if not self.active:
            return
        try:
            steps = read_footsteps(message)
            if self._computing is not None:
                raise InputRefusedError("computing", "the last walk is still being computed: wait")
            frame, asked = message.header.frame_id, nanoseconds(message.header.stamp)
            if frame not in ("", WORLD_FRAME):
                raise InputRefusedError(
                    "frame", f"they are in frame '{frame}': give them in '{WORLD_FRAME}'"
                )
            if (lead := 1e-9 * (asked - self.ros_time())) > MAX_LEAD_S:
                raise InputRefusedError(
                    "early",
                    f"they begin in {lead:.0f} s by header.stamp, more than {MAX_LEAD_S:g}: does "
                    "their publisher use another clock (use_sim_time)?",
                )
            self._refuse_unready(stands=self._under_way(self.ros_time()) is None)
            self._computing = self._submitted(steps, asked)
        except InputRefusedError as refusal:
            self._decline(str(refusal))

    def _submitted(self, steps: list[Footstep], asked: int) -> Future[Plan]:
        """Compute a walk, or how the one under way goes on."""
        walking = self._under_way(self.ros_time())
        if walking is None:
            times = tuple(self.values[WalkSettings].step_times)
            return self._planner.submit(plan, self._biped, self._stance, steps, times, asked)
        lead = round(1e9 * CHANGE_LEAD_S)
        earliest = max(self.ros_time() + lead, asked)
        walking = next((one for one in self._plans[::-1] if one.begins < earliest), walking)
        sample = max(1, walking.sample(earliest) + 1)
        return self._planner.submit(change, self._biped, walking, sample, steps)

    def _refuse_unready(self, stands: bool, walk: Plan | None = None) -> None:
        """Raise InputRefusedError if it is unknown where the robot is, or if it cannot begin.

        A robot that `stands` has to be at rest, and where the `walk` begins. What continues a walk
        begins where the robot will be, not where it is: `watch` sees to it that it gets there.
        """
        robot = self._position
        robot.command(moves=not stands)
        why = robot.absence()
        if stands and not why:
            why = robot.motion()
            if walk is not None and (away := robot.distance(walk.states(walk.begins)[0], MAX_AWAY)):
                why = why or (
                    f"{away} where the walk begins: bring the robot into the posture, for example "
                    "by a joint_trajectory_controller"
                )
        if why:
            raise InputRefusedError("robot not ready", why)

    def _deviation(self) -> str:
        """Return which joint does not follow a walk, empty if none is known to.

        A walk continues without joint states: a robot that stops on one foot falls.
        """
        now = self.ros_time()
        walk = self._under_way(now)
        if walk is None or now < walk.begins + 1e9 * MAX_LAG_S:  # it may follow that before still
            return ""
        if self._position.absence(MAX_LAG_S):
            return ""
        return self._position.distance(walk.states(now)[0], MAX_AWAY)

    def _decline(self, why: str) -> None:
        self._refused += 1
        self.warn_seldom("footsteps", f"footsteps refused: {why}")

    def _forget(self) -> None:
        self._computing, self._plans = None, []
        self._position.command(moves=False)

    def _under_way(self, now: int) -> Plan | None:
        """Return the current or next plan at this time, ns; None while the robot stands."""
        while len(self._plans) > 1 and self._plans[1].begins <= now:
            del self._plans[0]
        if not self._plans or self._plans[0].sample(now) >= len(self._plans[0].walk.q):
            return None
        return self._plans[0]

    def _publish_sample(self) -> None:
        now = self.get_clock().now()
        if not self.active or (walking := self._under_way(now.nanoseconds)) is None:
            return
        k = walking.sample(now.nanoseconds)
        if k < 0:
            return
        walk, frame, stamp = walking.walk, WORLD_FRAME, now.to_msg()
        self._center.publish(point(walk.center.positions[k], 0.0, frame, stamp))
        height = float(walk.pattern.steps.cop[k, 2])
        self._cop.publish(point(walk.cop[k], height, frame, stamp))
