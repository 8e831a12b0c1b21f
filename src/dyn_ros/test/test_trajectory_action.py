# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""~/follow_joint_trajectory, as MoveIt's clients use it: feedback, cancel, tolerances, result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Time
from called import Called
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from ros_helpers import Ros, trajectory, until, values_of
from std_msgs.msg import Header
from test_computed_torque import Tracker

from dyn_ros.inputs.trajectory_input import TrajectoryInput
from dyn_ros.safety.motion_policy import MIN_STOP_S
from dyn_ros.services.trajectory_action import MOST_GOALS

pytestmark = pytest.mark.usefixtures("enough_states")

Result = FollowJointTrajectory.Result
ELBOW = np.eye(6)[2]
ACTION = "computed_torque/follow_joint_trajectory"


class ActionBench(Tracker):
    """A client of the action, and a robot that is where the test says."""

    def __init__(self, ros: Ros | Called, **parameters: Any) -> None:
        super().__init__(ros, **parameters)
        self.client = ros.action_client(FollowJointTrajectory, ACTION)
        until(self.client.server_is_ready)
        self.feedback: list[Any] = []

    def goal(self, time: float, position: Any, **fields: Any) -> FollowJointTrajectory.Goal:
        point = {"time": time, "positions": position, "velocities": [0.0] * 6}
        names, header = fields.pop("joint_names", self.names), fields.pop("header", Header())
        sent = trajectory(names, point, header=header)
        return FollowJointTrajectory.Goal(trajectory=sent, **fields)

    def begin(self, goal: Any) -> Any:
        """Send a goal; return its handle, which has its result later."""
        future = self.client.send_goal_async(
            goal, feedback_callback=lambda message: self.feedback.append(message.feedback)
        )
        handle = until(lambda: future.done() and future.result())
        assert handle.accepted
        handle.end = handle.get_result_async()
        return handle

    def follow_desired(self) -> None:
        """Send a state: the robot is where it was to be."""
        desired = self.desired_next()
        self.q = np.array(desired.position)

    def until_end(self, handle: Any) -> Any:
        """Let the robot follow until the goal ends; return its result with a status."""

        def ended() -> Any:
            self.follow_desired()
            return handle.end.done() and handle.end.result()

        return until(ended)


def result_of(handle: Any) -> Any:
    return until(lambda: handle.end.done() and handle.end.result())


@pytest.mark.wiring
def test_a_goal_succeeds_with_feedback_on_the_way(ros: Ros) -> None:
    bench = ActionBench(ros)
    target = bench.q + 0.4
    handle = bench.begin(bench.goal(5.0, target))
    end = bench.until_end(handle)
    assert end.status == GoalStatus.STATUS_SUCCEEDED
    assert end.result.error_code == Result.SUCCESSFUL, end.result.error_string
    assert bench.q == pytest.approx(target)
    assert list(bench.feedback[0].joint_names) == bench.names
    for message in bench.feedback:
        desired, actual = (np.array(p.positions) for p in (message.desired, message.actual))
        assert desired - actual == pytest.approx(message.error.positions)
    stamps = [message.header.stamp.sec for message in bench.feedback]
    assert len(stamps) >= 3
    assert stamps == sorted(set(stamps))


@pytest.mark.parametrize(
    ("changes", "code", "word"),
    [
        ({"time": 0.01}, Result.INVALID_GOAL, "velocity of joint 'shoulder_pan_joint'"),
        ({"position": [90.0] * 6}, Result.INVALID_GOAL, "position of joint"),
        ({"position": [np.nan] * 6}, Result.INVALID_GOAL, "is nan"),
        ({"position": [1e308] * 6}, Result.INVALID_GOAL, "position of joint"),
        ({"joint_names": list("abcdef")}, Result.INVALID_JOINTS, "shoulder_pan_joint"),
        ({"header": Header(stamp=Time(sec=1))}, Result.OLD_HEADER_TIMESTAMP, "ago"),
        ({"goal_tolerance": [JointTolerance(name="x")]}, Result.INVALID_JOINTS, "'x'"),
        (
            {"path_tolerance": [JointTolerance(name="elbow_joint", position=np.nan)]},
            Result.INVALID_GOAL,
            "nan",
        ),
    ],
)
def test_the_result_has_what_is_wrong_with_a_goal(
    called: Called, changes: dict[str, Any], code: int, word: str
) -> None:
    bench = ActionBench(called)
    for _ in range(4):  # so that second 1 is past
        bench.desired_next()
    handle = bench.begin(bench.goal(**{"time": 1.0, "position": bench.q + 0.4, **changes}))
    end = result_of(handle)
    assert (end.status, end.result.error_code) == (GoalStatus.STATUS_ABORTED, code)
    assert word in end.result.error_string
    assert list(bench.desired_next().position) == list(bench.q)


