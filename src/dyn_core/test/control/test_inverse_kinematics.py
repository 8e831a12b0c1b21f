# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics: tasks are done, limits hold, and what cannot be done is calm."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from robots import load

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.control import (
    CollisionBarrier,
    ComTask,
    ContactTask,
    DampingTask,
    FrameTask,
    InfeasibleError,
    InverseKinematics,
    JointLimits,
    LowAccelerationTask,
    PostureTask,
    solve_ik,
)
from dyn_core.geometry import Box, CollisionChecker, GeometryModel, GeometryObject, Kind, Sphere
from dyn_core.spatial import SE3, Matrix3, Vector3

FORKLIFT = """<robot name="forklift"><link name="floor"/><link name="plate"/><link name="hand"/>
<joint name="wheels" type="planar"><parent link="floor"/><child link="plate"/>
<axis xyz="0 0 1"/></joint>
<joint name="lift" type="prismatic"><parent link="plate"/><child link="hand"/><axis xyz="0 0 1"/>
<limit lower="0" upper="0.2" velocity="0.5" effort="100"/></joint></robot>"""
UR5, TOOL = load("ur5").model, "tool0"
START = np.array([0.2, -1.2, 1.5, -1.0, -1.4, 0.3])
DT = 0.01


def moved(placement: np.ndarray, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    result = np.array(placement)
    result[:3, 3] += x, y, z
    return result


def tool(q: np.ndarray) -> np.ndarray:
    return np.array(dyn_core.frame_placement(UR5, q, frame=TOOL))


def reach(
    steps: int = 300, z: float = 0.0, gain: float = 10.0, lm_damping: float = 0.05, **arguments
):
    """Path and velocities of a tool that goes 0.2 m to the side, and up by ``z``."""
    task = FrameTask(TOOL, gain=gain, lm_damping=lm_damping)
    task.set_target(moved(tool(START), y=0.2, z=z))
    ik = InverseKinematics(UR5, [task], **arguments)
    q, v, path, speeds = START, np.zeros(6), [START], [np.zeros(6)]
    for _ in range(steps):
        q, v = ik.step(q, v, DT)
        path.append(q)
        speeds.append(v)
    return task, np.array(path), np.array(speeds)


def test_frame_arrives_on_a_straight_line() -> None:
    task, path, _ = reach(lm_damping=0.0)
    assert np.abs(task.evaluate(UR5, path[-1], np.zeros(6)).error).max() < 1e-9
    tools = np.array([tool(q)[:3, 3] for q in path]) - tool(START)[:3, 3]
    assert np.abs(tools[:, [0, 2]]).max() < 2e-3  # of 0.2 m, in steps of 10 ms


def test_infinite_gain_leaves_nothing_after_a_few_steps() -> None:
    limits = JointLimits(UR5, velocity_scale=1e3)
    task, path, _ = reach(steps=6, gain=np.inf, limits=limits)
    assert np.abs(task.evaluate(UR5, path[-1], np.zeros(6)).error).max() < 1e-6


def test_velocities_and_accelerations_stay_within_limits() -> None:
    limits = JointLimits(UR5, acceleration=2.0, velocity_scale=0.1)
    task, path, speeds = reach(steps=600, limits=limits)
    assert np.abs(speeds).max() <= 0.1 * UR5.velocity_limit.max() + 1e-9
    assert np.abs(np.diff(speeds, axis=0)).max() <= 2.0 * DT + 1e-9
    assert np.abs(task.evaluate(UR5, path[-1], np.zeros(6)).error).max() < 1e-4


def test_target_out_of_reach_stretches_the_arm_and_is_calm() -> None:
    """The elbow is singular then: nothing swings, nothing grows."""
    _, path, speeds = reach(steps=800, z=3.0, limits=JointLimits(UR5, acceleration=20.0))
    assert np.isfinite(path).all()
    assert np.abs(speeds[-100:]).max() < 0.02
    assert np.linalg.norm(tool(path[-1])[:3, 3]) > 0.85


def test_low_priority_moves_only_the_null_space() -> None:
    """A seventh joint: the posture is approached while the hand does not move."""
    panda = load("panda").model
    q = np.array([0.3, -0.6, 0.4, -2.1, 0.5, 1.7, 0.2, 0.02, 0.02])
    hand, posture = FrameTask("panda_hand"), PostureTask(priority=1)
    hand.set_target_from_configuration(panda, q)
    posture.set_target(q + 0.5 * (np.arange(9) == 0))
    ik = InverseKinematics(panda, [posture, hand])
    start, v = q, np.zeros(9)
    for _ in range(200):
        q, v = ik.step(q, v, DT)
    assert np.abs(hand.evaluate(panda, q, v).error).max() < 1e-4
    assert np.linalg.norm(q - posture.target) < 0.9 * np.linalg.norm(start - posture.target)
    weighed = InverseKinematics(panda, [PostureTask(priority=0), hand])
    weighed.tasks[0].set_target(posture.target)
    _, v = weighed.step(start, np.zeros(9), DT)
    assert np.abs(hand.evaluate(panda, start, v).velocity).max() > 1e-2  # at cost against cost


def test_floating_base_moves_its_mass_over_a_foot_that_stays() -> None:
    robot = load("hyq").model
    q = dyn_core.neutral(robot)
    q[7:] = [0.0, 0.75, -1.5, 0.0, -0.75, 1.5] * 2
    feet = [ContactTask(f"{leg}_foot", gain=10.0) for leg in ("lf", "lh", "rf", "rh")]
    for foot in feet:
        foot.set_target_from_configuration(robot, q)
    com, damping = ComTask(), DampingTask(1e-3)
    com.set_target(dyn_core.center_of_mass(robot, q) + np.array([0.03, 0.02, 0.0]))
    ik = InverseKinematics(robot, [com, damping], constraints=feet)
    v = np.zeros(robot.nv)
    for _ in range(150):
        q, v = ik.step(q, v, DT)
    assert np.abs(com.evaluate(robot, q, v).error).max() < 1e-4
    assert max(np.abs(foot.evaluate(robot, q, v).error).max() for foot in feet) < 1e-5


def test_low_acceleration_task_smooths_the_velocity() -> None:
    task = FrameTask(TOOL)
    task.set_target(moved(tool(START), y=0.2))
    rough = InverseKinematics(UR5, [task]).velocity(START, np.zeros(6), DT)
    smooth = InverseKinematics(UR5, [task, LowAccelerationTask(1.0)])
    assert np.abs(smooth.velocity(START, np.zeros(6), DT)).max() < 0.7 * np.abs(rough).max()


def guarded(gain: float = 5.0) -> tuple[InverseKinematics, CollisionChecker]:
    """A tool that wants through a box beside it."""
    place = tool(START)[:3, 3]
    ball_at = UR5.frame(TOOL).placement
    ball = GeometryObject("ball", TOOL, 6, ball_at, Sphere(0.05))
    wall_at = SE3(Matrix3.identity(), Vector3(place[0], place[1] + 0.2, place[2]))
    wall = GeometryObject("wall", "world", 0, wall_at, Box(1.0, 0.1, 1.0))
    checker = CollisionChecker(UR5, GeometryModel(Kind.COLLISION, (ball, wall), ((0, 1),)))
    task = FrameTask(TOOL)
    task.set_target(moved(tool(START), y=0.3))
    barrier = CollisionBarrier(checker, least=0.02, gain=gain)
    return InverseKinematics(UR5, [task], barriers=[barrier]), checker


def test_barrier_keeps_shapes_apart() -> None:
    ik, checker = guarded()
    q, v, nearest = START, np.zeros(6), np.inf
    for _ in range(400):
        q, v = ik.step(q, v, DT)
        checker.update(q)
        nearest = min(nearest, float(checker.distances()[0]))
    assert 0.019 < nearest < 0.021
    assert np.abs(v).max() < 0.05


def test_what_is_too_near_already_may_stand_still() -> None:
    ik, checker = guarded()
    for q in (START, START + 0.3 * np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])):
        ik.velocity(q, np.zeros(6), DT)
    checker.update(q)


