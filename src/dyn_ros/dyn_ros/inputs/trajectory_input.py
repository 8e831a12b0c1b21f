# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The motion that a robot shall follow: trajectories in, a desired state at any time out."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
from trajectory_msgs.msg import JointTrajectory

import dyn_core
from dyn_core.control import State, Trajectory, turning_joints, wrap_differences
from dyn_ros.arrays import Vector
from dyn_ros.inputs.bad_input import reaction_to
from dyn_ros.inputs.command_settings import CommandSettings, effort_rate
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.inputs.tracking_settings import FollowSettings, TrackingSettings
from dyn_ros.inputs.trajectory_check import AT_ONCE, Plan, check, planned
from dyn_ros.kernels.robot import KernelRequest, refuse_free_joints
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.joint_trajectory import Read, read_trajectory
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS, nanoseconds
from dyn_ros.node.description import Structure
from dyn_ros.node.part import KernelPart, Part
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Values
from dyn_ros.safety.effort_policy import NO_EFFORT
from dyn_ros.safety.motion_policy import NEEDED_KERNEL, MotionLimits, Stop, tracking_error
from dyn_ros.tracking.effort_steps import EffortSteps
from dyn_ros.tracking.motion import DesiredMotion, Segment
from dyn_ros.tracking.setpoint import SETPOINT_SHARE, Law, Setpoint

FAR_AHEAD = 60.0  # s until a trajectory starts that diagnostics warn of
MAX_LATENESS_S = 0.1  # s after its start that a trajectory may come without a warning
AS_MEASURED = 0.01  # rad or m from where it is that asks no joint to move: noise, and states' age
# points, from which on a trajectory is checked beside the commands, which go on
MIN_BACKGROUND_POINTS = 500
FIRST_LEAD_S = 0.2  # s that this may take at first; twice as long each time that it was not enough
MOST_LEAD = 5.0  # s
OVERSHOOT = 1.1  # times the velocity of a motion that joints which follow it may reach

NEWER = "replaced", "a newer trajectory replaces it"

# One thread for the nodes of a process: commands would wait longer beside several.
_worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trajectories")


class SentTrajectory:
    """A trajectory that was sent, and what has become of it."""

    leg: Segment | None = None  # once it is followed, or waits for its start only
    end: tuple[str, str] | None = None  # a countable reason and words, once it is not any more
    lead = FIRST_LEAD_S  # time for its check
    changes = 0  # of limits and payloads before that
    plan: Plan
    check: Future[Any]  # in the background, while commands go on
    again: Future[Any] | None = None  # the same, of the motion that is followed, after a change

    def __init__(self, stamp: int, read: Read) -> None:
        """Have a stamp, ns, 0: to be started at once."""
        self.stamp, self.read = stamp, read


