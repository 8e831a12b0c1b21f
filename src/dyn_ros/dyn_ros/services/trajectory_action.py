# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The action that MoveIt and others send trajectories by, as joint_trajectory_controller has it."""

from array import array
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from trajectory_msgs.msg import JointTrajectoryPoint

from dyn_ros.arrays import Vector
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.inputs.trajectory_input import SentTrajectory, TrajectoryInput
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS, duration_message, seconds_of, time_message
from dyn_ros.messages.tolerances import Tolerances
from dyn_ros.node.interfaces import REQUESTS
from dyn_ros.node.part import Part
from dyn_ros.node.report import Report
from dyn_ros.outputs.computed_torque_law import Tracking

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
        self._goals: list[_Goal] = []  # one that is followed, one that is still checked
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
        self._goals = []

    @property
    def busy(self) -> bool:
        """Whether a client waits for a result that is under way."""
        return bool(self._ending)

    def start(self) -> None:
        """Know of no goal."""
        self._last, self._asked = "none yet", 0

    def stop(self) -> None:
        """End the goal with the motion."""
        self.watch()

    def report(self, report: Report) -> None:
        """Report the result of the last goal."""
        begun = any(goal.sent.leg for goal in self._goals)
        report.values["goal"] = "under way" if begun else "checked" if self._goals else self._last

    def watch(self) -> None:
        """End goals whose motion has ended, or that are cancelled or without joint states."""
        timeout = self.values[JointStateSettings].joint_state_timeout
        silent = self.clock.now() - self._updated > timeout
        for goal in self._goals:
            reason, text = goal.sent.end or ("", "")
            if not reason and goal.handle.is_cancel_requested:
                reason, text = "cancelled", "the client cancelled it"
            elif not reason and silent and not self.node.part(JointStateInput).paused:
                reason, text = "gap", f"no valid joint state for {timeout:g} s"
            if not reason:
                continue
            if goal.sent.end is None:  # where the robot shall be now; that ends all goals
                self.node.part(TrajectoryInput).stop_motion(
                    f"another goal ended the motion: {text}"
                )
            self._end(goal.handle, reason, text)

    def update(self) -> None:
        """Compare where the robot is with where it shall be, after a sample was computed with."""
        self._updated, self._asked = self.clock.now(), 0
        self.watch()
        state, tracking = self.node.state, self.node.part(Tracking)
        goal = next((goal for goal in self._goals if goal.sent.leg is not None), None)
        leg = goal.sent.leg if goal is not None else None
        if goal is None or leg is None or state.nanoseconds < leg.start:
            return
        errors = tracking.error, tracking.desired[1] - state.velocity
        seconds = (state.nanoseconds - leg.start) / NANOSECONDS
        late = seconds - leg.end
        if late < 0.0:
            kind, text = "path", goal.path.excess(*errors)
            if not text:
                self._send_feedback(goal, *errors, seconds)
        else:
            kind, text = "goal", goal.final.excess(*errors)
            if not text:
                self._end(goal.handle, "", "")
        if text and (late < 0.0 or late > goal.patience):
            here = state.position.copy(), state.velocity.copy(), 0.0 * state.velocity
            self.node.part(TrajectoryInput).brake_from(here, f"another goal ended: {text}")
            self._end(goal.handle, f"{kind} tolerance", text)

    def _admit(self, request: Any) -> GoalResponse:
        self.node.supervision.catch_up()
        self._asked += 1
        if self._asked <= MOST_GOALS or not self.node.active:
            return GoalResponse.ACCEPT
        self.node.warn_seldom(
            "goal", f"goal rejected: more than {MOST_GOALS} goals between two joint states"
        )
        return GoalResponse.REJECT

    def _begin(self, handle: Any) -> None:
        handle.execute()
        trajectory = self.node.part(TrajectoryInput)
        try:
            if not self.node.active:
                raise InputRefusedError("not active", "the node is not active: activate it first")
            goal = _Goal(handle, trajectory.joint_names)
            goal.sent = trajectory.follow(handle.request.trajectory)
        except InputRefusedError as refusal:
            self._end(handle, refusal.reason, str(refusal))
            trajectory.refuse(refusal)
            return
        self._updated = self.clock.now()
        self._goals = [*self._goals, goal]
        self.watch()

    def _end(self, handle: Any, reason: str, text: str) -> None:
        """End a goal; without a reason it has succeeded."""
        self._goals = [goal for goal in self._goals if goal.handle is not handle]
        self._last = f"{reason}: {text}" if reason else "succeeded"
        if self.node.is_due(f"goal {self._last}"):
            self.node.get_logger().info(f"goal: {self._last}")
        self._ending += 1
        canceled = bool(reason) and handle.is_cancel_requested

        def finish(handle: Any) -> Any:
            self._ending -= 1
            (handle.canceled if canceled else handle.abort if reason else handle.succeed)()
            successful = canceled or not reason
            code = Result.SUCCESSFUL if successful else CODES.get(reason, Result.INVALID_GOAL)
            return Result(error_code=code, error_string=text)

        assert self._server is not None
        self._server.end(handle, finish)

    def _send_feedback(
        self, goal: "_Goal", error: Any, velocity_error: Any, seconds: float
    ) -> None:
        now = self.node.state.nanoseconds
        if now < goal.last_feedback + NANOSECONDS / FEEDBACK_RATE_HZ:
            return
        goal.last_feedback = now
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

    sent: SentTrajectory

    def __init__(self, handle: Any, joint_names: Sequence[str]) -> None:
        """Read tolerances and times of a goal. Raises InputRefusedError if they are invalid."""
        request = handle.request
        several = request.multi_dof_trajectory.points
        if several or request.component_path_tolerance or request.component_goal_tolerance:
            raise InputRefusedError(
                "several degrees of freedom",
                "the goal has a multi_dof_trajectory or tolerances of its components, but all "
                "joints here have one degree of freedom: leave them out",
            )
        self.handle = handle
        self.path = Tolerances("path", request.path_tolerance, joint_names, 0.0)
        self.final = Tolerances("goal", request.goal_tolerance, joint_names, GOAL_TOLERANCE)
        patience = seconds_of(request.goal_time_tolerance)
        self.patience = patience if patience > 0.0 else GOAL_TIME_S
        times = (seconds_of(x.time_from_start) for x in request.trajectory.points)
        self.times: Vector = np.fromiter(times, np.float64)  # looked through for each feedback
        self.last_feedback = 0  # ns, its stamp


def _point(seconds: float, *vectors: Any) -> JointTrajectoryPoint:
    point = JointTrajectoryPoint(time_from_start=duration_message(seconds))
    fields = "positions", "velocities", "accelerations"
    for field, vector in zip(fields, vectors, strict=False):
        setattr(point, field, array("d", np.asarray(vector).tobytes()))
    return point