@pytest.mark.wiring
def test_a_cancelled_goal_stops_the_robot_where_it_shall_be(ros: Ros) -> None:
    bench = ActionBench(ros)
    handle = bench.begin(bench.goal(100.0, bench.q + 0.4))
    until(lambda: bench.follow_desired() or bench.feedback)
    handle.cancel_goal_async()
    end = result_of(handle)
    assert end.status == GoalStatus.STATUS_CANCELED
    desired = bench.desired_next()
    assert not any(desired.velocity)
    assert bench.desired_next().position == desired.position


def test_a_cancelled_goal_brakes_within_the_time_of_a_stop(called: Called) -> None:
    """Its velocity goes to zero without a step, on the way that the robot was on."""
    bench = ActionBench(called)
    handle = bench.begin(bench.goal(20.0, bench.q + 0.4))

    def velocity() -> Any:
        desired = bench.desired_next()
        bench.q, found = np.array(desired.position), np.array(desired.velocity)
        return [found] if np.abs(found).max() > 0.02 else None

    (before,) = until(velocity)
    trajectories = bench.node.part(TrajectoryInput)
    trajectories.stop_motion("test")
    result_of(handle)
    now, motion = trajectories._now, trajectories._motion
    states = [np.array(motion.later(now + round(1e9 * x))) for x in np.linspace(0.0, 0.4, 41)]
    assert states[0][1] == pytest.approx(before)
    speeds = np.array([state[1] for state in states])
    assert np.abs(np.diff(speeds, axis=0)).max() < 0.1 * np.abs(before).max()
    assert not states[-1][1].any()
    ahead = states[-1][0] - states[0][0]
    assert ahead == pytest.approx(0.5 * MIN_STOP_S * before)


@pytest.mark.parametrize("by", ["goal", "topic"])
def test_a_newer_trajectory_ends_a_goal(called: Called, by: str) -> None:
    bench = ActionBench(called)
    first = bench.begin(bench.goal(100.0, bench.q + 0.4))
    target = bench.q - 0.3
    second = None
    if by == "goal":
        second = bench.begin(bench.goal(3.0, target))
    else:
        bench.follow({"time": 3.0, "positions": target, "velocities": [0.0] * 6})
    end = result_of(first)
    assert end.status == GoalStatus.STATUS_ABORTED
    assert "newer trajectory" in end.result.error_string
    if second:
        assert bench.until_end(second).status == GoalStatus.STATUS_SUCCEEDED
    bench.until_desired(target)


def test_a_joint_outside_the_tolerance_of_the_path_ends_the_motion(called: Called) -> None:
    bench = ActionBench(called, max_tracking_error=0.0)
    tolerance = [JointTolerance(name="elbow_joint", position=0.1)]
    begin = bench.q.copy()
    handle = bench.begin(bench.goal(100.0, begin + 0.4, path_tolerance=tolerance))
    until(lambda: bench.follow_desired() or bench.feedback)
    bench.q = bench.q + 0.2 * ELBOW
    end = until(lambda: bench.desired_next() and handle.end.done() and handle.end.result())
    assert end.result.error_code == Result.PATH_TOLERANCE_VIOLATED
    assert "position error of joint 'elbow_joint' is -0.1" in end.result.error_string
    desired = bench.desired_next()
    assert not any(desired.velocity)
    assert desired.position.tolist() == pytest.approx(bench.q.tolist(), abs=0.06)  # it braked
    assert bench.node.active


@pytest.mark.parametrize(("asked", "succeeds"), [(0.0, False), (0.3, True), (-1.0, True)])
def test_a_joint_that_does_not_arrive_in_time(called: Called, asked: float, succeeds: bool) -> None:
    """The elbow stays 0.2 rad away: too far by default, near enough if the goal says so."""
    bench = ActionBench(called, max_tracking_error=0.0)
    tolerance = [JointTolerance(name="elbow_joint", position=asked)]
    handle = bench.begin(bench.goal(3.0, bench.q + 0.2 * ELBOW, goal_tolerance=tolerance))
    end = until(lambda: bench.desired_next() and handle.end.done() and handle.end.result())
    expected = Result.SUCCESSFUL if succeeds else Result.GOAL_TOLERANCE_VIOLATED
    assert end.result.error_code == expected
    if not succeeds:
        assert "position error of joint 'elbow_joint' is 0.2" in end.result.error_string


