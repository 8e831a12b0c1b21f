# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The equivalent robot: the same efforts and motion of joints from fewer numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from robots import load, relative_error

import dyn_core
from dyn_core import Model
from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.pipeline import program
from dyn_core.joints import Freedom, Joint, Revolute
from dyn_core.model.joints.axis_joint import unit_axis
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3
from dyn_core.spatial.lie import VectorSpace
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars.functions import cos, sin


class Hinge(Joint):
    """A user's own, of no kind of ours, that says what it lets move."""

    space = VectorSpace(1)
    freedom = Freedom.TURN

    def __init__(self, axis: Sequence[float]) -> None:
        self.axis = unit_axis(axis)

    @property
    def parameters(self) -> dict[str, object]:
        return {"axis": list(self.axis)}

    def transform(self, q: Sequence[Scalar]) -> SE3:
        return SE3(Matrix3.axis_angle(self.axis, cos(q[0]), sin(q[0])), Vector3.zero())

    def subspace(self, q: Sequence[Scalar]) -> tuple[Motion, ...]:
        return (Motion(Vector3.zero(), self.axis),)


class Silent(Hinge):
    """A joint of unknown motion."""


def test_a_joint_of_the_users_own_joins_in_if_it_declares_its_motion_class() -> None:
    model = load("ur5").model
    turned = [(entry, entry.joint.axis) for entry in model.tree[1:]]

    def with_hinges(kind: type[Joint]) -> Model:
        tree = [replace(entry, joint=kind(list(axis))) for entry, axis in turned]
        return replace(model, tree=(model.tree[0], *tree))

    ours, says, silent = (with_hinges(kind) for kind in (Revolute, Hinge, Silent))
    assert Hinge((0.0, 1.0, 0.0)).motion_class is Freedom.TURN
    assert Silent((0.0, 1.0, 0.0)).motion_class is Freedom.ANY
    request = [dyn_core.rnea.request()]
    costs = [count(program(robot, request))["total"] for robot in (ours, says, silent)]
    assert costs[0] == costs[1] < costs[2]
    q, v, a = np.random.default_rng(0).normal(size=(3, 6))
    expected = dyn_core.rnea(ours, q, v, a)
    for robot in (says, silent):
        assert relative_error(dyn_core.rnea(robot, q, v, a), expected) < 1e-13
