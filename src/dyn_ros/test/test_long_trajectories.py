# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A trajectory of many points is checked beside the commands, which do not wait for it."""

from __future__ import annotations

from threading import Event
from typing import Any

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from ros_helpers import Ros, trajectory, until
from test_computed_torque import Tracker
from test_trajectory_action import ELBOW, ActionBench, Result, result_of

from dyn_ros.inputs.trajectory_input import MIN_BACKGROUND_POINTS, SentTrajectory, TrajectoryInput

pytestmark = pytest.mark.usefixtures("enough_states")

DURATION = 40.0  # s, of states that are a second apart


def patient(bench: Any) -> Any:
    """Send states, which are a second apart by their stamps, no faster than the node checks."""
    trajectories, send = bench.node.part(TrajectoryInput), bench.desired_next

    def desired_next() -> Any:
        until(lambda: trajectories._waiting is None or trajectories._waiting.check.done())
        return send()

    bench.desired_next = desired_next
    return bench


def held(bench: Tracker) -> tuple[Event, list[int]]:
    """Let checks wait for an event; the list has the number of points of each that has begun."""
    limits, go, begun = bench.node.part(TrajectoryInput)._limits, Event(), []
    refuse = limits.refuse

    def later(motion: Any, points: Any, *rest: Any) -> Any:
        if len(points[0]) >= MIN_BACKGROUND_POINTS:
            begun.append(len(points[0]))
            assert go.wait(20.0)
        return refuse(motion, points, *rest)

    limits.refuse = later  # type: ignore[method-assign]
    return go, begun


def long_motion(bench: Tracker, way: float) -> list[dict[str, Any]]:
    """Points of a smooth motion that ends at rest."""
    share = np.linspace(0.0, 1.0, MIN_BACKGROUND_POINTS + 100)[1:]
    smooth = 10.0 * share**3 - 15.0 * share**4 + 6.0 * share**5
    rate = (30.0 * share**2 - 60.0 * share**3 + 30.0 * share**4) / DURATION
    rate[-1] = 0.0
    return [
        {
            "time": 10.0 + DURATION * s,
            "positions": bench.q + way * x,
            "velocities": np.full(6, way * v),
        }
        for s, x, v in zip(share, smooth, rate, strict=True)
    ]


def goal_of(bench: ActionBench, points: list[dict[str, Any]]) -> Any:
    """A goal with these points."""
    return FollowJointTrajectory.Goal(trajectory=trajectory(bench.names, *points))


def test_commands_go_on_while_a_long_trajectory_is_checked(ros: Ros) -> None:
    """None of the states is lost, and the motion under way continues until the new one begins."""
    bench = Tracker(ros, max_tracking_error=0.0)
    begin = bench.q.copy()
    bench.follow({"time": 60.0, "positions": begin + 0.2, "velocities": [0.0] * 6})
    until(lambda: np.abs(np.array(bench.desired_next().position) - begin).max() > 0.01)
    go, begun = held(bench)
    bench.follow(*long_motion(bench, -0.4))
    until(lambda: begun)
    before = len(bench.received["commands"])
    moves = [np.array(bench.desired_next().position) for _ in range(20)]
    assert len(bench.received["commands"]) >= before + 20
    assert (np.diff(moves, axis=0) > 0.0).all()  # still on the old way
    go.set()
    patient(bench)
    until(lambda: (np.array(bench.desired_next().position) < begin).all())
    bench.until_desired(begin - 0.4)


def test_what_comes_meanwhile_replaces_a_trajectory_that_is_checked(ros: Ros) -> None:
    """Also for the client of the action, which gets the reason."""
    bench = ActionBench(ros)
    go, begun = held(bench)
    first = bench.begin(goal_of(bench, long_motion(bench, 0.3)))
    until(lambda: begun)
    target = bench.q - 0.1
    second = bench.begin(bench.goal(5.0, target))
    assert result_of(first).status == GoalStatus.STATUS_ABORTED
    go.set()
    assert bench.until_end(second).status == GoalStatus.STATUS_SUCCEEDED
    assert bench.q == pytest.approx(target)


def test_of_many_that_wait_for_their_check_only_the_newest_is_checked(ros: Ros) -> None:
    """A client that sends them faster than they are checked would wait longer each time."""
    bench = Tracker(ros, max_tracking_error=0.0)
    trajectories = bench.node.part(TrajectoryInput)
    go, begun = held(bench)
    bench.follow(*long_motion(bench, 0.1))
    until(lambda: begun)
    for k in range(5):
        bench.follow(*long_motion(bench, -0.1 * k))
    newest = long_motion(bench, 0.3)[5:]
    bench.follow(*newest)
    until(lambda: len(trajectories._waiting.read[0]) == len(newest))
    go.set()
    patient(bench)
    bench.until_desired(bench.q + 0.3)
    assert begun[0] not in begun[1:]


def test_a_goal_that_is_checked_can_be_cancelled(ros: Ros) -> None:
    bench = ActionBench(ros)
    go, begun = held(bench)
    handle = bench.begin(goal_of(bench, long_motion(bench, 0.3)))
    until(lambda: begun)
    handle.cancel_goal_async()
    assert result_of(handle).status == GoalStatus.STATUS_CANCELED
    go.set()
    assert np.array(bench.desired_next().position) == pytest.approx(bench.q)


def test_a_goal_and_the_next_that_is_checked_each_end_once(
    ros: Ros, capfd: pytest.CaptureFixture[str]
) -> None:
    """The one that is followed takes the other with it, when joint states end."""
    bench = ActionBench(ros, joint_state_timeout=1.5)
    go, begun = held(bench)
    first = bench.begin(bench.goal(100.0, bench.q + 0.4))
    second = bench.begin(goal_of(bench, long_motion(bench, 0.3)))
    until(lambda: begun)
    ends = result_of(first), result_of(second)
    go.set()
    bench.send(bench.names, **bench.state())
    assert all("no valid joint state" in end.result.error_string for end in ends)
    assert "Error raised" not in capfd.readouterr().err


@pytest.mark.wiring
def test_a_goal_of_a_thousand_points(ros: Ros) -> None:
    bench = patient(ActionBench(ros))
    begin, way = bench.q.copy(), 0.3 * ELBOW
    points = [
        {
            "time": 10.0 * s,
            "positions": begin + (3 * s**2 - 2 * s**3) * way,
            "velocities": 6 * s * (1 - s) / 10.0 * way,
        }
        for s in np.linspace(0.0, 1.0, 1001)[1:]
    ]
    end = bench.until_end(bench.begin(goal_of(bench, points)))
    assert end.result.error_code == Result.SUCCESSFUL, end.result.error_string
    assert bench.q == pytest.approx(begin + way)


def test_a_limit_that_is_lowered_while_a_trajectory_is_checked_counts(
    ros: Ros, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was followed by the old limit: arms were dropped at 4 to 44 rad/s on their way."""
    monkeypatch.setattr(SentTrajectory, "lead", 3.0)  # more than the second between two states
    bench = Tracker(ros, max_tracking_error=0.0)
    bench.v[:] = 0.0
    bench.desired_next()
    go, begun = held(bench)
    bench.follow(*long_motion(bench, -0.4))
    until(lambda: begun)
    bench.set_parameter("limits.velocity_scale", 0.001)
    go.set()
    patient(bench)
    until(lambda: bench.desired_next() and bench.values().get("trajectories_refused") == "1")
    assert bench.node.active
    assert list(bench.desired_next().position) == pytest.approx(list(bench.q))
