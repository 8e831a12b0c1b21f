# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Placements, velocities and accelerations of joints and frames in the three references."""

from __future__ import annotations

import numpy as np
import pytest
from covering import evaluated
from random_trees import random_model
from robots import Robot
from test_random_trees import states

import dyn_core
from dyn_core import Model, Reference
from dyn_core.model import FrameType


def along(model: Model, s: dict[str, np.ndarray], t: float) -> dict[str, np.ndarray]:
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
