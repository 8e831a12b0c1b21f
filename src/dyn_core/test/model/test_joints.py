# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The contract of joints, by finite differences and group laws."""

from __future__ import annotations

import numpy as np
import pytest

from dyn_core.joints import (
    Composite,
    Ellipsoid,
    Fixed,
    Freedom,
    FreeFlyer,
    Helical,
    Joint,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    RevoluteUnbounded,
    Spherical,
    SphericalZYX,
    Translation,
    Universal,
)
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3, exp6

RANDOM = np.random.default_rng(3)
JOINTS = [
    Fixed(),
    Revolute((1, 0, 0)),
    Revolute((0, 0, -1)),
    Revolute((1, -2, 3)),
    RevoluteUnbounded((0, 1, 0)),
    RevoluteUnbounded((3, 2, 1)),
    Prismatic((0, 1, 0)),
    Prismatic((-1, 1, 2)),
    FreeFlyer(),
    Spherical(),
    SphericalZYX(),
    Translation(),
    Planar(),
    Planar((1, 0, 0)),
    Planar((1, 2, -3)),
    Universal(),
    Universal((1, 2, 3), (0, 1, 1)),
    Helical((0, 0, 1), 0.2),
    Helical((1, 1, -1), -0.3),
    Ellipsoid(0.3, 0.2, 0.1),
    Composite([Revolute((1, 0, 0)), Prismatic((0, 1, 0))]),
    Composite(
        [Universal(), Spherical(), RevoluteUnbounded((1, 2, 3)), Helical((0, 1, 0), 0.1)],
        [exp6(Motion.of(twist)) for twist in RANDOM.normal(size=(4, 6)).tolist()],
    ),
    Mimic(Revolute((1, 2, 3)), -2.0, 0.4),
    Mimic(Helical((0, 1, 0), 0.3), 0.5, -0.1),
]
REVERSIBLE = [joint for joint in JOINTS if type(joint).reverse is not Joint.reverse]


@pytest.fixture(params=JOINTS, ids=repr)
def joint(request: pytest.FixtureRequest) -> Joint:
    return request.param


def configurations(joint: Joint, count: int = 10) -> list[tuple[float, ...]]:
    steps = RANDOM.normal(size=(count, joint.nv))
    return [joint.space.integrate(joint.space.neutral(), step.tolist()) for step in steps]


def has_moving_subspace(joint: Joint) -> bool:
    """Whether the motion subspace depends on the configuration, by looking at some."""
    columns = [[list(column) for column in joint.subspace(q)] for q in configurations(joint, 3)]
    return any(other != columns[0] for other in columns)


def matrix(placement: SE3) -> np.ndarray:
    return np.array(placement.homogeneous())


def hat(motion: np.ndarray) -> np.ndarray:
    """The 4x4 matrix of a spatial velocity."""
    v, (x, y, z) = motion[:3], motion[3:]
    return np.array([[0, -z, y, v[0]], [z, 0, -x, v[1]], [-y, x, 0, v[2]], [0, 0, 0, 0]])


def test_the_declared_motion_class_is_its_subspace(joint: Joint) -> None:
    """What says that it turns or slides is regrouped as such, its axis turned to z."""
    if joint.motion_class is Freedom.ANY:
        return
    for q in configurations(joint):
        columns, turns = joint.subspace(q), joint.motion_class is Freedom.TURN
        if joint.motion_class is Freedom.NONE:
            assert columns == ()
            continue
        (column,) = (list(x) for x in columns)
        axis = [joint.ratio * x for x in joint.axis]
        assert column == ([0.0] * 3 + axis if turns else axis + [0.0] * 3)
        turned = joint.with_axis(Vector3(0.0, 0.0, 1.0))
        assert (type(turned), list(turned.axis)) == (type(joint), [0.0, 0.0, 1.0])


def test_neutral_is_the_identity_of_simple_joints(joint: Joint) -> None:
    assert len(joint.space.neutral()) == joint.nq
    if isinstance(joint, (Ellipsoid, Mimic)) or (isinstance(joint, Composite) and joint.nv > 2):
        return  # at the pole of the ellipsoid, at the offset, at the placements
    assert np.array_equal(matrix(joint.transform(joint.space.neutral())), np.eye(4))


def test_subspace_is_the_derivative_of_the_transform(joint: Joint) -> None:
    """``dM/dt = M hat(S v)`` along ``q (+) v t``."""
    h = 1e-6
    for q in configurations(joint):
        M = matrix(joint.transform(q))
        assert len(joint.subspace(q)) == joint.nv
        for k, column in enumerate(joint.subspace(q)):
            step = h * np.eye(joint.nv)[k]
            ahead = matrix(joint.transform(joint.space.integrate(q, step.tolist())))
            behind = matrix(joint.transform(joint.space.integrate(q, (-step).tolist())))
            expected = M @ hat(np.array(list(column)))
            assert np.allclose((ahead - behind) / (2.0 * h), expected, atol=1e-8)