def test_contradicting_constraints_and_a_target_too_far_to_compute_with_are_reported() -> None:
    first, second, far = (FrameTask(TOOL) for _ in range(3))
    first.set_target(moved(tool(START), y=0.1))
    second.set_target(moved(tool(START), y=-0.1))
    far.set_target(moved(tool(START), x=1e200))
    with pytest.raises(InfeasibleError, match="too large"):
        InverseKinematics(UR5, [far]).velocity(START, np.zeros(6), DT)
    with pytest.raises(InfeasibleError, match="no velocity satisfies"):
        InverseKinematics(UR5, [], constraints=[first, second]).velocity(START, np.zeros(6), DT)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((np.full(6, np.nan), np.zeros(6), DT), "q must be finite"),
        ((np.zeros(5), np.zeros(6), DT), "q must be finite"),
        ((START, np.full(6, np.inf), DT), "velocity before"),
        ((START, np.zeros(6), 0.0), "dt must be above 0"),
        ((START, np.zeros(6), np.nan), "dt must be above 0"),
    ],
)
def test_bad_arguments_are_refused(arguments: tuple, words: str) -> None:
    task = FrameTask(TOOL)
    task.set_target_from_configuration(UR5, START)
    with pytest.raises(ValueError, match=words):
        InverseKinematics(UR5, [task]).velocity(*arguments)


