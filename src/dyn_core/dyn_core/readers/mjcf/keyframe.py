# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Conversion of MJCF's keyframes and initial pose to configurations of a Model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dyn_core.errors import ModelError
from dyn_core.model.model import Model
from dyn_core.readers.mjcf.body import Body
from dyn_core.readers.mjcf.document import Document
from dyn_core.readers.mjcf.settings import unit_quaternion
from dyn_core.readers.parsing import read_numbers
from dyn_core.spatial import quaternion

REST = "qpos0"
"""MuJoCo's name of the pose of the document."""
Coordinates = tuple[float, ...]


def read_configurations(
    document: Document, bodies: Sequence[Body], followers: Collection[str]
) -> dict[str, Coordinates]:
    """The pose of the document and all keyframes, without the coordinates of ``followers``.

    Raises:
        ModelError: a keyframe with another number of coordinates, or two of one name.
    """
    at_rest = [piece for body in bodies for piece in _rest(body)]
    found: dict[str, list[Coordinates]] = {}
    for number, key in enumerate(document.in_sections("keyframe")):
        if "keyframe" in document.ignore:
            break
        name = key.get("name") or f"key_{number}"
        where = f"keyframe '{name}'"
        if key.tag != "key":
            document.refuse_unknown(key.tag, "<keyframe>", "element")
            continue
        if name == REST:
            raise ModelError(
                f"{where} has the name of MuJoCo's initial configuration, which it is "
                "not; rename it"
            )
        if name in found:
            raise ModelError(f"{where} is defined twice; rename one of them")
        text = document.fields(key, where).values.get("qpos")
        found[name] = at_rest if text is None else _converted(text, where, at_rest)
    names = [joint.name for body in bodies for joint in body.joints]
    own = [name not in followers for name in names]
    return {
        name: tuple(x for piece, is_own in zip(pieces, own, strict=True) if is_own for x in piece)
        for name, pieces in ({REST: at_rest} | found).items()
    }


def rest(bodies: Sequence[Body]) -> list[float]:
    """The configuration of all joints in the pose of the document (MuJoCo's ``qpos0``)."""
    return [x for body in bodies for piece in _rest(body) for x in piece]


def pose_of_springs(model: Model, bodies: Sequence[Body]) -> list[float]:
    """The configuration with relaxed joint springs (MuJoCo's ``qpos_spring``).

    ``model`` has all joints, none of which follows another.
    """
    found = rest(bodies)
    for i in model.moving_joints:
        if model.joints[i].nq == 1:
            found[model.idx_q[i]] = model.tree[i].limits.rest[0]
    return found


def _rest(body: Body) -> list[Coordinates]:
    """The coordinates of each joint of a body in the pose of the document."""
    if not body.is_free:
        return [joint.rest for joint in body.joints]
    placement = body.placement * body.moved
    return [(*placement.translation, *quaternion.of_matrix(placement.rotation))]


def _converted(text: str, where: str, rest: Sequence[Coordinates]) -> list[Coordinates]:
    """MuJoCo's ``qpos``, joint by joint, orientations as ``(x, y, z, w)`` of unit length.

    A quaternion of four zeros is the identity, as in MuJoCo.
    """
    size = sum(map(len, rest))
    numbers = read_numbers(text, f"{where}: qpos", size) if size or text.split() else []
    pieces: list[Coordinates] = []
    for like in rest:
        piece, numbers = numbers[: len(like)], numbers[len(like) :]
        if len(like) >= 4:
            *position, w, x, y, z = piece
            given = (x, y, z, w) if any((x, y, z, w)) else (0.0, 0.0, 0.0, 1.0)
            piece = [*position, *unit_quaternion(given, where)]
        pieces.append(tuple(piece))
    return pieces
