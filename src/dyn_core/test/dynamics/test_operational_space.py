# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Operational-space control and impedance: what the frame then does, by forward dynamics."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from robots import load

import dyn_core
from dyn_core.control import FrameTask, OperationalSpace
from dyn_core.control.operational_space import damping_of
from dyn_core.control.pose_error import pose_error

FRAME = "panda_link8"


@pytest.fixture(scope="module")
def arm() -> OperationalSpace:
    return OperationalSpace(load("panda").model, FRAME, damping=0.0)


def states(count: int):
    robot = load("panda")
    for state in robot.states(count, seed=5):
        yield robot, state["q"], state["v"]


def frame_motion(robot, q, v, tau, wrench=None):
    """Velocity and classical acceleration of the frame under efforts, by Pinocchio."""
    model, data = robot.pin_model, robot.pin_model.createData()
    frame = model.getFrameId(FRAME)
    if wrench is not None:
        J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
        tau = tau + J.T @ wrench
    a = pin.aba(model, data, q, v, tau)
    pin.forwardKinematics(model, data, q, v, a)
    pin.updateFramePlacements(model, data)
    place = data.oMf[frame]
    velocity = pin.getFrameVelocity(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
    acceleration = pin.getFrameClassicalAcceleration(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
    return np.array(velocity), np.array(acceleration), place.homogeneous.copy()


def test_frame_accelerates_as_commanded_whatever_the_posture_does(arm) -> None:
    random = np.random.default_rng(0)
    for robot, q, v in states(10):
        wanted, posture = random.normal(size=6), 10.0 * random.normal(size=robot.model.nv)
        ddq = []
        for extra in (None, posture):
            tau = arm.track(q, v, wanted, extra)
            _, acceleration, _ = frame_motion(robot, q, v, tau)
            np.testing.assert_allclose(acceleration, wanted, atol=1e-6)
            ddq.append(dyn_core.aba(robot.model, q, v, tau))
        assert np.abs(ddq[1] - ddq[0]).max() > 1e-3  # in the null space


def test_the_task_sets_the_acceleration(arm) -> None:
    """``w^2 e - 2 w velocity`` of a target that stands, which no other frame's task may say."""
    for robot, q, v in states(3):
        task = FrameTask(FRAME, gain=5.0)
        target = np.array(dyn_core.frame_placement(robot.model, q, frame=FRAME))
        target[:3, 3] += 0.1
        task.set_target(target)
        _, acceleration, place = frame_motion(robot, q, v, arm.track(q, v, task))
        velocity = arm.terms(q, v).velocity
        wanted = 25.0 * pose_error(place, target) - 10.0 * velocity
        np.testing.assert_allclose(acceleration, wanted, atol=1e-6)
    with pytest.raises(ValueError, match="not of the frame"):
        arm.track(q, v, FrameTask("panda_hand"))


def test_terms_are_those_of_the_equation_of_motion(arm) -> None:
    for robot, q, v in states(5):
        terms, force = arm.terms(q, v), np.arange(6.0)
        _, acceleration, _ = frame_motion(robot, q, v, terms.efforts(force))
        balance = terms.inertia @ acceleration + terms.bias + terms.gravity
        np.testing.assert_allclose(balance, force, atol=1e-6)


def test_impedance_is_that_of_spring_mass_and_damper(arm) -> None:
    """inertia ddx + D dx + K (x - target) = force from outside."""
    random = np.random.default_rng(1)
    K = np.array([400.0, 500.0, 600.0, 20.0, 30.0, 40.0])
    for robot, q, v in states(5):
        target = np.array(dyn_core.frame_placement(robot.model, q, frame=FRAME))
        target[:3, 3] += 0.1 * random.normal(size=3)
        outside = random.normal(size=6)
        tau = arm.impedance(q, v, target, K, 0.7)
        velocity, acceleration, place = frame_motion(robot, q, v, tau, outside)
        inertia = arm.terms(q, v).inertia
        D = damping_of(inertia, np.diag(K), 0.7)
        left = inertia @ acceleration + D @ velocity - K * pose_error(place, target)
        np.testing.assert_allclose(left, outside, atol=1e-6)


def test_damping_damps_every_mode_by_the_ratio() -> None:
    random = np.random.default_rng(2)
    root = random.normal(size=(6, 6))
    inertia, K = root @ root.T + np.eye(6), np.diag(random.uniform(1.0, 100.0, 6))
    D = damping_of(inertia, K, 0.7)
    system = np.block([
        [np.zeros((6, 6)), np.eye(6)],
        [-np.linalg.solve(inertia, K), -np.linalg.solve(inertia, D)],
    ])  # fmt: skip
    poles = np.linalg.eigvals(system)
    np.testing.assert_allclose(-poles.real / np.abs(poles), 0.7, atol=1e-7)


def test_singular_arm_gets_bounded_efforts() -> None:
    robot = load("ur5")
    q, v = np.zeros(6), np.zeros(6)  # stretched
    tau = OperationalSpace(robot.model, "tool0", damping=1e-3).track(q, v, np.ones(6))
    assert np.abs(tau).max() < 2e3


@pytest.mark.parametrize(
    "control",
    [
        lambda arm, q, v: arm.track(q, v, np.full(6, np.nan)),
        lambda arm, q, v: arm.impedance(q, v, np.eye(4), -np.ones(6)),
        lambda arm, q, v: arm.impedance(q, v, np.full((4, 4), np.nan), np.ones(6)),
        lambda arm, q, v: arm.track(np.full_like(q, np.nan), v, np.zeros(6)),
        lambda arm, q, v: arm.track(q, v, np.zeros(6), np.full_like(v, np.nan)),
        lambda arm, q, v: arm.track(q, v, np.zeros(3)),
        lambda arm, q, v: arm.impedance(q, v, np.eye(4), np.ones(3)),
        lambda arm, q, v: arm.impedance(q, v, np.zeros((4, 4)), np.ones(6)),
    ],
)
def test_what_is_no_number_gives_no_efforts(arm, control) -> None:
    _, q, v = next(states(1))
    with pytest.raises(ValueError, match=r"finite|negative|orthonormal"):
        control(arm, q, v)


def test_an_unknown_frame_and_a_base_that_floats_are_refused() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        OperationalSpace(load("panda").model, "nowhere")
    with pytest.raises(ValueError, match="floats"):
        OperationalSpace(load("hyq").model, "lf_foot")