def test_without_the_solver_the_error_names_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "daqp", None)
    with pytest.raises(ModelError, match="the extra 'ik'"):
        InverseKinematics(UR5, [DampingTask(1.0)]).velocity(START, np.zeros(6), DT)


ROBOTS = {"ur5": "tool0", "panda": "panda_hand", "kinova": "j2s6s200_end_effector"}


@pytest.mark.parametrize("name", ROBOTS)
def test_reachable_poses_are_found_within_limits(name: str) -> None:
    model, frame, random = load(name).model, ROBOTS[name], np.random.default_rng(0)
    limits = (
        np.clip(model.lower_position_limit, -3.0, 3.0),
        np.clip(model.upper_position_limit, -3, 3),
    )
    drawn = [dyn_core.random_configuration(model, random, *limits) for _ in range(100)]
    targets = dyn_core.compile(model, [dyn_core.frame_placement.request(frame)]).batch(
        np.array(drawn)
    )
    found = solve_ik(model, {frame: targets})
    assert found.solved.all()
    assert (found.q >= model.lower_position_limit).all()
    assert (found.q <= model.upper_position_limit).all()
    for q, target in zip(found.q, targets, strict=True):
        place = dyn_core.frame_placement(model, q, frame=frame)
        assert np.abs(place - target).max() < 2e-6


def test_from_a_start_the_solution_is_near() -> None:
    target = moved(tool(START), y=0.05)
    found = solve_ik(UR5, {TOOL: target}, start=START)
    assert found.solved.all()
    assert found.starts[0] == 1
    assert np.abs(found.q[0] - START).max() < 0.5


def test_feet_and_points_of_a_floating_base() -> None:
    robot, random = load("hyq").model, np.random.default_rng(2)
    q = dyn_core.integrate(robot, dyn_core.neutral(robot), 0.3 * random.normal(size=robot.nv))
    q = np.clip(q, robot.lower_position_limit, robot.upper_position_limit)
    q = dyn_core.normalize(robot, q)
    place = {
        f: np.array(dyn_core.frame_placement(robot, q, frame=f)) for f in ("lf_foot", "rh_foot")
    }
    targets = {"lf_foot": place["lf_foot"][:3, 3], "rh_foot": place["rh_foot"][:3, 3]}
    found = solve_ik(robot, {**targets, "trunk": dyn_core.frame_placement(robot, q, frame="trunk")})
    assert found.solved.all()
    for foot, point in targets.items():
        reached = dyn_core.frame_placement(robot, found.q[0], frame=foot)[:3, 3]
        assert np.abs(reached - point).max() < 2e-6


