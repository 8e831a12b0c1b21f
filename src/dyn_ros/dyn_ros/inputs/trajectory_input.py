# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The motion that a robot shall follow: trajectories in, a desired state at any time out."""

from typing import ClassVar

import numpy as np
from trajectory_msgs.msg import JointTrajectory

import dyn_core
from dyn_core.control import State, Trajectory, take_short_way, turning_joints
from dyn_ros.arrays import Vector
from dyn_ros.inputs.bad_input import reaction_to
from dyn_ros.inputs.command_settings import CommandSettings
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.robot_state import RobotState, StateHost
from dyn_ros.inputs.tracking_settings import FollowSettings
from dyn_ros.inputs.trajectory_check import (
    AT_ONCE,
    MIN_BACKGROUND_POINTS,
    Checked,
    Follower,
    Plan,
    Waiting,
    check,
    lateness,
    law,
    planned,
)
from dyn_ros.kernels.robot import KernelRequest, refuse_free_joints
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.messages.joint_trajectory import JointTrajectoryReader, Read
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
from dyn_ros.tracking.passive import PassiveJoints
from dyn_ros.tracking.setpoint import SETPOINT_SHARE

FAR_AHEAD = 60.0  # s until a trajectory starts that diagnostics warn of


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
        "efforts of the points are checked, but not used; the newest replaces the one before",
        "trajectories_refused": "since activation",
        "trajectory": "whether one is active, or when it starts",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (FollowSettings,)
    node: StateHost

    def __init__(self, node: StateHost) -> None:
        """Belong to a node that asks for `desired`."""
        super().__init__(node)
        self._reader = JointTrajectoryReader(())
        self._model: dyn_core.Model
        self._limits: MotionLimits
        self._steps: EffortSteps
        self._passive = PassiveJoints((), ())
        self._refused = 0
        self._motion = DesiredMotion()
        self._follower: Follower | None = None
        self._waiting: Waiting | None = None  # that is checked
        self._waits_for = ""  # why the motors do not follow yet
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
        self._reader = JointTrajectoryReader(model.dof_names)
        self.joint_names, self._motion.turning = tuple(model.dof_names), turning_joints(model)
        self._model, self._effort_limit = model, np.asarray(model.effort_limit)
        passive = self.values[Structure].passive_joints
        self._limits = MotionLimits(model, passive)
        self._passive = PassiveJoints(model.dof_names, passive)
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

    def stop(self) -> None:
        """Follow nothing any more."""
        self._interrupt("not active", "the node was deactivated")

    def desired(self, state: RobotState) -> State:
        """Return position, velocity and acceleration at the time of a joint state, [nv] each."""
        now = state.nanoseconds
        if now - self._now > self.values[JointStateSettings].joint_state_timeout * NANOSECONDS:
            self._interrupt("gap", "joint states stopped coming: the robot stays where it is")
            self._motion.stay(
                state.position, self.values[FollowSettings].max_tracking_error or np.inf
            )
        self._now = now
        if self._waiting is not None and self._waiting.done:
            self._take_checked(self._waiting)
        desired = self._motion.at(now, state.position)
        return self._passive.measured(desired, state.position, state.velocity)

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

    def follow(self, message: JointTrajectory, follower: Follower | None = None) -> None:
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
                "joint states have no stamps, so that no time goes by: let their publisher write "
                "the time of the measurement",
            )
        read = self._reader.read(message)
        if not len(read[0]):
            raise InputRefusedError("no points", "the trajectory has no points: send at least one")
        stamp = nanoseconds(message.header.stamp)
        if len(read[0]) >= MIN_BACKGROUND_POINTS:
            waiting = Waiting(stamp, read, follower)
            self._check_beside(waiting)
            self._drop("replaced", "a newer trajectory replaces it")
            self._waiting = waiting
            return
        plan = self._plan(stamp, read, self._now)
        leg = self._leg(plan, check(plan, *self._how(self.node.surroundings)))
        self._begin(leg, follower)

    def _begin(self, leg: Segment, follower: Follower | None) -> None:
        self._interrupt("replaced", "a newer trajectory replaces it")
        self._motion.follow(leg, self._now)
        self._follower = follower
        if follower is not None:
            follower.begun(leg)

    def _check_beside(self, waiting: Waiting) -> None:
        """Check a trajectory in a thread, from the desired state at the end of the check."""
        at = self._now + round(waiting.lead * NANOSECONDS)
        plan = self._plan(waiting.stamp, waiting.read, at)
        waiting.begin(plan, *self._how(self.node.surroundings.copy()))

    def _take_checked(self, waiting: Waiting) -> None:
        """Follow a trajectory that has been checked, or refuse it."""
        try:
            checked = waiting.result()
            if not self._still_fits(waiting.plan):
                waiting.take_longer()
                self._check_beside(waiting)
                return
            leg = self._leg(waiting.plan, checked)
        except InputRefusedError as refusal:
            self._waiting = None
            if waiting.follower is not None:
                waiting.follower.refused(refusal)
            self.refuse(refusal)
            return
        self._waiting = None
        self._begin(leg, waiting.follower)

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

        Or it would leap to where it should be once they do. Empty: they follow.
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
        self._interrupt("time ran backwards", "the time of joint states went back")
        self._forget()

    def _forget(self) -> None:
        self._motion.rest(np.zeros(0))
        self._now = -(1 << 62)  # so that the next sample comes after a gap

    def _drop(self, reason: str, text: str) -> None:
        """Check no longer what waits."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.give_up()
            if waiting.follower is not None:
                waiting.follower.interrupted(reason, text)

    def _interrupt(self, reason: str, text: str) -> None:
        self._drop(reason, text)
        follower, self._follower = self._follower, None
        if follower is not None:
            follower.interrupted(reason, text)

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

    def _plan(self, stamp: int, read: Read, at: int) -> Plan:
        """Return how a trajectory is followed that begins at a time, ns, if its stamp is not later.

        Raises InputRefusedError if it is over then, or begins too far from what is desired.
        """
        start = stamp or at
        begin = max(start, at)
        state = self.node.state
        desired = self._passive.still(self._motion.later(begin), state.position)
        now = self._passive.still((state.position, state.velocity, state.velocity), state.position)
        robot = now[:2] if begin <= self._now else desired[:2]
        read, moved = self._passive.left_out(read, state.position)
        if moved:
            self.node.warn_seldom(
                "passive", f"a trajectory moves {moved}, of passive_joints: that is left out"
            )
        how = law(self.values, self._effort_limit)
        plan = planned(read, start, begin, desired, robot, self._motion.turning, how)
        if late := lateness(stamp, self._now):
            self.node.warn_seldom("late trajectory", late)
        jump = plan.points[0][0] - plan.position
        take_short_way(jump, self._motion.turning)
        held = len(plan.times) == 1
        distance, share = (plan.first.distance, SETPOINT_SHARE) if held else (jump, 1.0)
        self.refuse_distance(distance, "starts elsewhere", share)
        return plan

    def _still_fits(self, plan: Plan) -> bool:
        """Return whether a plan begins in the future, at the state desired then."""
        if plan.begin < self._now:
            return False
        desired = self._passive.still(self._motion.later(plan.begin), plan.desired[0])
        return all(map(np.array_equal, desired, plan.desired))

    def _how(self, around: Surroundings) -> tuple[MotionLimits, Surroundings, float]:
        return self._limits, around, self.values[CommandSettings].effort_scale

    def _leg(self, plan: Plan, checked: Checked) -> Segment:
        """Return the motion. Raises InputRefusedError if it is beyond limits."""
        self._steps.add(checked.effort_step(), plan.first)
        end = float(plan.times[-1])
        return Segment(plan.start, plan.begin, end, checked.motion.sample)
