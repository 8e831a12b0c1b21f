# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""computed_torque between a robot that reports its state and a controller that takes efforts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import DIRECT, NAMES, StateBench, simulated_arm
from builtin_interfaces.msg import Duration
from called import Called
from diagnostic_msgs.msg import DiagnosticArray
from ros_helpers import NEWEST, UR5, Ros, until, values_of
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dyn_ros.nodes.computed_torque import ComputedTorqueNode

pytestmark = pytest.mark.usefixtures("enough_states")

W, ZETA = 5.0, 0.7


class Tracker(StateBench):
    """A UR5 under computed_torque, its states one second apart."""

    def __init__(self, ros: Ros | Called, **parameters: Any) -> None:
        self.model = pin.buildModelFromXML(UR5.read_text())
        self.data = self.model.createData()
        self.names = list(self.model.names)[1:]
        super().__init__(
            ros,
            ComputedTorqueNode,
            {"desired": JointState, "commands": Float64MultiArray},
            **{
                "robot_description": UR5.read_text(),
                "natural_frequency": W,
                "damping_ratio": ZETA,
                **DIRECT,
                "reference_timeout": 5.0,
                **parameters,
            },
        )
        self.trajectories = ros.tester.create_publisher(
            JointTrajectory, "computed_torque/joint_trajectory", 10
        )
        random = np.random.default_rng(2)
        self.q, self.v = random.uniform(-0.4, 0.4, (2, 6))  # so slow that positions may stay
        until(lambda: self.node.active and self._may_follow())
        self.connect_to("commands", self.names, **self.state())

    def _may_follow(self) -> bool:
        """Whether both sides have found each other: what comes before that is lost."""
        topic = self.trajectories
        return bool(self.node.count_publishers(topic.topic_name) and topic.get_subscription_count())

    def state(self) -> dict[str, Any]:
        return {"position": list(self.q), "velocity": list(self.v)}

    def follow(self, *points: dict[str, Any], **fields: Any) -> None:
        """Publish a trajectory; each point says `time` and vectors."""
        message = JointTrajectory(joint_names=self.names, **fields)
        for point in points:
            whole, part = divmod(point.pop("time"), 1.0)
            at = Duration(sec=int(whole), nanosec=round(part * 1e9))
            vectors = {name: list(vector) for name, vector in point.items()}
            message.points.append(JointTrajectoryPoint(time_from_start=at, **vectors))
        self.trajectories.publish(message)

    def desired_next(self) -> JointState:
        """What is desired with a state that comes one second later."""
        return self.answer_on("desired", self.send(self.names, **self.state()))

    def until_desired(self, position: np.ndarray) -> JointState:
        """Send states until a position is desired."""

        def told() -> JointState | None:
            desired = self.desired_next()
            close = np.allclose(desired.position, position, atol=1e-9)
            return desired if close else None

        return until(told)

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
    ("points", "fields", "word"),
    [
        ([{"time": 0.0, "positions": [9.0] * 6}], {}, "from its desired position"),
        ([{"time": 1.0, "positions": [0.0] * 5}], {}, "positions of point 0 has 5 numbers"),
        ([{"time": 1.0, "positions": [0.0] * 5 + [np.nan]}], {}, "'wrist_3_joint' is nan"),
        ([{"time": 1.0, "positions": [0.0] * 6}] * 2, {}, "must increase"),
        (
            [
                {"time": 1.0, "positions": [0.0] * 6, "velocities": [0.0] * 6},
                {"time": 2.0, "positions": [0.0] * 6},
            ],
            {},
            "velocities of point 1 is empty",
        ),
    ],
)
def test_unusable_trajectories_are_refused_in_words(
    called: Called, points: list[dict[str, Any]], fields: dict[str, Any], word: str
) -> None:
    bench = Tracker(called)
    bench.follow(*[dict(point) for point in points], **fields)
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


class Loop:
    """An arm of two joints in robot_sim under computed_torque, over DDS, in simulated time.

    Steps that a busy computer loses would leave the arm behind its motion otherwise. At less than
    the real `pace` it loses none.
    """

    def __init__(
        self, ros: Ros | Called, tmp_path: Path, pace: float = 1.0, **parameters: Any
    ) -> None:
        times = {"brake_release_time": 0.5, "command_timeout": 5.0, "real_time_factor": pace}
        sim = simulated_arm(ros, tmp_path, use_sim_time=True, **times)
        rule = "~/commands:=robot_sim/commands"
        self.node = ros.create(
            partial(ComputedTorqueNode, cli_args=["--ros-args", "-r", rule]),
            autostart=True,
            **{"ramp.duration": 0.0},
            joint_state_timeout=5.0,
            use_sim_time=True,
            **parameters,
        )
        self.states = ros.collect(JointState, "joint_states", NEWEST)
        self._reports = ros.collect(DiagnosticArray, "/diagnostics")
        self._trajectories = ros.tester.create_publisher(
            JointTrajectory, "computed_torque/joint_trajectory", 10
        )
        ros.start()
        until(
            lambda: sim.active and self.node.active and self._trajectories.get_subscription_count()
        )
        until(lambda: self.states and any(self.states[-1].effort))

    def follow(self, seconds: int, *vectors: Any) -> None:
        """Publish a trajectory of one point: position, velocity, acceleration."""
        fields = "positions", "velocities", "accelerations"
        given = {name: list(x) for name, x in zip(fields, vectors, strict=False)}
        point = JointTrajectoryPoint(**given)
        point.time_from_start.sec = seconds
        self._trajectories.publish(JointTrajectory(joint_names=NAMES, points=[point]))

    def times(self, seconds: float) -> Iterator[float]:
        """Of joint states from now on, each when it comes; s since the first."""
        newest = begin = self._time()
        while newest < begin + seconds:
            yield newest - begin
            before = newest
            newest = until(lambda before=before: self._time() > before and self._time())

    def refused(self) -> int:
        """How many trajectories were refused."""
        self._reports.clear()
        self.node.diagnose()
        told = "trajectories_refused"

        def counts() -> list[str]:
            statuses = (x for report in list(self._reports) for x in report.status)
            return [values_of(x)[told] for x in statuses if told in values_of(x)]

        return int(until(counts)[-1])

    def _time(self) -> float:
        stamp = self.states[-1].header.stamp
        return float(stamp.sec + 1e-9 * stamp.nanosec)


def test_the_simulated_arm_follows_a_trajectory(called: Called, tmp_path: Path) -> None:
    """0.5 rad within a second, and the arm is where it shall be."""
    loop = Loop(called, tmp_path, natural_frequency=8.0)
    states, goal, zeros = loop.states, [0.5, -0.3], [0.0, 0.0]
    loop.follow(1, goal, zeros, zeros)
    until(lambda: abs(states[-1].position[0]) > 0.25)
    assert abs(states[-1].velocity[0]) > 0.5
    until(lambda: states[-1].position == pytest.approx(goal, abs=0.01))
    assert loop.node.active, "it got further than max_tracking_error from the trajectory"
