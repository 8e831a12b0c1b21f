# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Jacobians, velocities and accelerations of joints and frames, their rates and derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covers, evaluated
from random_trees import random_model
from robots import Robot
from test_random_trees import states

import dyn_core
from dyn_core import Model, Reference, frame_velocity_derivatives, quantity
from dyn_core.dynamics.declare.arrays import Acceleration, Configuration, Velocity
from dyn_core.dynamics.tree_passes import joint_kinematics, placements
from dyn_core.model import FrameType
from dyn_core.spatial import SE3, Motion, Vector3
from dyn_core.spatial.scalars import Scalar


def along(model: Model, s: dict[str, np.ndarray], t: float) -> dict[str, np.ndarray]:
    q = model.space.integrate(s["q"].tolist(), (t * s["v"]).tolist())
    return {**s, "q": np.array(q)}


def rate(model: Model, asked, s: dict[str, np.ndarray], h: float = 1e-6) -> np.ndarray:
    """The rate of a quantity as the robot moves, by central differences."""
    ahead, behind = (evaluated(model, asked, along(model, s, t)) for t in (h, -h))
    return (ahead - behind) / (2.0 * h)


@covers(dyn_core.joint_kinematic_hessians)
@pytest.mark.parametrize("seed", range(3))
def test_rates_and_hessians_are_derivatives_with_every_joint_type(seed: int) -> None:
    """Pinocchio leaves out how the axes of some joints move, so differences are the oracle."""
    model = random_model(seed, joints=13, mimic=False)
    for s in states(model, 2):
        expected = rate(model, dyn_core.joint_jacobians, s)
        actual = evaluated(model, dyn_core.joint_jacobians_time_variation, s)
        scale = np.abs(expected).max()
        assert np.abs(actual - expected).max() < 1e-6 * scale
        hessians = evaluated(model, dyn_core.joint_kinematic_hessians, s)
        assert np.abs(hessians @ s["v"] - actual).max() < 1e-12 * scale


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("reference", Reference)
def test_rate_of_a_frame_jacobian_is_its_derivative_with_mimic_joints(
    seed: int, reference: Reference
) -> None:
    model = random_model(seed, joints=12, kinds=("revolute", "helical", "universal", "planar"))
    assert model.has_mimic_joints
    frame = model.frames[-1].name
    for s in states(model, 2):
        expected = rate(model, dyn_core.frame_jacobian.request(frame, reference), s)
        asked = dyn_core.frame_jacobian_time_variation.request(frame, reference)
        actual = evaluated(model, asked, s)
        assert np.abs(actual - expected).max() < 1e-6 * np.abs(expected).max()
        hessian = evaluated(model, dyn_core.frame_kinematic_hessian.request(frame, reference), s)
        assert np.abs(hessian @ s["v"] - actual).max() < 1e-12 * np.abs(actual).max()


def test_columns_that_joints_share_are_refused_in_words() -> None:
    model = random_model(0, kinds=("revolute", "prismatic", "helical"))
    q = states(model, 1)[0]["q"]
    with pytest.raises(
        dyn_core.ModelError, match=r"has mimic joints.*use joint_jacobian or frame_jacobian"
    ):
        dyn_core.joint_jacobians(model, q)
    assert dyn_core.joint_jacobian(model, q, joint=model.names[-1]).shape == (6, model.nv)


