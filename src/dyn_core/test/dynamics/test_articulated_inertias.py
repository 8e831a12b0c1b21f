# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Articulated-body inertias: against Pinocchio, and by what they are."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from covering import covers
from robots import load, relative_error
from test_integrators import acrobat

import dyn_core
from dyn_core import LOCAL, WORLD, Model, ModelError, articulated_inertias


@covers(articulated_inertias)
@pytest.mark.parametrize("name", ["ur5", "hyq"])
def test_articulated_inertias_vs_pinocchio(name: str) -> None:
    """Pinocchio keeps them with the joint projected out where another joint carries it."""
    robot = load(name)
    data = robot.pin_model.createData()
    for s in robot.states(20):
        pin.aba(robot.pin_model, data, s["q"], s["v"], s["tau"], pin.Convention.LOCAL)
        actual = articulated_inertias(robot.model, s["q"])
        for i in robot.model.moving_joints:
            expected = data.Yaba[i]
            if robot.model.parents[i]:
                joint = robot.model.joints[i]
                columns = joint.subspace(robot.model.q_of(i, s["q"].tolist()))
                S = np.array([list(column) for column in columns], dtype=float).T
                U = actual[i] @ S
                D = S.T @ U + np.diag(robot.model.tree[i].limits.armature)
                assert np.abs(actual[i] - U @ np.linalg.solve(D, U.T) - expected).max() < 1e-9
            else:
                assert relative_error(actual[i], expected) < 1e-10


def test_a_free_base_feels_the_inverse_of_its_mobility() -> None:
    """``IA`` of the first body is its operational-space inertia, in both references."""
    model = acrobat(9.81)
    random = np.random.default_rng(0)
    base = model.names[1]
    for _ in range(5):
        q = dyn_core.integrate(model, dyn_core.neutral(model), random.normal(size=model.nv))
        for reference in (LOCAL, WORLD):
            J = dyn_core.joint_jacobian.request(base, reference)(model, q)
            mobility = J @ dyn_core.minverse(model, q) @ J.T
            actual = articulated_inertias.request(reference)(model, q)[1]
            assert relative_error(actual @ mobility, np.eye(6)) < 1e-9


def test_bodies_that_share_a_coordinate_are_refused_by_name() -> None:
    text = """<robot name="two"><link name="a"/>{}{}</robot>""".format(
        *(
            f"""<link name="{child}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0"
            iyy="1" iyz="0" izz="1"/></inertial></link><joint name="{name}" type="revolute">
            <parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 1"/>
            <limit effort="1" velocity="1" lower="-1" upper="1"/>{mimic}</joint>"""
            for name, parent, child, mimic in (
                ("lead", "a", "b", ""),
                ("follow", "b", "c", '<mimic joint="lead"/>'),
            )
        )
    )
    with pytest.raises(ModelError, match="'two' has the mimic joints follow, so its bodies"):
        articulated_inertias(Model.from_urdf(text), np.zeros(1))
