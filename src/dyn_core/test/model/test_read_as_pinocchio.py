# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Robots are read as Pinocchio reads them."""

from __future__ import annotations

import numpy as np
import pytest
from robots import Robot

from dyn_core.model import FrameType


def test_joints_have_the_same_names_order_and_sizes(robot: Robot) -> None:
    ours, theirs = robot.model, robot.pin_model
    assert list(ours.names) == list(theirs.names)
    assert list(ours.parents) == list(theirs.parents)
    assert (ours.nq, ours.nv) == (theirs.nq, theirs.nv)
    assert list(ours.idx_q)[1:] == list(theirs.idx_qs)[1:]
    assert list(ours.idx_v)[1:] == list(theirs.idx_vs)[1:]


def test_limits_are_the_same(robot: Robot) -> None:
    ours, theirs = robot.model, robot.pin_model
    flat = [i for i in ours.moving_joints if ours.joints[i].nq == ours.joints[i].nv]
    for i in flat:
        q, v = ours.idx_q[i], ours.idx_v[i]
        assert ours.lower_position_limit[q] == theirs.lowerPositionLimit[q]
        assert ours.upper_position_limit[q] == theirs.upperPositionLimit[q]
        assert ours.velocity_limit[v] == theirs.velocityLimit[v]
        assert ours.effort_limit[v] == theirs.effortLimit[v]


def test_bodies_keep_their_inertia_when_fixed_joints_merge(robot: Robot) -> None:
    for ours, theirs in zip(robot.model.inertias, robot.pin_model.inertias, strict=True):
        assert ours.mass == pytest.approx(theirs.mass, rel=1e-12)
        if theirs.mass:
            assert list(ours.com) == pytest.approx(list(theirs.lever), rel=1e-9, abs=1e-12)
            matrix = np.array([list(row) for row in ours.at_com.full().rows])
            assert np.allclose(matrix, theirs.inertia, rtol=1e-9, atol=1e-12)


def test_no_frame_is_lost_when_fixed_joints_merge(robot: Robot) -> None:
    kinds = {FrameType.BODY: "BODY", FrameType.JOINT: "JOINT", FrameType.FIXED_JOINT: "FIXED_JOINT"}
    theirs = {(f.name, f.type.name): f for f in robot.pin_model.frames if f.name != "universe"}
    ours = {(f.name, kinds[f.type]): f for f in robot.model.frames}
    assert ours.keys() == theirs.keys()
    for key, frame in ours.items():
        assert frame.joint == theirs[key].parentJoint
        expected = theirs[key].placement.homogeneous
        assert np.allclose(frame.placement.homogeneous(), expected, atol=1e-12)
