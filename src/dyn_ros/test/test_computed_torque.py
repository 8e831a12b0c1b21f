# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""computed_torque between a robot that reports its state and a controller that takes efforts."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import DIRECT, Ur5
from called import Called
from ros_helpers import UR5, Ros, clock, trajectory, until, values_of
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

pytestmark = pytest.mark.usefixtures("enough_states")

W, ZETA = 5.0, 0.7


class Tracker(Ur5):
    """A UR5 under computed_torque, its states one second apart."""

    def __init__(self, ros: Ros | Called, **parameters: Any) -> None:
        gains = {"natural_frequency": W, "damping_ratio": ZETA, "reference_timeout": 5.0}
        outputs = {"desired": JointState, "commands": Float64MultiArray}
        values = {**gains, **DIRECT, **parameters}
        super().__init__(ros, "computed_torque", outputs, connect=False, **values)
        self.trajectories = ros.tester.create_publisher(
            JointTrajectory, "computed_torque/joint_trajectory", 10
        )
        random = np.random.default_rng(2)
        self.q, self.v = random.uniform(-0.4, 0.4, (2, 6))  # so slow that positions may stay
        until(self._may_follow)
        self.connect_to("commands", self.names, **self.state())

    def _may_follow(self) -> bool:
        """Whether both sides have found each other: what comes before that is lost."""
        topic = self.trajectories
        return bool(self.node.count_publishers(topic.topic_name) and topic.get_subscription_count())

    def state(self) -> dict[str, Any]:
        return {"position": list(self.q), "velocity": list(self.v)}

    def follow(self, *points: dict[str, Any], **fields: Any) -> None:
        """Publish a trajectory."""
        self.trajectories.publish(trajectory(self.names, *points, **fields))

    def desired_next(self) -> JointState:
        """What is desired with a state that comes one second later."""
        return self.answer_on("desired", self.send(self.names, **self.state()))

    def until_desired(self, position: np.ndarray) -> JointState:
        """Send states until a position is desired."""

        def published() -> JointState | None:
            desired = self.desired_next()
            close = np.allclose(desired.position, position, atol=1e-9)
            return desired if close else None

        return until(published)

    def last_command(self) -> np.ndarray:
        """What is commanded once the limit on its rate lets it be what is wanted."""

        def settled() -> list[np.ndarray]:
            desired = self.desired_next()
            command = np.array(self.commands[-1].data)
            return [command] if np.allclose(command, desired.effort) else []

        return until(settled)[0]

    @property
    def commands(self) -> list[Float64MultiArray]:
        return self.received["commands"]


def test_without_a_trajectory_the_robot_stays_where_it_is(called: Called) -> None:
    bench = Tracker(called)
    expected = pin.rnea(bench.model, bench.data, bench.q, bench.v, -2.0 * ZETA * W * bench.v)
    assert bench.last_command() == pytest.approx(expected)
    assert list(bench.received["desired"][-1].position) == list(bench.q)


def test_setpoints_are_tracked_in_feedback_linearized_form(called: Called) -> None:
    bench = Tracker(called)
    q_d, v_d, a_d = np.random.default_rng(3).uniform(-0.3, 0.3, (3, 6))
    q_d += bench.q
    bench.follow({"time": 0.0, "positions": q_d, "velocities": v_d, "accelerations": a_d})
    desired = bench.until_desired(q_d)
    assert desired.velocity == pytest.approx(v_d)
    u = a_d + 2.0 * ZETA * W * (v_d - bench.v) + W**2 * (q_d - bench.q)
    expected = pin.rnea(bench.model, bench.data, bench.q, bench.v, u)
    assert bench.last_command() == pytest.approx(expected)
    assert desired.effort == pytest.approx(expected)


def test_hardware_that_compensates_gravity_gets_efforts_without(called: Called) -> None:
    bench = Tracker(called, hardware_compensates_gravity=True)
    tau = pin.rnea(bench.model, bench.data, bench.q, bench.v, -2.0 * ZETA * W * bench.v)
    gravity = pin.computeGeneralizedGravity(bench.model, bench.data, bench.q)
    assert bench.last_command() == pytest.approx(tau - gravity)