class TrajectoryInput(Part, KernelPart):
    """~/joint_trajectory in, as joint_trajectory_controller takes it: a new one replaces the old.

    It starts at its stamp (zero: at once) from what is desired then, unless its first point is at
    time 0; until then the motion under way goes on. A point at time 0 alone is a set-point. Before
    the first, after a gap in joint states, where their time goes back and where a trajectory has no
    points, the robot is to stay where it is. One that the robot cannot make is refused, and changes
    nothing.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/joint_trajectory": "the motion to follow; one point with a time of 0 is a set-point; "
        "efforts of the points are checked, but not used; the newest replaces the last one",
        "trajectories_refused": "since activation",
        "trajectory": "whether one is active, or when it starts",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (FollowSettings,)
    node: StateHost

    def __init__(self, node: StateHost) -> None:
        """Belong to a node that asks for `desired`."""
        super().__init__(node)
        self._model: dyn_core.Model
        self._limits: MotionLimits
        self._steps: EffortSteps
        self._refused = 0
        self._motion = DesiredMotion()
        self._followed: SentTrajectory | None = None
        self._waiting: SentTrajectory | None = None  # that is checked
        self._waits_for = ""  # why the motors do not follow yet
        self._changes = 0  # of what trajectories are checked against
        self._now: int  # ns, stamp of the last sample
        self._forget()

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return the kernel of the efforts of a trajectory."""
        return (NEEDED_KERNEL,)

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError if a joint is one that no trajectory can name."""
        refuse_free_joints(model)

    def install(self, model: dyn_core.Model) -> None:
        """Read trajectories for the joints of a model."""
        self.joint_names, self._motion.turning = tuple(model.dof_names), turning_joints(model)
        self._model, self._effort_limit = model, np.asarray(model.effort_limit)
        passive = self.values[Structure].passive_joints
        self._limits = MotionLimits(model, passive)
        self._passive = np.array([name in passive for name in model.dof_names])
        self._steps = EffortSteps(model.dof_names)
        self._interrupt("another robot", "another robot_description came")
        self._forget()

    def open(self) -> None:
        """Subscribe."""
        self.opened.subscription(JointTrajectory, "~/joint_trajectory", self._receive)

    def start(self) -> None:
        """Stay where the robot is."""
        self._refused, self._waits_for = 0, ""
        self._forget()

    def changed(self) -> None:
        """Check the motion that is followed against limits that may have changed."""
        sent, now = self._followed, self._now
        self._changes += 1
        if sent is not None and (self._motion.under_way(now) or self._motion.waits(now)):
            sent.again = self._submit(sent.plan)

    def ramp(self) -> None:
        """Check it with payloads that may have changed."""
        self.changed()

    def stop(self) -> None:
        """Follow nothing any more."""
        self._interrupt("not active", "the node was deactivated")

    def desired(self) -> State:
        """Return position, velocity and acceleration at the time of the state, [nv] each."""
        state, now = self.node.state, self.node.state.nanoseconds
        if now - self._now > self.values[JointStateSettings].joint_state_timeout * NANOSECONDS:
            self._interrupt("gap", "joint states stopped: the robot holds its position")
            self._motion.stay(
                state.position, self.values[FollowSettings].max_tracking_error or np.inf
            )
        self._now = now
        if self._waiting is not None and self._waiting.check.done():
            self._take_checked(self._waiting)
        if self._followed is not None and self._followed.again is not None:
            self._stop_if_refused(self._followed.again)
        return self._as_found(*self._motion.at(now, state.position), state.velocity)

    def refuse_distance(self, distance: Vector, reason: str, share: float = 1.0) -> None:
        """Raise InputRefusedError if the robot is too far from where it shall be.

        Only a share of that may be taken by what is foreseen.
        """
        most = self.values[FollowSettings].max_tracking_error
        limit = self._effort_limit[np.argmax(np.abs(distance))]
        advice = "begin where the robot is, and move slower or with higher gains"
        if not (limit and self.values[CommandSettings].effort_scale):
            advice = f"its effort limit is 0, {NO_EFFORT}"
        if text := tracking_error(self.joint_names, distance, most, advice, share):
            if reason == "tracking error":
                self._interrupt(reason, text)
            raise InputRefusedError(reason, text)

    def follow(self, message: JointTrajectory) -> SentTrajectory:
        """Follow a trajectory from now on, or from its stamp.

        One of many points is checked first while commands go on, and begins a little later.

        Raises InputRefusedError, worded, if that cannot be; the motion goes on as before then.
        """
        if self._waits_for:
            raise InputRefusedError("no commands", f"no commands: {self._waits_for}")
        if not self._motion.known:
            raise InputRefusedError("no joint state", "no joint state has come yet: wait for one")
        if not self._now:
            raise InputRefusedError(
                "no stamps",
                "joint states have no stamps, which trajectories need: let their publisher write "
                "the time of the measurement",
            )
        read = read_trajectory(message, self.joint_names)
        sent = SentTrajectory(nanoseconds(message.header.stamp), read)
        if len(message.points) < MIN_BACKGROUND_POINTS:
            sent.plan = self._plan(sent, self._now)
            self._begin(sent, *check(sent.plan, *self._limits_now(self.node.surroundings)))
            return sent
        self._check_beside(sent)
        self._drop_waiting(*NEWER)
        self._waiting = sent
        return sent

    def _begin(self, sent: SentTrajectory, motion: Trajectory | Setpoint, step: Vector) -> None:
        """Follow a trajectory that was checked. Raises InputRefusedError if motors lag behind."""
        plan = sent.plan
        self._steps.add(step, plan.begin, plan.law)
        self._waiting = None if self._waiting is sent else self._waiting
        self._interrupt(*NEWER)
        sent.leg = Segment(plan.start, plan.begin, float(plan.times[-1]), motion.sample)
        self._motion.follow(sent.leg, self._now)
        self._followed = sent

    def _check_beside(self, sent: SentTrajectory) -> None:
        """Check a trajectory in a thread, from the desired state at the end of the check."""
        sent.plan = self._plan(sent, self._now + round(sent.lead * NANOSECONDS))
        sent.check, sent.changes = self._submit(sent.plan), self._changes

    def _submit(self, plan: Plan) -> Future[Any]:
        """Check a plan in a thread, beside the commands."""
        return _worker.submit(check, plan, *self._limits_now(self.node.surroundings.copy()))

    def _take_checked(self, sent: SentTrajectory) -> None:
        """Follow a trajectory that has been checked, or refuse it."""
        try:
            if sent.changes == self._changes and self._still_fits(sent.plan):
                self._begin(sent, *sent.check.result())
                return
            sent.lead *= 2.0
            if sent.lead > MOST_LEAD:
                raise InputRefusedError(
                    "too long to check",
                    f"its {len(sent.read[0])} points could not be checked within {MOST_LEAD:g} s: "
                    "is the processor overloaded? Send fewer points",
                )
            self._check_beside(sent)
        except InputRefusedError as refusal:
            self._waiting = None
            sent.end = refusal.reason, str(refusal)
            self.refuse(refusal)

    def _stop_if_refused(self, again: Future[Any]) -> None:
        """Brake if the motion that is followed breaks a limit after a change."""
        if not again.done() or self._followed is None:
            return
        self._followed.again = None
        try:
            again.result()
        except InputRefusedError as refusal:
            self.node.get_logger().warning(f"the trajectory is stopped, after a change: {refusal}")
            self.stop_motion(str(refusal))

    def stop_motion(self, why: str) -> None:
        """Brake from where the robot shall be now, for a reason in words."""
        if self._motion.known:
            self.brake_from(self._motion.state, why)

    def brake_from(self, state: State, why: str) -> None:
        """Brake from a state to rest, for a reason in words."""
        self._interrupt("stopped", why)
        position, velocity, _ = state
        stop = Stop.of(self._model, position, velocity)
        ends = zip(state, (stop.position, 0.0 * velocity, 0.0 * velocity), strict=True)
        spline = Trajectory(np.array([0.0, stop.duration]), *map(np.stack, ends))
        self._motion.follow(Segment(self._now, self._now, stop.duration, spline.sample), self._now)

    def wait_for(self, why: str) -> None:
        """Stay where the robot is as long as its motors do not follow, for a reason in words.

        Or it would jump to where it should be once they do. Empty: they follow.
        """
        self._waits_for = why
        if why:
            self._interrupt("no commands", why)
            self._motion.rest(self.node.state.position.copy())

    def report(self, report: Report) -> None:
        """Report the motion under way."""
        report.values["trajectories_refused"] = self._refused
        waits = self._motion.waits(self._now)
        under_way = "under way" if self._motion.under_way(self._now) else "none under way"
        next_one = f", one starts in {waits:.1f} s" if waits else ""
        report.values["trajectory"] = under_way + next_one
        if waits > FAR_AHEAD:
            report.warn(f"a trajectory starts in {waits:.0f} s: set its {AT_ONCE}")

    def rewind(self) -> None:
        """Stay where the robot is: the trajectory would begin again with a jump."""
        self._interrupt("time ran backwards", "stamps of joint states went back")
        self._forget()

    def _forget(self) -> None:
        self._motion.rest(np.zeros(0))
        self._now = -(1 << 62)  # so that the next sample comes after a gap

    def _interrupt(self, reason: str, text: str) -> None:
        """Follow and check no trajectory any more."""
        self._drop_waiting(reason, text)
        if self._followed is not None:
            self._followed.end = reason, text
        self._followed = None

    def _drop_waiting(self, reason: str, text: str) -> None:
        """Stop checking."""
        if self._waiting is not None:
            self._waiting.end = reason, text
            self._waiting.check.cancel()  # others wait for the thread
        self._waiting = None

    def _receive(self, message: JointTrajectory) -> None:
        if not self.node.active:
            return
        try:
            if message.points or not self._motion.known:
                self.follow(message)
            else:
                self.stop_motion("a trajectory without points stops the robot")
        except InputRefusedError as refusal:
            self.refuse(refusal)

    def refuse(self, refusal: InputRefusedError) -> None:
        """Count and log a refused trajectory, and react to it."""
        self._refused += 1
        self.node.warn_seldom("trajectory", f"trajectory refused: {refusal}")
        reaction = reaction_to(refusal.reason, self.values)
        self.node.answer_bad_input(reaction, f"trajectory refused: {refusal}")

    def _plan(self, sent: SentTrajectory, at: int) -> Plan:
        """Return how a trajectory is followed that begins at a time, ns, if its stamp is not later.

        Raises InputRefusedError if it is over then, or begins too far from what is desired.
        """
        start = sent.stamp or at
        begin, state = max(start, at), self.node.state
        desired = self._as_found(*self._motion.later(begin))
        robot = desired[:2]
        if begin <= self._now:
            robot = self._as_found(state.position, state.velocity, state.velocity)[:2]
        times, points = sent.read
        away = np.abs(points[0] - state.position).max(axis=0) > AS_MEASURED
        if (moved := self._passive & away).any():
            names = quoted([self.joint_names[i] for i in np.flatnonzero(moved)])
            self.node.warn_seldom(
                "passive", f"a trajectory moves passive joint {names}: this part is ignored"
            )
        still: tuple[Vector | float, ...] = state.position, 0.0, 0.0
        points = [np.where(self._passive, x, y) for x, y in zip(still, points, strict=False)]
        turning = self._motion.turning
        plan = planned((times, points), start, begin, desired, robot, turning, self._law())
        late = (self._now - sent.stamp) / NANOSECONDS
        if sent.stamp and late >= MAX_LATENESS_S:
            self.node.warn_seldom(
                "late trajectory",
                f"the start of a trajectory is {late:.3g} s ago; it moves faster to catch up: "
                f"set its {AT_ONCE}",
            )
        jump = plan.points[0][0] - plan.position
        wrap_differences(jump, turning)
        held = len(plan.times) == 1
        distance, share = (plan.first.distance, SETPOINT_SHARE) if held else (jump, 1.0)
        self.refuse_distance(distance, "starts elsewhere", share)
        return plan

    def _as_found(
        self, position: Vector, velocity: Vector, acceleration: Vector, moving: Vector | float = 0.0
    ) -> State:
        """Return a state in which joints without a motor are where they are, and rest or move."""
        return (
            np.where(self._passive, self.node.state.position, position),
            np.where(self._passive, moving, velocity),
            np.where(self._passive, 0.0, acceleration),
        )

    def _still_fits(self, plan: Plan) -> bool:
        """Return whether a plan begins in the future, at the state desired then."""
        if plan.begin < self._now:
            return False
        pairs = zip(self._motion.later(plan.begin), plan.desired, strict=True)
        return all((self._passive | (x == y)).all() for x, y in pairs)

    def _law(self) -> Law:
        """Return how parameters say that set-points are followed."""
        tracking = self.values[TrackingSettings]
        return Law(
            tracking.natural_frequency,
            tracking.damping_ratio,
            tracking.feed_forward,
            self.values[FollowSettings].reference_timeout,
            effort_rate(self._effort_limit, self.values),
        )

    def _limits_now(self, around: Surroundings) -> tuple[MotionLimits, Surroundings, float]:
        """Return what a plan is checked against."""
        command = self.values[CommandSettings]
        self._limits.velocity_scale = min((command.velocity_scale or np.inf) / OVERSHOOT, 1.0)
        return self._limits, around, command.effort_scale
