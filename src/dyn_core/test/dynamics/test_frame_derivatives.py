# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of frames' velocities and accelerations."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import random_model
from test_random_trees import states

from dyn_core import (
    LOCAL,
    LOCAL_WORLD_ALIGNED,
    Reference,
    derivative,
    frame_acceleration_derivatives,
    frame_velocity_derivatives,
    quantity,
)
from dyn_core.dynamics.declare.arrays import Acceleration, Configuration, Velocity
from dyn_core.dynamics.tree_passes import joint_kinematics, placements
from dyn_core.model import Model
from dyn_core.spatial import SE3, Motion, Vector3
from dyn_core.spatial.scalars import Scalar

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
    if reference is LOCAL:
        oMi = SE3.identity()
    elif reference is LOCAL_WORLD_ALIGNED:
        oMi = SE3(oMi.rotation, Vector3.zero())
    return [list(oMi.act_motion(V[-1])), list(oMi.act_motion(A[-1]))]


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
        by = {x: derivative.request(request, by=x).evaluate(model, plain)[0] for x in "qva"}
        of = {x: np.array(by[x]).reshape(2, 6, model.nv) for x in by}
        velocity = frame_velocity_derivatives.request(frame, reference).evaluate(model, plain)
        acceleration = frame_acceleration_derivatives.request(frame, reference).evaluate(
            model, plain
        )
        shaped = [np.array(x).reshape(6, model.nv) for x in [*velocity, *acceleration]]
        assert_close(shaped, [of["q"][0], of["v"][0], of["q"][1], of["v"][1], of["a"][1]])