def test_velocity_is_the_subspace_times_v(joint: Joint) -> None:
    for q in configurations(joint):
        v = RANDOM.normal(size=joint.nv)
        S = np.array([list(column) for column in joint.subspace(q)]).T
        assert np.allclose(list(joint.velocity(q, v.tolist())), S @ v)


def test_bias_is_the_rate_of_the_subspace(joint: Joint) -> None:
    """``dS/dt v`` by finite differences of S along the motion."""
    h = 1e-6
    for q in configurations(joint):
        v = RANDOM.normal(size=joint.nv)
        ahead, behind = (
            joint.velocity(joint.space.integrate(q, (step * v).tolist()), v.tolist())
            for step in (h, -h)
        )
        expected = (np.array(list(ahead)) - np.array(list(behind))) / (2.0 * h)
        assert np.allclose(list(joint.bias(q, v.tolist())), expected, atol=1e-8)
        if not has_moving_subspace(joint):
            assert list(joint.bias(q, v.tolist())) == [0.0] * 6


def test_bias_in_closed_form_equals_bias_by_dual_numbers(joint: Joint) -> None:
    for q in configurations(joint):
        v = RANDOM.normal(size=joint.nv).tolist()
        assert np.allclose(list(joint.bias(q, v)), list(joint.moving_bias(q, v)), atol=1e-13)


def same_motion(one: Joint, other: Joint) -> None:
    """Both joints do the same at the same coordinates."""
    for _ in range(5):
        q, v = RANDOM.normal(size=(2, one.nv)).tolist()
        assert np.allclose(matrix(one.transform(q)), matrix(other.transform(q)), atol=1e-14)
        for a, b in zip(one.subspace(q), other.subspace(q), strict=True):
            assert np.allclose(list(a), list(b), atol=1e-14)
        assert np.allclose(list(one.bias(q, v)), list(other.bias(q, v)), atol=1e-13)


def test_ellipsoid_is_a_point_on_its_surface_turned_about_x_y_z() -> None:
    """Of equal radii it is three revolutes with a lever; of no radii only the revolutes."""
    turns = [Revolute(axis) for axis in np.eye(3)]
    same_motion(Ellipsoid(0.0, 0.0, 0.0), Composite(turns))
    lever = SE3(Matrix3.identity(), Vector3(0.0, 0.0, 0.2))
    ball = Composite([*turns[:2], turns[2]], [SE3.identity(), SE3.identity(), lever])
    same_motion(Ellipsoid(0.2, 0.2, 0.2), ball)
    radii = np.array([0.3, 0.2, 0.1])
    for q in configurations(Ellipsoid(*radii)):
        p = np.array(list(Ellipsoid(*radii).transform(q).translation))
        assert np.sum((p / radii) ** 2) == pytest.approx(1.0)


@pytest.mark.parametrize("joint", REVERSIBLE, ids=repr)
def test_reversed_joint_is_the_inverse(joint: Joint) -> None:
    turned = joint.reverse()
    for q in configurations(joint):
        back_q = turned.configuration(q)
        assert len(back_q) == turned.joint.nq
        inverse = turned.joint.transform(back_q) * turned.after
        assert np.allclose(matrix(inverse), matrix(joint.transform(q).inverse()), atol=1e-13)


def test_an_ellipsoid_cannot_be_reversed() -> None:
    with pytest.raises(NotImplementedError, match="Ellipsoid joint cannot be reversed"):
        Ellipsoid().reverse()


def test_many_small_steps_stay_on_the_manifold() -> None:
    flyer, turner = FreeFlyer().space, RevoluteUnbounded().space
    q, c = flyer.neutral(), turner.neutral()
    for _ in range(20_000):
        q = flyer.integrate(q, (0.0, 0.0, 0.0, 0.1, -0.2, 0.3))
        c = turner.integrate(c, (0.7,))
    assert abs(np.linalg.norm(q[3:]) - 1.0) < 1e-15
    assert abs(np.hypot(*c) - 1.0) < 1e-15


@pytest.mark.parametrize(
    ("axis", "words"),
    [((0, 0, 0), "length"), ((1, 0), "3 finite numbers"), ((np.nan, 0, 1), "finite")],
)
@pytest.mark.parametrize("kind", [Revolute, RevoluteUnbounded, Prismatic])
def test_useless_axes_are_refused(kind: type, axis, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        kind(axis)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Universal((1, 0, 0), (-1, 0, 0)), "parallel"),
        (lambda: Ellipsoid(0.1, -0.1, 0.1), "negative"),
        (lambda: Ellipsoid(float("nan")), "radii"),
        (lambda: Composite([]), "at least one part"),
        (lambda: Composite([Revolute()], [SE3.identity()] * 2), "1 parts need as many"),
        (lambda: Mimic(FreeFlyer()), "FreeFlyer joint cannot follow"),
        (lambda: Mimic(RevoluteUnbounded(), 0.5), "full turns are not counted"),
        (lambda: Mimic(Revolute(), float("inf")), "multiplier must be a finite number"),
        (lambda: Helical((0, 0, 1), float("nan")), "pitch"),
    ],
)
def test_useless_parameters_are_refused(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()