def test_pose_out_of_reach_is_reported_and_the_nearest_given() -> None:
    far = moved(tool(START), x=5.0)
    found = solve_ik(UR5, {TOOL: far}, starts=5)
    assert not found.solved.any()
    assert np.isfinite(found.q).all()
    assert 3.0 < found.error[0] < 6.0
    assert solve_ik(UR5, {TOOL: np.zeros((0, 4, 4))}).q.shape == (0, 6)


@pytest.mark.parametrize(
    ("targets", "error", "words"),
    [
        ({}, ValueError, "name a frame"),
        ({TOOL: np.eye(5)}, ValueError, "placements"),
        ({TOOL: np.full((4, 4), np.nan)}, ValueError, "finite"),
        ({TOOL: np.zeros((4, 4))}, ValueError, "orthonormal"),
        ({TOOL: np.zeros((2, 3)), "base_link": np.zeros((3, 3))}, ValueError, "equally many"),
        ({"nowhere": np.eye(4)}, KeyError, "nowhere"),
    ],
)
def test_bad_targets_are_refused(targets: dict, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        solve_ik(UR5, targets)


@pytest.mark.parametrize(
    "number",
    [{"starts": 0}, {"starts": np.inf}, {"starts": 2.5}, {"iterations": 0}, {"tolerance": np.nan}],
)
def test_numbers_of_a_search_are_positive(number: dict) -> None:
    with pytest.raises(ValueError, match=next(iter(number))):
        solve_ik(UR5, {TOOL: np.eye(4)}, **number)


def test_limits_hold_where_nothing_but_a_constraint_is_asked_for() -> None:
    hand = FrameTask(TOOL)
    hand.set_target(moved(tool(START), y=0.05))
    speeds = {"limits": JointLimits(UR5, velocity_scale=1e-3)}
    with pytest.raises(InfeasibleError, match="no velocity satisfies"):
        InverseKinematics(UR5, [], constraints=[hand], **speeds).velocity(START, np.zeros(6), DT)
    v = InverseKinematics(UR5, [], constraints=[hand]).velocity(START, np.zeros(6), DT)
    terms = hand.evaluate(UR5, START, v)
    np.testing.assert_allclose(terms.velocity, hand.wanted_velocity(terms, DT), atol=1e-6)


def test_robot_without_joints_stays() -> None:
    robot = UR5.reduced(list(UR5.names[1:]), START)
    hand = FrameTask(TOOL)
    hand.set_target(tool(START))
    q, v = InverseKinematics(robot, [hand]).step(np.zeros(0), np.zeros(0), DT)
    assert q.shape == v.shape == (0,)
    assert solve_ik(robot, {TOOL: tool(START)}).solved.all()
    assert not solve_ik(robot, {TOOL: np.eye(4)}).solved.any()


def test_prismatic_and_planar_joints_reach_and_keep_their_ends() -> None:
    """A plate that slides on the floor and lifts a hand by 0.2 m at most."""
    robot = Model.from_urdf(FORKLIFT, massless=True)
    hand = FrameTask("hand", 1.0, 1.0, gain=5.0)
    target = np.eye(4)
    target[:2, :2], target[:3, 3] = [[0.0, -1.0], [1.0, 0.0]], (1.0, -2.0, 0.3)
    hand.set_target(target)
    ik, q, v = InverseKinematics(robot, [hand]), dyn_core.neutral(robot), np.zeros(4)
    for _ in range(400):
        q, v = ik.step(q, v, DT)
    place = dyn_core.frame_placement(robot, q, frame="hand")
    assert np.abs(place - target)[:2].max() < 1e-3
    assert place[2, 3] == pytest.approx(0.2, abs=1e-6)
    assert q[4] <= 0.2 + 1e-9
