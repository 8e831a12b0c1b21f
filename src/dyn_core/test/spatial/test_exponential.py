# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Exponential, logarithm and their Jacobians: against Pinocchio, and against each other."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from dyn_core.spatial import (
    SE3,
    Matrix3,
    Motion,
    Vector3,
    exp3,
    exp6,
    jexp3,
    jexp6,
    jlog3,
    jlog6,
    log3,
    log6,
)

ANGLES = [
    0.0,
    1e-12,
    1e-7,
    1e-4,
    0.01,
    0.099,
    0.101,
    0.31,
    0.32,
    0.99,
    1.01,
    2.0,
    3.0,
    np.pi - 1e-6,
]
"""Both sides of every limit between a series and its closed form, up to half a turn."""
RANDOM = np.random.default_rng(11)


def twist(angle: float) -> np.ndarray:
    """A motion with a rotation by ``angle``."""
    direction = RANDOM.normal(size=3)
    return np.r_[RANDOM.normal(size=3), angle * direction / np.linalg.norm(direction)]


def dense(matrix: Matrix3) -> np.ndarray:
    return np.array([list(row) for row in matrix.rows])


def entries(motion: Motion) -> np.ndarray:
    return np.array(list(motion))


@pytest.mark.parametrize("angle", ANGLES)
def test_vs_pinocchio(angle: float) -> None:
    for _ in range(5):
        t = twist(angle)
        w, motion = Vector3(*t[3:]), Motion.of(t.tolist())
        assert np.allclose(dense(exp3(w)), pin.exp3(t[3:]), rtol=0.0, atol=1e-14)
        assert np.allclose(
            exp6(motion).homogeneous(), pin.exp6(pin.Motion(t)).homogeneous, atol=1e-13
        )
        assert np.allclose(dense(jexp3(w)), pin.Jexp3(t[3:]), rtol=0.0, atol=1e-10)
        assert np.allclose(jexp6(motion), pin.Jexp6(pin.Motion(t)), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("angle", ANGLES)
def test_log_undoes_exp(angle: float) -> None:
    for _ in range(5):
        t = twist(angle)
        assert np.allclose(list(log3(exp3(Vector3(*t[3:])))), t[3:], rtol=1e-9, atol=1e-14)
        assert np.allclose(entries(log6(exp6(Motion.of(t.tolist())))), t, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("angle", ANGLES)
def test_jacobians_of_log_and_exp_are_inverse(angle: float) -> None:
    t = twist(angle)
    w, motion = Vector3(*t[3:]), Motion.of(t.tolist())
    assert np.allclose(dense(jexp3(w)) @ dense(jlog3(w)), np.eye(3), atol=1e-12)
    assert np.allclose(np.array(jexp6(motion)) @ np.array(jlog6(motion)), np.eye(6), atol=1e-12)


def test_log_of_half_turns() -> None:
    """At pi the sign of the axis is free; the rotation must come back."""
    for axis in [*np.eye(3), *RANDOM.normal(size=(10, 3))]:
        w = np.pi * axis / np.linalg.norm(axis)
        R = exp3(Vector3(*w))
        back = log3(R)
        assert np.sqrt(back.dot(back)) == pytest.approx(np.pi)
        assert np.allclose(dense(exp3(back)), dense(R), atol=1e-14)


def test_small_motions_keep_their_last_digits() -> None:
    """Neither exp nor log loses a small motion in rounding."""
    t = 1e-9 * RANDOM.normal(size=6)
    M = exp6(Motion.of(t.tolist()))
    assert np.allclose(entries(log6(M)), t, rtol=1e-7, atol=1e-24)
    assert np.allclose(entries(log6(SE3.identity())), np.zeros(6), atol=0.0)
