# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The pose error from one placement to another, for one pair or many."""

from __future__ import annotations

import math

import numpy as np

from dyn_core.model.model import FloatArray
from dyn_core.model.value_checks import numbers

ROTATION_TOLERANCE = 1e-6
"""By which a rotation matrix may not be orthonormal."""
MIN_SINE = 1e-150
"""Instead of a sine of zero: no turn is none about any axis."""
SKEW_AND_COSINE = np.zeros((9, 4))
"""Of a rotation's nine entries: its skew part, and half its trace."""
SKEW_AND_COSINE[(7, 2, 3), (0, 1, 2)], SKEW_AND_COSINE[(5, 6, 1), (0, 1, 2)] = 0.5, -0.5
SKEW_AND_COSINE[(0, 4, 8), 3] = 0.5
HALF_TURN_COSINE = -0.9
"""Cosine of the angle from which on the axis comes from the quaternion."""


def pose_error(placement: FloatArray, target: FloatArray) -> FloatArray:
    """The motion (..., 6) between pairs of placements (..., 4, 4): m, then rad about one axis.

    Along the axes of the world: a frame that moves along it goes straight and turns about one axis.

    Raises:
        ValueError: the two have different shapes, or another one.
    """
    if placement.shape != target.shape or placement.shape[-2:] != (4, 4):
        shapes = f"{placement.shape} and {target.shape}"
        raise ValueError(f"a pose error needs two placements (..., 4, 4), not {shapes}")
    turn = target[..., :3, :3] @ placement[..., :3, :3].swapaxes(-1, -2)
    error: FloatArray = np.empty((*turn.shape[:-2], 6))
    error[..., :3] = target[..., :3, 3] - placement[..., :3, 3]
    error[..., 3:] = rotation_vectors(turn) if turn.ndim > 2 else _rotation_vector(turn)
    return error


def rotation_vectors(rotations: FloatArray) -> FloatArray:
    """The rotation vectors (..., 3) of rotation matrices (..., 3, 3), rad, at most pi long.

    The skew part of a rotation is its axis times the sine, which says little of the axis near half
    a turn; there it comes from the quaternion.
    """
    R = rotations.reshape(-1, 9)
    parts = R @ SKEW_AND_COSINE
    skew, cosine = parts[:, :3], parts[:, 3] - 0.5
    sine = np.sqrt(np.einsum("bi,bi->b", skew, skew))
    vectors: FloatArray = skew * (np.arctan2(sine, cosine) / np.maximum(sine, MIN_SINE))[:, None]
    if cosine.min(initial=1.0) < HALF_TURN_COSINE:
        far = cosine < HALF_TURN_COSINE
        vectors[far] = _by_quaternion(R[far])
    return vectors.reshape(rotations.shape[:-1])


def _rotation_vector(rotation: FloatArray) -> FloatArray | list[float]:
    """That of one matrix (3, 3), without arrays of one entry."""
    x, y, z, cosine = (rotation.ravel() @ SKEW_AND_COSINE).tolist()
    cosine -= 0.5
    if cosine < HALF_TURN_COSINE:
        return rotation_vectors(rotation)
    sine = math.sqrt(x * x + y * y + z * z)
    scale = math.atan2(sine, cosine) / max(sine, MIN_SINE)
    return [x * scale, y * scale, z * scale]


def _by_quaternion(R: FloatArray) -> FloatArray:
    """Rotation vectors (B, 3) of rows (B, 9), by the largest of a quaternion (Shepperd 1978)."""
    x, y, z = R[:, 0], R[:, 4], R[:, 8]
    yx, zx, zy = R[:, 3] + R[:, 1], R[:, 6] + R[:, 2], R[:, 7] + R[:, 5]
    wx, wy, wz = R[:, 7] - R[:, 5], R[:, 2] - R[:, 6], R[:, 3] - R[:, 1]
    products = np.array([
        [1.0 + x - y - z, yx, zx, wx], [yx, 1.0 - x + y - z, zy, wy],
        [zx, zy, 1.0 - x - y + z, wz], [wx, wy, wz, 1.0 + x + y + z],
    ])  # fmt: skip
    largest = np.argmax(np.einsum("iib->ib", products), axis=0)
    quaternion = products[largest, :, np.arange(len(R))]
    quaternion = np.where(quaternion[:, 3:] < 0.0, -quaternion, quaternion)
    length = np.linalg.norm(quaternion[:, :3], axis=1)
    angle = 2.0 * np.arctan2(length, quaternion[:, 3])
    result: FloatArray = quaternion[:, :3] * (angle / length)[:, None]
    return result


def checked(what: str, array: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Finite numbers of a shape, as an array of float64.

    Raises:
        ValueError: they are not; the message begins with ``what``.
    """
    found = np.asarray(array)
    if found.dtype != np.float64:  # else nothing is converted: loops come here in each cycle
        found = numbers(what, found, shape)
    flat = found.ravel()
    if found.shape != shape or not (math.isfinite(flat.dot(flat)) or np.isfinite(flat).all()):
        raise ValueError(f"{what} must be finite numbers of shape {shape}")
    return found


def checked_placement(what: str, array: FloatArray) -> FloatArray:
    """A homogeneous matrix (4, 4) whose rotation is one.

    Raises:
        ValueError: it is not.
    """
    placement = checked(what, array, (4, 4))
    (a, b, c, _), (d, e, f, _), (g, h, i, _), _ = placement.tolist()
    off = max(
        abs(a * a + b * b + c * c - 1.0), abs(a * d + b * e + c * f),
        abs(d * d + e * e + f * f - 1.0), abs(d * g + e * h + f * i),
        abs(g * g + h * h + i * i - 1.0), abs(g * a + h * b + i * c),
    )  # fmt: skip
    determinant = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    if off > ROTATION_TOLERANCE or determinant < 0.0:
        raise ValueError(f"{what} must be a placement, its rotation orthonormal")
    return placement