@pytest.mark.parametrize("meaning", ["total", "without_gravity"])
@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [0, 2, 1, 3, 4, 5]], ids=["right", "other"])
def test_commands_at_other_joints_show_where_the_hardware_compensates_gravity(
    called: Called, meaning: str, order: list[int]
) -> None:
    """Their efforts were not compared: a TM5 was driven to 311 rad/s, and stands by itself."""
    declared = {"hardware_compensates_gravity": True, "measured_effort": meaning}
    bench = Tracker(called, **declared)
    added = pin.computeGeneralizedGravity(bench.model, bench.data, bench.q)
    added = added * (meaning == "total")
    bench.follow({"time": 0.0, "positions": bench.q + 0.05})
    for _ in range(100):
        effort = np.array(bench.commands[-1].data)[order] + added
        bench.send(bench.names, **bench.state(), effort=list(effort))
        clock().sleep(0.005)
    assert bench.node.active == (order == sorted(order))
    if not bench.node.active:
        bench.report("the commands in another order")
        assert not any(bench.commands[-1].data)


def test_without_its_coriolis_term_the_law_has_the_dynamics_of_a_robot_at_rest(
    called: Called,
) -> None:
    bench = Tracker(called, include_coriolis=False)
    u = -2.0 * ZETA * W * bench.v
    expected = pin.rnea(bench.model, bench.data, bench.q, np.zeros(6), u)
    assert bench.last_command() == pytest.approx(expected)


def test_velocities_that_positions_contradict_are_believed_in_part(called: Called) -> None:
    """In feedback and in the Coriolis term alike."""
    bench = Tracker(called)
    bench.v[:] = [0.1, 8.0, -8.0, 0.2, -0.1, 30.0]
    v = np.clip(bench.v, -0.15 * np.pi, 0.15 * np.pi)
    expected = pin.rnea(bench.model, bench.data, bench.q, v, -2.0 * ZETA * W * v)
    until(lambda: bench.last_command() == pytest.approx(expected))


@pytest.mark.parametrize("include", [True, False])
def test_friction_is_overcome_at_the_desired_speed(called: Called, include: bool) -> None:
    urdf = UR5.read_text().replace('damping="0"', 'damping="3"')
    bench = Tracker(called, robot_description=urdf, include_friction=include)
    v_d = np.full(6, 0.2)
    bench.follow({"time": 0.0, "positions": bench.q + 0.1, "velocities": v_d})
    bench.until_desired(bench.q + 0.1)
    u = 2.0 * ZETA * W * (v_d - bench.v) + W**2 * 0.1
    expected = pin.rnea(bench.model, bench.data, bench.q, bench.v, u) + include * 3.0 * v_d
    assert bench.last_command() == pytest.approx(expected)


def test_an_arm_that_hangs_below_its_place_does_not_sink_at_each_gap(called: Called) -> None:
    """A load that its model lacks takes it down a little; joint states stop, and come again."""
    bench = Tracker(called)
    place = np.array(bench.desired_next().position)
    bench.q = place - 0.05
    assert list(bench.desired_next().position) == list(place)
    for time in (100, 1000, 1001, 2000):
        bench.send(bench.names, **bench.state(), time=time)
        assert list(bench.answer_on("desired", time).position) == pytest.approx(place)


def test_a_trajectory_starts_from_what_is_desired_and_ends_at_rest(called: Called) -> None:
    bench = Tracker(called)
    goal = bench.q + 0.4
    zeros = np.zeros(6)
    bench.follow({"time": 4.0, "positions": goal, "velocities": zeros})
    way = [np.array(bench.desired_next().position) for _ in range(8)]
    steps = [float((position - bench.q)[0] / 0.4) for position in way]
    assert steps[-1] == pytest.approx(1.0)
    moving = [x for x in steps if 0.0 < x < 1.0 - 1e-9]
    assert moving == pytest.approx([3 * s**2 - 2 * s**3 for s in (0.25, 0.5, 0.75)])
    assert not any(bench.received["desired"][-1].velocity)


def test_a_clock_that_goes_back_ends_the_motion(called: Called) -> None:
    """As after a restarted simulation: the trajectory would begin again with a jump."""
    bench = Tracker(called)
    bench._stamps = itertools.count(5000)
    bench.until_desired(bench.q)
    goal = bench.q + 0.3
    bench.follow({"time": 100.0, "positions": goal})
    until(lambda: not np.allclose(bench.desired_next().position, bench.q, atol=1e-3))
    bench.q = bench.q + 0.2  # where the robot is meanwhile
    bench._stamps = itertools.count(1000)
    bench.send(bench.names, **bench.state())  # refused once
    desired = bench.desired_next()
    assert list(desired.position) == list(bench.q)
    assert not any(desired.velocity)


