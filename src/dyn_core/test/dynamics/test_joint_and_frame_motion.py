# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Placements, velocities and accelerations of joints and frames in the three references."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from covering import covers, defined_as_pinocchio, evaluated
from random_trees import random_model
from robots import Robot
from test_frame_jacobian import REFERENCES
from test_random_trees import states

import dyn_core
from dyn_core import Model, Reference
from dyn_core.model import FrameType

Frames = list[tuple[str, int]]


def frames(robot: Robot) -> Frames:
    """The names of some frames, and their indices in Pinocchio, a body's before a joint's."""
    m = robot.pin_model
    names = {robot.model.frames[k].name for k in (0, 3, -1)}
    bodies = {name: m.getFrameId(name, pin.FrameType.BODY) for name in names}
    return [(name, k if k < m.nframes else m.getFrameId(name)) for name, k in bodies.items()]


def moved(m: pin.Model, d: pin.Data, s: dict[str, np.ndarray]) -> None:
    pin.forwardKinematics(m, d, s["q"], s["v"], s["a"])
    pin.updateFramePlacements(m, d)


def vectors(motions) -> np.ndarray:
    return np.array([motion.vector for motion in motions])


@covers(dyn_core.relative_placements, dyn_core.frame_placements, dyn_core.frame_placement)
def test_placements_vs_pinocchio(robot: Robot) -> None:
    def relative(m: pin.Model, d: pin.Data, s: dict[str, np.ndarray]) -> np.ndarray:
        moved(m, d, s)
        return np.array([np.eye(4), *(M.homogeneous for M in list(d.liMi)[1:])])

    def placed(m: pin.Model, d: pin.Data, s: dict[str, np.ndarray]) -> np.ndarray:
        moved(m, d, s)
        return np.array([d.oMf[k].homogeneous for _, k in frames(robot)])

    defined_as_pinocchio(robot, dyn_core.relative_placements, relative)
    names = tuple(name for name, _ in frames(robot))
    defined_as_pinocchio(robot, dyn_core.frame_placements.request(names), placed)
    for n, name in enumerate(names):
        one = dyn_core.frame_placement.request(name)
        defined_as_pinocchio(robot, one, lambda *args, n=n: placed(*args)[n], count=3)


@covers(dyn_core.joint_velocities, dyn_core.joint_accelerations, dyn_core.felt_accelerations)
@pytest.mark.parametrize("reference", Reference)
def test_joint_motion_vs_pinocchio(robot: Robot, reference: Reference) -> None:
    theirs = REFERENCES[reference]

    def seen(get):
        def oracle(m: pin.Model, d: pin.Data, s: dict[str, np.ndarray]) -> np.ndarray:
            moved(m, d, s)
            rest = vectors(get(m, d, i, theirs) for i in range(1, m.njoints))
            return np.vstack([np.zeros(6), rest])

        return oracle

    velocities = dyn_core.joint_velocities.request(reference)
    defined_as_pinocchio(robot, velocities, seen(pin.getVelocity))
    accelerations = dyn_core.joint_accelerations.request(reference)
    defined_as_pinocchio(robot, accelerations, seen(pin.getAcceleration))
    classical = dyn_core.joint_accelerations.request(reference, classical=True)
    defined_as_pinocchio(robot, classical, seen(pin.getClassicalAcceleration))


def test_felt_accelerations_vs_pinocchio(robot: Robot) -> None:
    def felt(m: pin.Model, d: pin.Data, s: dict[str, np.ndarray]) -> np.ndarray:
        pin.rnea(m, d, s["q"], s["v"], s["a"])
        return vectors(d.a_gf)

    defined_as_pinocchio(robot, dyn_core.felt_accelerations, felt)


@covers(dyn_core.frame_velocity, dyn_core.frame_acceleration)
@pytest.mark.parametrize("reference", Reference)
def test_frame_motion_vs_pinocchio(robot: Robot, reference: Reference) -> None:
    theirs = REFERENCES[reference]
    for name, k in frames(robot):

        def seen(get, k=k):
            def oracle(m: pin.Model, d: pin.Data, s: dict[str, np.ndarray]) -> np.ndarray:
                moved(m, d, s)
                return get(m, d, k, theirs).vector

            return oracle

        velocity = dyn_core.frame_velocity.request(name, reference)
        defined_as_pinocchio(robot, velocity, seen(pin.getFrameVelocity))
        acceleration = dyn_core.frame_acceleration.request(name, reference)
        defined_as_pinocchio(robot, acceleration, seen(pin.getFrameAcceleration))
        classical = dyn_core.frame_acceleration.request(name, reference, classical=True)
        defined_as_pinocchio(robot, classical, seen(pin.getFrameClassicalAcceleration))


def along(model: Model, s: dict[str, np.ndarray], t: float) -> dict[str, np.ndarray]:
    """The state a time t later, if the acceleration stays, to second order."""
    step = t * s["v"] + 0.5 * t * t * s["a"]
    q = np.array(model.space.integrate(s["q"].tolist(), step.tolist()))
    return {"q": q, "v": s["v"] + t * s["a"], "a": s["a"]}


@pytest.mark.parametrize("seed", range(3))
def test_velocities_are_rates_of_placements_with_every_joint_type(seed: int) -> None:
    """The classical acceleration of a point is the second derivative of where it is."""
    model, h = random_model(seed, joints=14), 1e-4
    for s in states(model, 2):
        later, now, before = (
            evaluated(model, dyn_core.forward_kinematics, along(model, s, t)) for t in (h, 0.0, -h)
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
            evaluated(model, dyn_core.joint_velocities.request(aligned), along(model, s, t))
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
