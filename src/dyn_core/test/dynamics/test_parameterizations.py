# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Other numbers for rotations, bodies and configurations, and laws that hold for every value."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from robots import load, relative_error
from test_integrators import acrobat

import dyn_core
from dyn_core import is_same_configuration
from dyn_core.spatial import (
    SE3,
    Force,
    Inertia,
    Motion,
    Symmetric3,
    Vector3,
    exp6,
    log_cholesky,
    rpy,
)
from dyn_core.spatial.lie import Circle, Placements, Plane, Product, Rotations, Space, VectorSpace
from dyn_core.spatial.scalars.dual_numbers import derivative_along


def test_rpy_vs_pinocchio() -> None:
    random = np.random.default_rng(0)
    for angles in random.uniform(-1.5, 1.5, (20, 3)):
        rotation = rpy.to_matrix(*angles)
        assert np.allclose(list(map(list, rotation.rows)), pin.rpy.rpyToMatrix(*angles), atol=1e-15)
        assert np.allclose(list(rpy.of_matrix(rotation)), angles, atol=1e-14)
        expected = pin.rpy.computeRpyJacobian(angles, pin.WORLD)
        assert np.allclose(list(map(list, rpy.jacobian(*angles).rows)), expected, atol=1e-15)


@pytest.mark.parametrize("pitch", [0.5 * np.pi, -0.5 * np.pi])
def test_rpy_at_a_right_angle_is_one_of_many(pitch: float) -> None:
    rotation = rpy.to_matrix(0.3, pitch, 0.8)
    again = rpy.to_matrix(*rpy.of_matrix(rotation))
    pairs = zip(rotation.rows, again.rows, strict=True)
    assert np.allclose([list(a - b) for a, b in pairs], 0.0, atol=1e-7)


def test_log_cholesky_parameters_vs_pinocchio() -> None:
    random = np.random.default_rng(0)
    for numbers in random.normal(size=(20, 10)):
        body = log_cholesky.to_inertia(numbers.tolist())
        theirs = pin.LogCholeskyParameters(numbers)
        assert relative_error(np.array(body.matrix(), float), theirs.toInertia().matrix()) < 1e-12
        assert log_cholesky.of_inertia(body) == pytest.approx(numbers.tolist(), abs=1e-8)

        def parameters(x: list) -> list:
            return list(log_cholesky.to_inertia(x).parameters)

        units = np.eye(10).tolist()
        slopes = [derivative_along(parameters, numbers.tolist(), unit) for unit in units]
        assert relative_error(np.array(slopes, float).T, theirs.calculateJacobian()) < 1e-10
    flat = Inertia.from_com(1.0, Vector3.zero(), Symmetric3(1.0, 0.0, 1.0, 0.0, 0.0, 2.0))
    with pytest.raises(ValueError, match="its pseudo-inertia is not positive definite"):
        log_cholesky.of_inertia(flat)


def test_a_configuration_is_the_same_whatever_its_quaternions_sign() -> None:
    model = acrobat(9.81)
    q = dyn_core.integrate(model, dyn_core.neutral(model), np.full(model.nv, 0.3))
    turned = q.copy()
    turned[3:7] *= -1.0
    assert is_same_configuration(model, q, turned)
    assert is_same_configuration(model, q, q + 1e-12)
    assert not is_same_configuration(model, q, dyn_core.neutral(model))
    assert is_same_configuration(model, q, dyn_core.neutral(model), tolerance=1.0)
    assert not is_same_configuration(model, q, q * np.nan)


@pytest.mark.parametrize("name", ["ur5", "talos"])
def test_relations_of_joints_vs_pinocchio(name: str) -> None:
    robot = load(name)
    pairs = ("children", "supports", "subtrees")
    for relation in pairs:
        theirs = [tuple(x) for x in getattr(robot.pin_model, relation)]
        ours = getattr(robot.model, relation)
        assert list(ours)[1:] == theirs[1:]
    assert robot.model.supports[0] == (0,)
    assert robot.model.subtrees[0] == tuple(robot.model.moving_joints)


SPACES = [VectorSpace(2), Circle(), Rotations(), Plane(), Placements()]
SPACES.append(Product(SPACES[:]))
FAR = 1e3


def vectors(size: int, largest: float = FAR) -> st.SearchStrategy[list[float]]:
    """Vectors of ordinary, tiny and exactly zero numbers."""
    number = st.floats(-largest, largest, allow_subnormal=False)
    return st.lists(number, min_size=size, max_size=size)


motions = vectors(6, 3.0).map(Motion.of)
placements = motions.map(exp6)


@st.composite
def elements(draw: st.DrawFn) -> tuple[Space, tuple[float, ...], list[float]]:
    """A space, an element of it and a tangent vector of at most a third of a turn."""
    space = draw(st.sampled_from(SPACES))
    q = space.integrate(space.neutral(), draw(vectors(space.nv, 10.0)))
    return space, q, draw(vectors(space.nv, 1.0))


def close(a: object, b: object, scale: float = 1.0) -> bool:
    return np.allclose(np.array(a), np.array(b), rtol=1e-9, atol=1e-9 * scale)


@given(placements, motions, motions)
def test_frames_do_not_change_power_nor_brackets(M: SE3, v: Motion, m: Motion) -> None:
    f = Force.of(list(m))
    scale = 1.0 + abs(v.dot(f))
    assert close(M.act_motion(v).dot(M.act_force(f)), v.dot(f), 100.0 * scale)
    bracket = M.act_motion(v).cross(M.act_motion(m))
    assert close(list(M.act_motion(v.cross(m))), list(bracket), 100.0)


@given(placements, placements)
def test_moving_an_inertia_twice_is_moving_it_once(A: SE3, B: SE3) -> None:
    body = Inertia.from_parameters([2.0, 0.1, -0.3, 0.2, 1.0, 0.1, 1.2, 0.0, -0.1, 0.9])
    twice = A.act_inertia(B.act_inertia(body))
    assert close(twice.parameters, (A * B).act_inertia(body).parameters, 100.0)
    assert close(A.act_inv_inertia(A.act_inertia(body)).parameters, body.parameters, 100.0)


@given(elements())
def test_difference_undoes_integrate(element: tuple[Space, tuple[float, ...], list[float]]) -> None:
    space, q, dv = element
    assert close(space.difference(q, space.integrate(q, dv)), dv, 10.0)
    assert close(space.difference(q, q), [0.0] * space.nv)
