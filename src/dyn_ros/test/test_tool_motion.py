# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""From targets of tools to joint velocities, and how commanded motion comes to rest. No ROS."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from ros_helpers import UR5, arm

from dyn_core.control.tasks import CollisionBarrier
from dyn_core.errors import MissingExtraError
from dyn_core.identification.self_collision import self_collision
from dyn_ros.kernels.robot import load_model
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.safety.motion_policy import MotionPhase, MotionStream
from dyn_ros.tracking.tool_motion import ToolMotion

BOUNDS: dict[str, Any] = {"velocity_scale": 1.0, "acceleration": 5.0, "orientation_cost": 0.5}
FREE = {**BOUNDS, "orientation_cost": 0.0}
START = np.array([0.3, -1.2, 1.4, -0.8, -1.2, 0.2])
STEP = 0.004  # s
BALL = '<collision>{}<geometry><sphere radius="0.1"/></geometry></collision>'
TIP = """<link name="tip"/><joint name="tip_joint" type="fixed"><parent link="lower"/>
<child link="tip"/><origin xyz="1 0 0"/></joint></robot>"""


def run(motion: ToolMotion, position: np.ndarray, steps: int, **targets: Any) -> np.ndarray:
    """Where the joints are after steps to targets."""
    position, velocity = position.copy(), np.zeros(len(position))
    motion.stay(position)
    for _ in range(steps):
        velocity = motion.velocity(position, velocity, STEP, targets)
        position += STEP * velocity
    return position


def placed(model: pin.Model, position: np.ndarray, frame: str) -> np.ndarray:
    """Where Pinocchio says that a frame is."""
    data = model.createData()
    pin.framesForwardKinematics(model, data, position)
    return np.array(data.oMf[model.getFrameId(frame)].homogeneous)


def test_joints_that_are_not_commanded_stay() -> None:
    model = load_model(UR5.read_text())
    motion = ToolMotion(model, ["tool0"], **BOUNDS)
    names = list(model.dof_names)
    motion.allow([name for name in names if name != "wrist_1_joint"])
    pinocchio = pin.buildModelFromUrdf(str(UR5))
    target = placed(pinocchio, START, "tool0")
    target[:3, 3] += [0.05, 0.0, 0.05]
    end = run(motion, START, 300, tool0=target)
    assert end[names.index("wrist_1_joint")] == START[names.index("wrist_1_joint")]
    assert np.abs(end - START).max() > 0.05


def test_a_free_orientation_lets_the_tool_turn() -> None:
    model = load_model(UR5.read_text())
    pinocchio = pin.buildModelFromUrdf(str(UR5))
    motion = ToolMotion(model, ["tool0"], **FREE)
    target = placed(pinocchio, START, "tool0")
    target[:3, 3] += [0.05, 0.1, 0.05]
    target[:3, :3] = np.eye(3)
    place = placed(pinocchio, run(motion, START, 750, tool0=target), "tool0")
    assert np.linalg.norm(place[:3, 3] - target[:3, 3]) < 1e-4
    assert motion.target_distances[1] == 0.0


def test_two_tools_have_a_target_each() -> None:
    """The forearm stays while the hand goes somewhere that joints behind it reach."""
    model = load_model(UR5.read_text())
    pinocchio = pin.buildModelFromUrdf(str(UR5))
    motion = ToolMotion(model, ["tool0", "forearm_link"], **FREE)
    goal = START + np.array([0.0, 0.0, 0.1, -0.3, 0.0, 0.0])
    end = run(motion, START, 750, tool0=placed(pinocchio, goal, "tool0"))
    for frame, q in (("tool0", goal), ("forearm_link", START)):
        way = placed(pinocchio, end, frame)[:3, 3] - placed(pinocchio, q, frame)[:3, 3]
        assert np.linalg.norm(way) < 1e-3, frame


@pytest.fixture(scope="module")
def balls() -> str:
    """An arm with balls of 0.1 m at its base and its tip."""
    text = arm().replace("</robot>", TIP)
    text = text.replace('<link name="base"/>', f'<link name="base">{BALL.format("")}</link>')
    at_tip = BALL.format('<origin xyz="1 0 0"/>')
    return text.replace('<link name="lower">', f'<link name="lower">{at_tip}')


def motion_of_balls(text: str, *, avoid: bool, acceleration: float = 5.0) -> ToolMotion:
    """What takes the tip to targets."""
    model = load_model(text)
    checker = self_collision(model, text).checker
    assert checker is not None
    barrier = CollisionBarrier(checker, 0.05) if avoid else None
    return ToolMotion(model, ["tip"], **{**FREE, "acceleration": acceleration}, barrier=barrier)


@pytest.mark.parametrize("avoid", [True, False])
def test_with_a_barrier_shapes_stay_apart(balls: str, avoid: bool) -> None:
    """The target of the tip is the base."""
    motion = motion_of_balls(balls, avoid=avoid)
    motion.speed = 1.0, 1.0
    end = run(motion, np.array([0.2, 1.5]), 1000, tip=np.eye(4))
    apart = np.linalg.norm(placed(pin.buildModelFromXML(balls), end, "tip")[:3, 3]) - 0.2
    if avoid:
        assert 0.049 < apart < 0.12
    else:
        assert apart < 0.0


