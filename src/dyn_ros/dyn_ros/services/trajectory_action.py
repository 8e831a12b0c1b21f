# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The action that MoveIt and others send trajectories by, as joint_trajectory_controller has it."""

from array import array
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from trajectory_msgs.msg import JointTrajectoryPoint

from dyn_ros.arrays import Vector
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.inputs.trajectory_input import TrajectoryInput
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS, duration_message, seconds_of, time_message
from dyn_ros.messages.tolerances import Tolerances, read_tolerances
from dyn_ros.node.interfaces import REQUESTS
from dyn_ros.node.part import Part
from dyn_ros.node.report import Report
from dyn_ros.outputs.computed_torque_law import Tracking
from dyn_ros.tracking.motion import Segment

Result = FollowJointTrajectory.Result
CODES = {  # by the reason of a refusal; others are INVALID_GOAL
    "missing joint": Result.INVALID_JOINTS,
    "unknown joint": Result.INVALID_JOINTS,
    "duplicate joint": Result.INVALID_JOINTS,
    "in the past": Result.OLD_HEADER_TIMESTAMP,
    "tracking error": Result.PATH_TOLERANCE_VIOLATED,
    "path tolerance": Result.PATH_TOLERANCE_VIOLATED,
    "goal tolerance": Result.GOAL_TOLERANCE_VIOLATED,
}
FEEDBACK_RATE_HZ = 20.0  # at most
GOAL_TOLERANCE = 0.05  # rad or m by which a joint may be from the last point, unless the goal says
GOAL_TIME_S = 1.0
"""After the end of a trajectory, for the joints to come within the goal's tolerance, unless the
goal says."""
MOST_GOALS = 10  # between two joint states, for their checks keep commands waiting
INDEXED = "index" in FollowJointTrajectory.Feedback.get_fields_and_field_types()


class Server(ActionServer):
    """An action server whose goals go on with joint states, not in a callback of their own."""

    def notify_execute(self, goal_handle: Any, execute_callback: Any) -> None:
        """Leave an accepted goal to `TrajectoryAction.update`."""

    def end(self, goal_handle: Any, finish: Callable[[Any], Any]) -> None:
        """Let `finish` put the goal into its last state and return its result."""
        super().notify_execute(goal_handle, finish)


