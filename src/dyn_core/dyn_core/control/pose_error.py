"""What is left from one placement to another, for one or many of them."""

from __future__ import annotations

import numpy as np

from dyn_core.model.model import FloatArray

ROTATION = 1e-6
"""By which a rotation matrix may not be orthonormal."""


def pose_error(placement: FloatArray, target: FloatArray) -> FloatArray:
    """The motion (..., 6) from placements (..., 4, 4) to others: m, then rad about one axis.

    Along the axes of the world: a frame that moves along it goes straight and turns about one axis.
    """
    turn = target[..., :3, :3] @ np.swapaxes(placement[..., :3, :3], -1, -2)
    linear = target[..., :3, 3] - placement[..., :3, 3]
    return np.concatenate([linear, rotation_vectors(turn)], axis=-1)


def rotation_vectors(rotations: FloatArray) -> FloatArray:
    """The rotation vectors (..., 3) of rotation matrices (..., 3, 3), rad, at most pi long.

    By the quaternion: of the four ways to take it from the matrix the one that divides by the
    largest number, so that half a turn is as exact as none (Shepperd 1978).
    """
    R = rotations
    x, y, z = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    yx, zx, zy = (
        R[..., 1, 0] + R[..., 0, 1],
        R[..., 2, 0] + R[..., 0, 2],
        R[..., 2, 1] + R[..., 1, 2],
    )
    wx, wy, wz = (
        R[..., 2, 1] - R[..., 1, 2],
        R[..., 0, 2] - R[..., 2, 0],
        R[..., 1, 0] - R[..., 0, 1],
    )
    products = np.empty((*R.shape[:-2], 4, 4))  # of the quaternion (x, y, z, w) with itself, by 4
    for k, row in enumerate((
        (1.0 + x - y - z, yx, zx, wx), (yx, 1.0 - x + y - z, zy, wy),
        (zx, zy, 1.0 - x - y + z, wz), (wx, wy, wz, 1.0 + x + y + z),
    )):  # fmt: skip
        for j, entry in enumerate(row):
            products[..., k, j] = entry
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    quaternion = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    quaternion = np.where(quaternion[..., 3:] < 0.0, -quaternion, quaternion)
    vector, w = quaternion[..., :3], quaternion[..., 3]
    length = np.linalg.norm(vector, axis=-1)
    tiny = length < 1e-8 * w
    angle = 2.0 * np.arctan2(length, w)
    scale = np.where(tiny, 2.0 / np.where(tiny, w, 1.0), angle / np.where(tiny, 1.0, length))
    result: FloatArray = vector * scale[..., None]
    return result


def checked(what: str, array: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Finite numbers of a shape, as an array of float64.

    Raises:
        ValueError: they are not; the message begins with ``what``.
    """
    if np.shape(array) != shape or not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite numbers of shape {shape}")
    return np.asarray(array, dtype=np.float64)


def checked_placement(what: str, array: FloatArray) -> FloatArray:
    """A homogeneous matrix (4, 4) whose rotation is one.

    Raises:
        ValueError: it is not.
    """
    placement = checked(what, array, (4, 4))
    R = placement[:3, :3]
    if np.abs(R @ R.T - np.eye(3)).max() > ROTATION or np.linalg.det(R) < 0.0:
        raise ValueError(f"{what} must be a placement, its rotation orthonormal")
    return placement