def test_an_arm_too_fast_to_stop_before_a_collision_has_no_solution(balls: str) -> None:
    """Of its brakes: the node's reaction is to hold."""
    motion = motion_of_balls(balls, avoid=True, acceleration=2.0)
    near = np.array([0.0, 2.7])
    motion.stay(near)
    with pytest.raises(InputRefusedError, match="no velocity satisfies") as refusal:
        motion.velocity(near, np.array([0.0, 2.0]), STEP, {"tip": np.eye(4)})
    assert refusal.value.reason == "no solution"


def test_targets_at_any_distance_give_finite_velocities_within_the_limits() -> None:
    model = load_model(UR5.read_text())
    motion = ToolMotion(model, ["tool0"], **BOUNDS)
    for far in (1e3, 1e150, 1e308):
        target = np.eye(4)
        target[:3, 3] = far, -far, far
        motion.stay(START)
        with suppress(InputRefusedError):
            v = motion.velocity(START, np.zeros(6), STEP, {"tool0": target})
            assert (np.abs(v) <= np.pi + 1e-9).all()


def test_a_tool_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="tool names 'gripper', which 'ur5' does not have"):
        ToolMotion(load_model(UR5.read_text()), ["gripper"], **BOUNDS)


def test_a_missing_solver_is_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the node is configured, not when the robot is to move."""
    monkeypatch.setitem(sys.modules, "daqp", None)
    with pytest.raises(MissingExtraError, match="pip install daqp"):
        ToolMotion(load_model(UR5.read_text()), ["tool0"], **BOUNDS)


def test_a_joint_at_or_beyond_its_end_is_not_thrown_back() -> None:
    """A lift at 0 m began with 0.4 m/s, 20 times the limit of acceleration."""
    model = load_model(UR5.read_text()).with_limits("elbow_joint", upper=1.0)
    motion = ToolMotion(model, ["tool0"], **BOUNDS)
    for elbow in (0.99, 1.0, 1.3):
        position = np.array([0.3, -1.2, elbow, 0.4, 0.5, 0.6])
        motion.stay(position)
        assert np.abs(motion.velocity(position, np.zeros(6), 0.004, {})).max() < 1e-6
        target, before = np.eye(4), np.zeros(6)
        target[:3, 3] = 0.1, 0.2, 0.5
        for _ in range(100):
            v = motion.velocity(position, before, 0.004, {"tool0": target})
            assert np.abs(v - before).max() < 0.0201  # 5 rad/s^2
            position, before = position + 0.004 * v, v
            assert position[2] <= max(elbow, 0.98) + 1e-9


def test_braking_keeps_the_way_and_the_limit_and_ends() -> None:
    stream = MotionStream(2, 4.0)
    stream.begin(np.zeros(2), np.array([1.0, -0.5]))
    stream.brake()
    speeds = [stream.velocity.copy()]
    while stream.begun:
        stream.brake_on(0.01)
        speeds.append(stream.velocity.copy())
        assert stream.position[0] == pytest.approx(-2.0 * stream.position[1])
    steps = np.diff(speeds, axis=0)
    assert np.abs(steps).max() == pytest.approx(0.04)
    assert not stream.velocity.any()
    assert stream.phase is MotionPhase.WAITING
    assert stream.position[0] == pytest.approx(1.0 / 8.0, rel=0.1)  # v^2 / 2a


def test_braking_on_the_way_passes_no_limit_of_position() -> None:
    """A joint that was braking before its limit passed it by 0.2 rad, beside a faster one."""
    limits = np.array([-0.05, -9.0]), np.array([9.0, 9.0])
    stream = MotionStream(2, 1.0, limits)
    stream.begin(np.zeros(2), np.array([-0.3, 1.0]))
    stream.brake()
    while stream.begun:
        stream.brake_on(0.004)
        assert np.abs(stream.change).max() < 1.001
    assert stream.position == pytest.approx([-0.05, 0.5], abs=0.005)
    assert stream.position[0] > -0.05 - 1e-6


def test_the_last_braking_ends_before_the_process_is_killed() -> None:
    """With 0.02 rad/s^2 a velocity controller kept the last velocities of a killed node."""
    stream = MotionStream(2, 0.02)
    stream.begin(np.zeros(2), np.array([0.475, -0.2]))
    stream.brake()
    stream.brake_on(0.1)
    assert stream.velocity[0] == pytest.approx(0.473)
    stream.brake(5.0)
    stream.brake()
    steps = 0
    while stream.begun:
        stream.brake_on(0.01)
        steps += 1
    assert steps == pytest.approx(500, abs=1)
    assert not stream.velocity.any()


def test_braking_that_takes_no_time_changes_nothing() -> None:
    stream = MotionStream(1, 4.0)
    stream.begin(np.zeros(1), np.ones(1))
    stream.brake()
    stream.brake_on(0.0)
    assert list(stream.velocity) == pytest.approx([1.0])
    assert np.isfinite(stream.change).all()