def test_a_trajectory_without_points_stops_the_robot(called: Called) -> None:
    bench = Tracker(called)
    bench.follow({"time": 1000.0, "positions": bench.q + 2.0})
    until(lambda: not np.allclose(bench.desired_next().position, bench.q))
    bench.follow()
    until(lambda: not any(bench.desired_next().velocity))
    assert bench.desired_next().position == bench.desired_next().position


@pytest.mark.parametrize(
    ("points", "word"),
    [
        ([{"time": 0.0, "positions": [9.0] * 6}], "from its desired position"),
        (
            [{"time": 60.0, "positions": [0.0, 0.0, 4.0, 0.0, 0.0, 0.0], "velocities": [0.0] * 6}],
            "position of joint 'elbow_joint'",
        ),
        ([{"time": 1.0, "positions": [0.0] * 5}], "positions of point 0 has 5 entries"),
        ([{"time": 1.0, "positions": [0.0] * 5 + [np.nan]}], "'wrist_3_joint' is nan"),
        ([{"time": 1.0, "positions": [0.0] * 6}] * 2, "must increase"),
        (
            [
                {"time": 1.0, "positions": [0.0] * 6, "velocities": [0.0] * 6},
                {"time": 2.0, "positions": [0.0] * 6},
            ],
            "velocities of point 1 is empty",
        ),
    ],
)
def test_unusable_trajectories_are_refused_in_words(
    called: Called, points: list[dict[str, Any]], word: str
) -> None:
    bench = Tracker(called)
    bench.follow(*points)
    status = until(lambda: refusal_of(bench))
    assert status["trajectory"] == "none under way"
    until(lambda: any(word in line for line in bench.logged()))
    assert list(bench.desired_next().position) == list(bench.q)


def refusal_of(bench: Tracker) -> Any:
    """The diagnostics once a trajectory has been refused."""
    bench.node.diagnose()
    values = values_of(bench.report(""))
    bench.reports.clear()
    return values if values.get("trajectories_refused") == "1" else None


LOOSE = "wrist_3_joint"
LAST = np.eye(6)[5]


def swinging(ros: Ros | Called) -> Tracker:
    """A UR5 whose last joint is loose and has swung further than max_tracking_error."""
    bench = Tracker(ros, passive_joints=[LOOSE], max_tracking_error=0.2)
    assert list(bench.desired_next().position) == list(bench.q)
    bench.q, bench.v = bench.q + 0.9 * LAST, bench.v + LAST
    return bench


def test_a_loose_joint_that_swings_ends_nothing(called: Called) -> None:
    """Nor do the others get efforts for where it was."""
    bench = swinging(called)
    desired = bench.desired_next()
    assert bench.node.active
    assert (desired.position[5], desired.velocity[5]) == (bench.q[5], bench.v[5])
    assert list(desired.position[:5]) == list(bench.q[:5])
    bench.q = bench.q + 0.3 * np.eye(6)[4]
    bench.send(bench.names, **bench.state())
    until(lambda: not bench.node.active)  # for a joint that has a motor


@pytest.mark.parametrize("time", [0.0, 4.0])
def test_a_trajectory_moves_no_passive_joint_and_warns(called: Called, time: float) -> None:
    """Wherever that joint is, the others follow."""
    bench = swinging(called)
    bench.desired_next()
    goal = bench.q + 0.1 - 2.0 * LAST
    bench.follow({"time": time, "positions": goal})
    words = f"moves passive joint '{LOOSE}'"
    until(lambda: any(words in line for line in bench.logged()))
    reached = bench.q + 0.1 - 0.1 * LAST
    bench.until_desired(reached)
    assert bench.node.active
    assert not refusal_of(bench)


def test_a_loose_joint_that_is_to_rest_is_not_worth_a_word(called: Called) -> None:
    bench = swinging(called)
    bench.desired_next()
    bench.follow({"time": 4.0, "positions": bench.q + 0.1 - 0.099 * LAST})
    bench.until_desired(bench.q + 0.1 - 0.1 * LAST)
    assert bench.logged()
    assert not any(LOOSE in line for line in bench.logged())
