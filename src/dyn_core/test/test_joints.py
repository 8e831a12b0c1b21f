"""The contract of joints, by finite differences and group laws."""

from __future__ import annotations

import numpy as np
import pytest

from dyn_core.joints import FreeFlyer, Joint, Prismatic, Revolute, RevoluteUnbounded
from dyn_core.spatial import SE3

JOINTS = [
    Revolute((1, 0, 0)),
    Revolute((0, 0, -1)),
    Revolute((1, -2, 3)),
    RevoluteUnbounded((0, 1, 0)),
    RevoluteUnbounded((3, 2, 1)),
    Prismatic((0, 1, 0)),
    Prismatic((-1, 1, 2)),
    FreeFlyer(),
]
RANDOM = np.random.default_rng(3)


@pytest.fixture(params=JOINTS, ids=repr)
def joint(request: pytest.FixtureRequest) -> Joint:
    return request.param


def configurations(joint: Joint, count: int = 10) -> list[tuple[float, ...]]:
    steps = RANDOM.normal(size=(count, joint.nv))
    return [joint.space.integrate(joint.space.neutral(), step.tolist()) for step in steps]


def matrix(placement: SE3) -> np.ndarray:
    return np.array(placement.homogeneous())


def hat(motion: np.ndarray) -> np.ndarray:
    """The 4x4 matrix of a spatial velocity."""
    v, (x, y, z) = motion[:3], motion[3:]
    return np.array([[0, -z, y, v[0]], [z, 0, -x, v[1]], [-y, x, 0, v[2]], [0, 0, 0, 0]])


def test_neutral_is_the_identity(joint: Joint) -> None:
    assert np.array_equal(matrix(joint.transform(joint.space.neutral())), np.eye(4))
    assert len(joint.space.neutral()) == joint.nq


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


def test_bias_is_zero_because_the_subspace_is_constant(joint: Joint) -> None:
    subspaces = [np.array([list(x) for x in joint.subspace(q)]) for q in configurations(joint)]
    assert all(np.array_equal(S, subspaces[0]) for S in subspaces)
    q, *_ = configurations(joint)
    assert list(joint.bias(q, [1.0] * joint.nv)) == [0.0] * 6


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-7, 1e-3, 0.1, 1.0, 1.7])
def test_difference_undoes_integrate(joint: Joint, size: float) -> None:
    """From no motion at all through every series to nearly half a turn."""
    for q in configurations(joint):
        direction = RANDOM.normal(size=joint.nv)
        dv = size * direction / np.linalg.norm(direction) * np.sqrt(min(3, joint.nv))
        back = joint.space.difference(q, joint.space.integrate(q, dv.tolist()))
        assert np.allclose(back, dv, rtol=1e-9, atol=1e-15 + 1e-13 * size)


def test_integrating_twice_half_way_is_integrating_once(joint: Joint) -> None:
    for q in configurations(joint):
        dv = RANDOM.normal(size=joint.nv)
        half = joint.space.integrate(joint.space.integrate(q, (dv / 2).tolist()), (dv / 2).tolist())
        once = joint.transform(joint.space.integrate(q, dv.tolist()))
        assert np.allclose(matrix(joint.transform(half)), matrix(once), atol=1e-12)


def test_many_small_steps_stay_on_the_manifold() -> None:
    flyer, turner = FreeFlyer().space, RevoluteUnbounded().space
    q, c = flyer.neutral(), turner.neutral()
    for _ in range(20_000):
        q = flyer.integrate(q, (0.0, 0.0, 0.0, 0.1, -0.2, 0.3))
        c = turner.integrate(c, (0.7,))
    assert abs(np.linalg.norm(q[3:]) - 1.0) < 1e-15
    assert abs(np.hypot(*c) - 1.0) < 1e-15


@pytest.mark.parametrize(
    ("axis", "words"), [((0, 0, 0), "length"), ((1, 0), "three"), ((np.nan, 0, 1), "finite")]
)
@pytest.mark.parametrize("kind", [Revolute, RevoluteUnbounded, Prismatic])
def test_useless_axes_are_refused(kind: type, axis, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        kind(axis)