def accelerated(model: Model, s: dict[str, np.ndarray], t: float) -> dict[str, np.ndarray]:
    """The state a time t later, if the acceleration stays, to second order."""
    step = t * s["v"] + 0.5 * t * t * s["a"]
    q = np.array(model.space.integrate(s["q"].tolist(), step.tolist()))
    return {"q": q, "v": s["v"] + t * s["a"], "a": s["a"]}


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(3))
def test_velocities_are_rates_of_placements_with_every_joint_type(seed: int) -> None:
    """The classical acceleration of a point is the second derivative of where it is."""
    model, h = random_model(seed, joints=14), 1e-4
    for s in states(model, 2):
        later, now, before = (
            evaluated(model, dyn_core.forward_kinematics, accelerated(model, s, t))
            for t in (h, 0.0, -h)
        )
        aligned = Reference.LOCAL_WORLD_ALIGNED
        velocity = evaluated(model, dyn_core.joint_velocities.request(aligned), s)
        rate = (later - before) / (2.0 * h)
        assert np.allclose(rate[:, :3, 3], velocity[:, :3], rtol=1e-5, atol=1e-4)
        for i in range(model.njoints):
            turning = rate[i, :3, :3] @ now[i, :3, :3].T
            w = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
            assert np.allclose(w, velocity[i, 3:], rtol=1e-5, atol=1e-4)
        acceleration = evaluated(
            model, dyn_core.joint_accelerations.request(aligned, classical=True), s
        )
        speeds = [
            evaluated(model, dyn_core.joint_velocities.request(aligned), accelerated(model, s, t))
            for t in (h, -h)
        ]
        expected = (speeds[0] - speeds[1]) / (2.0 * h)
        assert np.allclose(acceleration, expected, rtol=1e-4, atol=1e-3 * np.abs(expected).max())


def test_frames_are_named_or_all(robot: Robot) -> None:
    model, s = robot.model, robot.states(1)[0]
    every = evaluated(model, dyn_core.frame_placements, s)
    assert every.shape == (len(model.frames), 4, 4)
    some = [k for k, frame in enumerate(model.frames) if frame.type is FrameType.BODY][:2]
    named = dyn_core.frame_placements.request(tuple(model.frames[k].name for k in some))
    assert np.array_equal(evaluated(model, named, s), every[some])
    with pytest.raises(TypeError, match="frames must be a tuple of names of frames"):
        dyn_core.frame_placements.request("tool0").resolved(model)


SCALE = 1.0
"""Size of velocities (m/s, rad/s) below which differences count absolutely."""


def assert_close(actual, expected) -> None:
    for x, y in zip(actual, expected, strict=True):
        assert np.abs(x - y).max() < 1e-9 * max(SCALE, np.abs(y).max())


@quantity("motion", "velocity and acceleration of the last joint", unit="m/s", shape=(2, 6))
def last_motion(
    model: Model, q: Configuration, v: Velocity, a: Acceleration, *, reference: Reference
) -> list[list[Scalar]]:
    """Straight from the recursions, in local coordinates, then turned."""
    joints, V, A = joint_kinematics(model, q, v), [Motion.zero()], [Motion.zero()]
    for i in model.moving_joints:
        joint, p = joints[i], model.parents[i]
        V.append(joint.liMi.act_inv_motion(V[p]) + joint.vJ)
        A.append(joint.liMi.act_inv_motion(A[p]) + joint.c + V[i].cross(joint.vJ))
        for column, x in zip(joint.S, model.v_of(i, a), strict=True):
            A[i] = A[i] + column * x
    oMi = placements(model, joints)[-1]
    if reference is dyn_core.LOCAL:
        oMi = SE3.identity()
    elif reference is dyn_core.LOCAL_WORLD_ALIGNED:
        oMi = SE3(oMi.rotation, Vector3.zero())
    return [list(oMi.act_motion(V[-1])), list(oMi.act_motion(A[-1]))]


@pytest.mark.quick("[0-")
@pytest.mark.parametrize("reference", Reference, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_frame_derivatives_of_every_joint_type_vs_automatic(
    seed: int, reference: Reference
) -> None:
    model = random_model(seed, joints=6)
    request = last_motion.request(reference=reference)
    frame = model.names[-1]
    for s in states(model, 3):
        plain = {name: x.tolist() for name, x in s.items()}
        by = {
            x: dyn_core.derivative.request(request, by=x).evaluate(model, plain)[0] for x in "qva"
        }
        of = {x: np.array(by[x]).reshape(2, 6, model.nv) for x in by}
        velocity = frame_velocity_derivatives.request(frame, reference).evaluate(model, plain)
        acceleration = dyn_core.frame_acceleration_derivatives.request(frame, reference).evaluate(
            model, plain
        )
        shaped = [np.array(x).reshape(6, model.nv) for x in [*velocity, *acceleration]]
        assert_close(shaped, [of["q"][0], of["v"][0], of["q"][1], of["v"][1], of["a"][1]])