def test_a_robot_that_does_not_follow_ends_goal_and_activity(called: Called) -> None:
    bench = ActionBench(called, max_tracking_error=0.2)
    handle = bench.begin(bench.goal(100.0, bench.q + 0.4))
    until(lambda: bench.follow_desired() or bench.feedback)
    bench.q = bench.q + 0.3
    bench.send(bench.names, **bench.state())
    end = result_of(handle)
    assert end.result.error_code == Result.PATH_TOLERANCE_VIOLATED
    assert "max_tracking_error" in end.result.error_string
    until(lambda: not bench.node.active)


def test_joint_states_that_end_and_a_node_that_is_deactivated_end_a_goal(called: Called) -> None:
    bench = ActionBench(called, joint_state_timeout=1.5)
    first = bench.begin(bench.goal(100.0, bench.q + 0.4))
    assert "no valid joint state" in result_of(first).result.error_string
    desired = bench.received["desired"]
    count = len(desired)
    until(lambda: bench.send(bench.names, **bench.state()) and len(desired) > count)
    second = bench.begin(bench.goal(100.0, bench.q + 0.4))
    bench.node.trigger_deactivate()
    assert "deactivated" in result_of(second).result.error_string
    third = bench.begin(bench.goal(100.0, bench.q + 0.4))
    assert "activate it" in result_of(third).result.error_string


def test_no_goal_is_followed_before_motors_are(called: Called) -> None:
    """The robot would jump to where it should be by now as soon as its controller is there."""
    bench = ActionBench(called)
    first = bench.begin(bench.goal(100.0, bench.q + 0.4))
    called.ignore("computed_torque/commands")
    assert "has no subscriber" in bench.until_end(first).result.error_string
    bench.desired_next()
    for _ in range(2):
        second = bench.begin(bench.goal(10.0, bench.q + 0.4))
        assert "has no subscriber" in result_of(second).result.error_string
        assert list(bench.desired_next().position) == list(bench.q)


def test_goals_that_wait_while_the_node_is_cleaned_up_are_answered(called: Called) -> None:
    """A server destroyed beside them would end the process."""
    bench = ActionBench(called)

    def send() -> Any:
        return bench.client.send_goal_async(bench.goal(9.0, bench.q))

    for _ in range(3):
        asked = [send() for _ in range(5)]
        bench.node.trigger_deactivate()
        bench.node.trigger_cleanup()
        until(lambda asked=asked: asked.append(send()) or not bench.node.configured)
        asked += [send() for _ in range(5)]
        until(lambda asked=asked: all(future.done() for future in asked))
        last = asked[-1].result()
        last.end = last.get_result_async()
        assert "activate it" in result_of(last).result.error_string
        bench.node.trigger_configure()
        bench.node.trigger_activate()


def test_without_stamps_no_time_goes_by_and_no_goal_would_end(called: Called) -> None:
    bench = ActionBench(called)
    unstamped = {**bench.state(), "time": 0}
    bench.send(bench.names, **unstamped)  # refused once: the one before is later
    until(lambda: bench.send(bench.names, **unstamped) == bench.node.state.nanoseconds)
    end = result_of(bench.begin(bench.goal(5.0, bench.q)))
    assert end.status == GoalStatus.STATUS_ABORTED
    assert "joint states have no stamps" in end.result.error_string


def test_a_goal_continues_without_its_client_and_the_next_client_is_served(ros: Ros) -> None:
    bench = ActionBench(ros)
    target = bench.q + 0.2
    bench.begin(bench.goal(4.0, target))
    bench.client.destroy()
    until(lambda: bench.follow_desired() or np.allclose(bench.q, target))
    bench.client = ros.action_client(FollowJointTrajectory, ACTION)
    until(bench.client.server_is_ready)
    handle = bench.begin(bench.goal(4.0, target - 0.1))
    assert bench.until_end(handle).status == GoalStatus.STATUS_SUCCEEDED
    bench.reports.clear()
    bench.node.diagnose()
    assert values_of(bench.report(""))["goal"] == "succeeded"


def test_every_goal_of_a_flood_is_answered_and_commands_do_not_wait_for_its_checks(
    called: Called,
) -> None:
    bench = ActionBench(called, max_tracking_error=0.0)
    asked = [bench.client.send_goal_async(bench.goal(5.0, bench.q + 0.01)) for _ in range(60)]
    until(lambda: all(future.done() for future in asked))
    handles = [future.result() for future in asked if future.result().accepted]
    assert 0 < len(handles) <= MOST_GOALS
    ends = [handle.get_result_async() for handle in handles]
    until(lambda: bench.send(bench.names, **bench.state()) and all(end.done() for end in ends))
    assert bench.begin(bench.goal(5.0, bench.q)).accepted