class TrajectoryAction(Part):
    """~/follow_joint_trajectory: the motion of ~/joint_trajectory, with an answer at its end.

    Goals are accepted, so that the result can say what is wrong with them: error_code and, in
    words, error_string; but no more than MOST_GOALS between two joint states. There is one at a
    time; a newer one, or a trajectory on the topic, ends it, and so do the end of joint states and
    of activity. Cancelling brakes the robot.
    The server does not ask whether its client lives: the motion goes on to its end without one.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/follow_joint_trajectory": "a motion to follow, with tolerances, feedback and a result",
        "goal": "whether a goal is active, and the result of the last one",
    }
    node: StateHost

    def __init__(self, node: StateHost) -> None:
        """Belong to a node that calls `update`."""
        super().__init__(node)
        self._server: Server | None = None
        self._goal: _Goal | None = None
        self._next: _Goal | None = None  # that is still checked
        self._ending = 0  # results that are still to be sent
        self._last = "none yet"
        self._updated = 0.0  # s, when the last sample was computed with
        self._asked = 0  # goals since

    def open(self) -> None:
        """Serve from now on, in all states: a server that is destroyed while goals wait crashes."""
        if self._server is not None:
            return
        self._server = Server(
            self.node,
            FollowJointTrajectory,
            "~/follow_joint_trajectory",
            execute_callback=lambda goal: None,  # never called
            goal_callback=self._admit,
            handle_accepted_callback=self._begin,
            cancel_callback=lambda goal: CancelResponse.ACCEPT,
            goal_service_qos_profile=REQUESTS,
            result_service_qos_profile=REQUESTS,
            cancel_service_qos_profile=REQUESTS,
        )

    def close(self) -> None:
        """Follow nothing."""
        super().close()
        self._goal = self._next = None

    @property
    def busy(self) -> bool:
        """Whether a client waits for a result that is under way."""
        return bool(self._ending)

    def start(self) -> None:
        """Know of no goal."""
        self._last, self._asked = "none yet", 0

    def report(self, report: Report) -> None:
        """Tell what became of the last goal."""
        report.values["goal"] = (
            "under way" if self._goal else "checked" if self._next else self._last
        )

    def watch(self) -> None:
        """Cancel, or give up, without waiting for a joint state."""
        timeout, states = (
            self.values[JointStateSettings].joint_state_timeout,
            self.node.part(JointStateInput),
        )
        for goal in (self._goal, self._next):
            if goal is None:
                continue
            if goal.handle.is_cancel_requested:
                self._stop(goal, "cancelled", "the client cancelled it", canceled=True)
            elif self.clock.now() - self._updated > timeout and not states.paused:
                self._stop(goal, "gap", f"no joint state could be used for {timeout:g} s")

    def _stop(self, goal: "_Goal", reason: str, text: str, canceled: bool = False) -> None:
        """End a goal where the robot shall be now, and with it one that would move the robot on."""
        if not self._let_go(goal):
            return  # it has ended with the other
        self.node.part(TrajectoryInput).stop_motion(f"another goal ended the motion: {text}")
        self._end(goal.handle, reason, text, canceled)

    def _let_go(self, goal: "_Goal") -> bool:
        """Follow a goal no more; return whether it was one to follow."""
        known = goal in (self._goal, self._next)
        self._goal = None if self._goal is goal else self._goal
        self._next = None if self._next is goal else self._next
        return known

    def update(self) -> None:
        """Compare where the robot is with where it shall be, after a sample was computed with."""
        self._updated, self._asked = self.clock.now(), 0
        self.watch()
        goal, state, tracking = self._goal, self.node.state, self.node.part(Tracking)
        if goal is None or state.nanoseconds < goal.leg.start:
            return
        error = tracking.error
        velocity_error = tracking.desired[1] - state.velocity
        seconds = (state.nanoseconds - goal.leg.start) / NANOSECONDS
        try:
            if seconds < goal.leg.end:
                goal.path.refuse("path tolerance", error, velocity_error)
                self._tell(goal, error, velocity_error, seconds)
            elif seconds > goal.leg.end + goal.patience:
                goal.final.refuse("goal tolerance", error, velocity_error)
            if seconds >= goal.leg.end and goal.final.hold(error, velocity_error):
                self._goal = None
                self._end(goal.handle, "", "")
        except InputRefusedError as refusal:
            self._goal = None
            trajectory = self.node.part(TrajectoryInput)
            here = state.position.copy(), state.velocity.copy(), 0.0 * state.velocity
            trajectory.brake_from(here, f"another goal ended: {refusal}")
            self._end(goal.handle, refusal.reason, str(refusal))

    def _admit(self, request: Any) -> GoalResponse:
        self.node.supervision.catch_up()
        self._asked += 1
        if self._asked <= MOST_GOALS or not self.node.active:
            return GoalResponse.ACCEPT
        self.node.warn_seldom(
            "goal", f"goal rejected: more than {MOST_GOALS} came between two joint states"
        )
        return GoalResponse.REJECT

    def _begin(self, handle: Any) -> None:
        handle.execute()
        request, trajectory = handle.request, self.node.part(TrajectoryInput)
        try:
            if not self.node.active:
                raise InputRefusedError("not active", "the node is not active: activate it first")
            goal = _Goal(handle, request, trajectory.joint_names, self)
            trajectory.follow(request.trajectory, goal)
        except InputRefusedError as refusal:
            self._end(handle, refusal.reason, str(refusal))
            trajectory.refuse(refusal)
            return
        self._updated = self.clock.now()
        if self._goal is not goal:
            self._next = goal

    def begun(self, goal: "_Goal") -> None:
        """Hear that a goal is followed."""
        self._let_go(goal)
        self._goal = goal

    def ended(self, goal: "_Goal", reason: str, text: str) -> None:
        """Hear that a goal is followed no more, or will never be."""
        if self._let_go(goal):
            self._end(goal.handle, reason, text, canceled=goal.handle.is_cancel_requested)

    def _end(self, handle: Any, reason: str, text: str, canceled: bool = False) -> None:
        """End a goal; without a reason it has succeeded."""
        self._last = f"{reason}: {text}" if reason else "succeeded"
        if self.node.is_due(f"goal {self._last}"):
            self.node.get_logger().info(f"goal: {self._last}")
        self._ending += 1

        def finish(handle: Any) -> Any:
            self._ending -= 1
            (handle.canceled if canceled else handle.abort if reason else handle.succeed)()
            code = CODES.get(reason, Result.INVALID_GOAL) if reason else Result.SUCCESSFUL
            if canceled:
                code = Result.SUCCESSFUL
            return Result(error_code=code, error_string=text)

        assert self._server is not None
        self._server.end(handle, finish)

    def _tell(self, goal: "_Goal", error: Any, velocity_error: Any, seconds: float) -> None:
        now = self.node.state.nanoseconds
        if now < goal.told + NANOSECONDS / FEEDBACK_RATE_HZ:
            return
        goal.told = now
        state, desired = self.node.state, self.node.part(Tracking).desired
        feedback = FollowJointTrajectory.Feedback(
            joint_names=list(self.node.part(TrajectoryInput).joint_names),
            desired=_point(seconds, *desired),
            actual=_point(seconds, state.position, state.velocity),
            error=_point(seconds, error, velocity_error),
        )
        feedback.header.stamp = time_message(now)
        if INDEXED:
            feedback.index = int(np.searchsorted(goal.times, seconds))
        goal.handle.publish_feedback(feedback)


class _Goal:
    """A goal under way."""

    leg: Segment

    def __init__(
        self,
        handle: Any,
        request: Any,
        joint_names: Any,
        action: TrajectoryAction,
    ) -> None:
        """Read tolerances and times of a goal. Raises InputRefusedError if they are invalid."""
        several = request.multi_dof_trajectory.points
        if several or request.component_path_tolerance or request.component_goal_tolerance:
            raise InputRefusedError(
                "several degrees of freedom",
                "the goal has a multi_dof_trajectory or tolerances of its components, but all "
                "joints here have one degree of freedom: leave them out",
            )
        self.handle = handle
        self._action = action
        self.path: Tolerances = read_tolerances("path", request.path_tolerance, joint_names, 0.0)
        self.final: Tolerances = read_tolerances(
            "goal", request.goal_tolerance, joint_names, GOAL_TOLERANCE
        )
        patience = seconds_of(request.goal_time_tolerance)
        self.patience = patience if patience > 0.0 else GOAL_TIME_S
        times = (seconds_of(x.time_from_start) for x in request.trajectory.points)
        self.times: Vector = np.fromiter(times, np.float64)  # looked through for each feedback
        self.told = 0  # ns, stamp of the last feedback

    def begun(self, leg: Segment) -> None:
        """Hear that the trajectory is followed."""
        self.leg = leg
        self._action.begun(self)

    def refused(self, refusal: InputRefusedError) -> None:
        """Hear that the trajectory is not followed."""
        self._action.ended(self, refusal.reason, str(refusal))

    def interrupted(self, reason: str, text: str) -> None:
        """Hear that the trajectory is followed no more."""
        self._action.ended(self, reason, text)


def _point(seconds: float, *vectors: Any) -> JointTrajectoryPoint:
    point = JointTrajectoryPoint(time_from_start=duration_message(seconds))
    fields = "positions", "velocities", "accelerations"
    for field, vector in zip(fields, vectors, strict=False):
        setattr(point, field, array("d", np.asarray(vector).tobytes()))
    return point
