# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Spatial algebra and bodies: 6x6 matrices, points of bodies, and the laws that frames obey."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
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
    objection,
    quaternion,
)
from dyn_core.spatial import uniform_solids as bodies

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


POINTS = np.random.default_rng(12)


def random_body() -> Inertia:
    """Ten parameters that need not be those of a possible body."""
    parameters = pin.Inertia.Random().toDynamicParameters()
    return Inertia.from_parameters(parameters.tolist())


def in_pinocchio(body: Inertia) -> pin.Inertia:
    at_com = np.array([list(row) for row in body.at_com.rows])
    return pin.Inertia(body.mass, np.array(list(body.com)), at_com)


def test_ten_parameters_matrix_and_pseudo_inertia_vs_pinocchio() -> None:
    for _ in range(5):
        body = random_body()
        theirs = in_pinocchio(body)
        assert np.allclose(body.parameters, theirs.toDynamicParameters())
        assert np.allclose(body.matrix(), theirs.matrix())
        assert np.allclose(body.pseudo_inertia(), theirs.toPseudoInertia().toMatrix())


@pytest.mark.parametrize(
    ("to", "back"),
    [
        (Inertia.pseudo_inertia, Inertia.from_pseudo_inertia),
        (Inertia.matrix, Inertia.from_matrix),
        (lambda body: body.parameters, Inertia.from_parameters),
        (lambda body: body, lambda body: Inertia.from_com(body.mass, body.com, body.at_com)),
        (
            lambda body: body,
            lambda body: Inertia.from_com(body.mass, tuple(body.com), body.at_com.entries),
        ),
    ],
    ids=["pseudo-inertia", "6x6", "parameters", "centre of mass", "plain numbers"],
)
def test_forms_convert_back(to, back) -> None:
    body = random_body()
    assert np.allclose(back(to(body)).parameters, body.parameters)


SHAPES = {
    "box": (bodies.box(2.0, 0.1, 0.2, 0.3), pin.Inertia.FromBox(2.0, 0.1, 0.2, 0.3)),
    "sphere": (bodies.sphere(2.0, 0.3), pin.Inertia.FromSphere(2.0, 0.3)),
    "cylinder": (bodies.cylinder(2.0, 0.1, 0.5), pin.Inertia.FromCylinder(2.0, 0.1, 0.5)),
    "capsule": (bodies.capsule(2.0, 0.1, 0.5), pin.Inertia.FromCapsule(2.0, 0.1, 0.5)),
    "ellipsoid": (
        bodies.ellipsoid(2.0, 0.1, 0.2, 0.3),
        pin.Inertia.FromEllipsoid(2.0, 0.1, 0.2, 0.3),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_solid_bodies_vs_pinocchio(shape: str) -> None:
    ours, theirs = SHAPES[shape]
    assert np.allclose(ours.parameters, theirs.toDynamicParameters())
    assert objection(ours) is None


def test_a_capsule_without_length_is_a_sphere_and_without_radius_a_rod() -> None:
    ball = bodies.capsule(3.0, 0.2, 0.0)
    assert np.allclose(ball.parameters, bodies.sphere(3.0, 0.2).parameters)
    assert bodies.capsule(3.0, 0.0, 0.0).mass == 3.0


def at_com(*moments: float) -> Inertia:
    x, y, z = moments
    return Inertia.from_com(1.0, Vector3(0.1, 0.2, 0.3), Symmetric3(x, 0.0, y, 0.0, 0.0, z))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (Inertia.zero(), "the mass is 0 kg; it must be positive"),
        (Inertia.from_com(-1.0, Vector3.zero(), Symmetric3.scalar(1.0)), "mass is -1 kg"),
        (at_com(1.0, 1.0, 2.1), "moments are 1, 1, 2.1 .* exceed the sum"),
        (at_com(-1.0, 1.0, 1.0), "moments are -1, 1, 1 .* negative"),
        (at_com(float("nan"), 1.0, 1.0), "not finite"),
    ],
)
def test_impossible_bodies_are_explained(body: Inertia, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(objection(body))


@pytest.mark.parametrize("axis", range(3))
def test_a_point_mass_on_an_axis_can_exist_in_spite_of_rounding(axis: int) -> None:
    for mass, distance in np.random.default_rng(2).uniform(0.0, 5.0, (200, 2)):
        place = [distance if i == axis else 0.0 for i in range(3)]
        assert objection(Inertia.from_com(mass, Vector3.of(place), Symmetric3.zero())) is None


def test_possible_bodies_are_accepted_up_to_the_limit() -> None:
    for _ in range(20):
        points = POINTS.normal(size=(4, 3))
        cloud = [Inertia.from_com(1.0, Vector3(*p), Symmetric3.zero()) for p in points]
        assert objection(sum(cloud, Inertia.zero())) is None
    assert objection(at_com(1.0, 1.0, 2.0)) is None
    assert objection(at_com(0.0, 1.0, 1.0)) is None
