# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Spatial algebra against 6x6 matrices, points of bodies and the laws that frames obey."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import random_placement

from dyn_core.spatial import (
    SE3,
    ArticulatedInertia,
    BodyMotion,
    Force,
    Inertia,
    Matrix3,
    Motion,
    Symmetric3,
    Vector3,
    quaternion,
)

RANDOM = np.random.default_rng(5)


def vector() -> Vector3:
    return Vector3.of(RANDOM.normal(size=3).tolist())


def motion() -> Motion:
    return Motion(vector(), vector())


def force() -> Force:
    return Force(vector(), vector())


def placement() -> SE3:
    x, y, z, w = quaternion.exp(vector())
    return SE3(Matrix3.quaternion(x, y, z, w), vector())


def symmetric() -> Symmetric3:
    return Symmetric3(*RANDOM.normal(size=6).tolist())


def inertia() -> Inertia:
    """A physical body: the spread of some points around their centre."""
    points = RANDOM.normal(size=(8, 3))
    spread = sum((Symmetric3.minus_skew_squared(Vector3(*p)) for p in points), Symmetric3.zero())
    return Inertia.from_com(3.0, vector(), spread)


def articulated() -> ArticulatedInertia:
    rows = RANDOM.normal(size=(3, 3)).tolist()
    return ArticulatedInertia(symmetric(), Matrix3.of(rows), symmetric())


def array(x: object) -> np.ndarray:
    return np.array([float(entry) for entry in x])  # type: ignore[attr-defined]


def columns(apply) -> np.ndarray:
    """The 6x6 matrix of a linear map of motions."""
    return np.array([array(apply(Motion.basis(k))) for k in range(6)]).T


def test_cross_products_are_dual() -> None:
    """``(v x m) . f = -m . (v x* f)``."""
    for _ in range(10):
        v, m, f = motion(), motion(), force()
        assert v.cross(m).dot(f) == pytest.approx(-m.dot(v.cross_force(f)))


@pytest.mark.parametrize("make", [inertia, articulated])
def test_inertias_move_with_their_frame(make) -> None:
    """``(X I) (X v) = X (I v)``: a body's momentum is the same in all frames."""
    for _ in range(10):
        M, body, v = placement(), make(), motion()
        act = M.act_inertia if isinstance(body, Inertia) else M.act_articulated
        there = act(body).apply(M.act_motion(v))
        assert np.allclose(array(there), array(M.act_force(body.apply(v))))


def test_inertia_as_a_matrix_is_symmetric_and_its_articulated_form_the_same() -> None:
    body = inertia()
    full = columns(body.apply)
    assert np.allclose(full, full.T)
    assert np.allclose(columns(ArticulatedInertia.of_body(body).apply), full)


def test_minus_outer() -> None:
    IA, F = articulated(), force()
    reduced = columns(IA.minus_outer(F * 0.5, F).apply)
    assert np.allclose(reduced, columns(IA.apply) - 0.5 * np.outer(array(F), array(F)))


def test_an_inertia_that_vanishes_along_axes_is_exactly_zero_there() -> None:
    IA, oblique = articulated(), Motion.of([0.6, 0.8, 0.0, 0.0, 0.0, 0.0])
    masked = columns(IA.apply)
    masked[[1, 5]] = 0.0
    masked[:, [1, 5]] = 0.0
    found = IA.vanishing_along([Motion.basis(1), oblique, Motion.basis(5)])
    assert np.array_equal(columns(found.apply), masked)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-5, 0.01, 0.5, 3.0, np.pi - 1e-9])
def test_quaternion_log_undoes_exp(angle: float) -> None:
    for sign in (1.0, -1.0):
        direction = RANDOM.normal(size=3)
        w = Vector3(*(angle * direction / np.linalg.norm(direction)))
        both = [sign * x for x in quaternion.exp(w)]  # q and -q are one rotation
        assert np.allclose(array(quaternion.log(tuple(both))), array(w), rtol=1e-9, atol=1e-15)


def test_six_by_six_forms_are_the_operations() -> None:
    """Actions, their duals and the cross products, as matrices and as functions, and inverses."""
    M, v, m, f, point = placement(), motion(), motion(), force(), vector()
    assert np.allclose(np.array(M.action()) @ array(v), array(M.act_motion(v)))
    assert np.allclose(np.array(M.dual_action()) @ array(f), array(M.act_force(f)))
    assert np.allclose(np.array(M.dual_action()), np.linalg.inv(np.array(M.action())).T)
    assert np.allclose(np.array(v.cross_matrix()) @ array(m), array(v.cross(m)))
    assert np.allclose(np.array(v.cross_force_matrix()) @ array(f), array(v.cross_force(f)))
    assert np.allclose(np.array(v.cross_force_matrix()), -np.array(v.cross_matrix()).T)
    assert np.allclose(array(M.act_inv_force(M.act_force(f))), array(f))
    assert np.allclose(array(M.act_inv_point(M.act_point(point))), array(point))


SEEDS = range(5)


def drawn(random: np.random.Generator) -> Vector3:
    return Vector3(*random.normal(size=3).tolist())


def spatial(motion: BodyMotion, v: Vector3) -> Motion:
    """The spatial acceleration of a body whose origin has the velocity ``v``."""
    return Motion(motion.origin - motion.w.cross(v), motion.alpha)


@pytest.mark.parametrize("seed", SEEDS)
def test_force_is_the_sum_over_the_points_of_a_body(seed: int) -> None:
    random = np.random.default_rng(seed)
    motion = BodyMotion(drawn(random), drawn(random), drawn(random))
    body, force, moment = Inertia.zero(), Vector3.zero(), Vector3.zero()
    for mass in random.uniform(0.1, 1.0, size=6).tolist():
        r = drawn(random)
        body = body + Inertia.from_com(mass, r, Symmetric3.zero())
        turning = motion.alpha.cross(r) + motion.w.cross(motion.w.cross(r))
        assert list(motion.gradient.apply(r)) == pytest.approx(list(turning))
        pull = (motion.origin + turning) * mass
        force, moment = force + pull, moment + r.cross(pull)
    assert list(motion.force(body)) == pytest.approx([*force, *moment])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_carried_body_moves_by_spatial_vectors(seed: int) -> None:
    """``a = X a_p + aJ + v x vJ`` (Featherstone 2008, equation 5.8)."""
    random = np.random.default_rng(seed)
    place, v_p = random_placement(random), Motion(drawn(random), drawn(random))
    vJ, aJ = (Motion(drawn(random), drawn(random)) for _ in range(2))
    carrier = BodyMotion(v_p.angular, drawn(random), drawn(random))
    v = place.act_inv_motion(v_p) + vJ
    expected = place.act_inv_motion(spatial(carrier, v_p.linear)) + aJ + v.cross(vJ)
    carried = carrier.carried(place, vJ, aJ)
    assert list(carried.w) == pytest.approx(list(v.angular))
    assert list(spatial(carried, v.linear)) == pytest.approx(list(expected))
