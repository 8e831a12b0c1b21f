# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF, MuJoCo's format, to Model: bodies without joints merge into their parents."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.frame import FrameType
from dyn_core.model.joints import Joint, Mimic, Prismatic, Revolute
from dyn_core.model.model import Model
from dyn_core.readers.mjcf.compiled import (
    MIN_INERTIA,
    SITE_PREFIX,
    Compiled,
    compiled,
    placed,
)
from dyn_core.readers.mjcf.couplings import Places, add_loops, read_couplings, read_tendons
from dyn_core.readers.mjcf.fluid_and_gravcomp import add_fluid_and_gravcomp
from dyn_core.readers.mjcf.mjcf_joints import FREE, read_joints
from dyn_core.readers.parsing import Following, check_inertias, snapped
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3, quaternion

INITIAL_POSE = "qpos0"
"""MuJoCo's name of the pose of the document."""


def model_from_mjcf(
    source: str | os.PathLike[str],
    mimic: bool = True,
    massless: bool = False,
    ignore: Collection[str] = (),
) -> Model:
    """Implement :meth:`.Model.from_mjcf`."""
    document = compiled(source, ignore)
    arrays, keys = document.model, document.names("key")
    mimicry, couplings = read_couplings(document, mimic)
    gravity = (0.0, 0.0, 0.0) if "gravity" in document.disabled else arrays.opt.gravity.tolist()
    builder = ModelBuilder(document.name, gravity)
    places = _add_bodies(document, builder, mimicry)
    builder.tendons = read_tendons(document, places)
    add_loops(document, builder, places)
    builder.couplings = couplings
    if not massless:
        pairs = zip(reversed(places), reversed(document.names("body")), strict=True)
        check_inertias(builder, {joint: body for (joint, _), body in pairs}, "body")
    add_fluid_and_gravcomp(document, builder, places)
    if INITIAL_POSE in keys:
        raise ModelError(
            f"keyframe '{INITIAL_POSE}' has the name of MuJoCo's initial pose; rename it"
        )
    given = zip(document.spec.keys, arrays.key_qpos, strict=True)
    poses = [qpos if len(key.qpos) else arrays.qpos0 for key, qpos in given]
    builder.reference_configurations = {
        name: _configuration(document, qpos, mimicry)
        for name, qpos in zip([INITIAL_POSE, *keys], [arrays.qpos0, *poses], strict=True)
    }
    return builder.build()


def body_inertias(document: Compiled) -> list[Inertia]:
    """The inertia of each body in its own frame; the world has none."""
    model, found = document.model, [Inertia.zero()]
    for b in range(1, model.nbody):
        numbers = map(float, (model.body_mass[b], *model.body_inertia[b]))
        mass, x, y, z = (0.0 if number <= MIN_INERTIA else number for number in numbers)
        about_com = Inertia(mass, Vector3.zero(), Symmetric3(x, 0.0, y, 0.0, 0.0, z))
        place = placed(model.body_ipos[b], model.body_iquat[b])
        found.append(place.act_inertia(about_com))
    return found


def _add_bodies(
    document: Compiled, builder: ModelBuilder, mimicry: Mapping[str, Following]
) -> Places:
    """Add all bodies, which MuJoCo gives parents first, with joints, sites and named frames.

    Bodies that are to be aligned are so in the initial pose ``qpos0`` then.
    """
    model, joints, sites = document.model, read_joints(document), document.names("site")
    carriers, names = set(model.body_parentid[1:].tolist()), document.names("joint")
    places: list[tuple[int, SE3]] = []
    inertias = body_inertias(document)

    def add_joint(j: int, parent: int, place: SE3) -> int:
        (joint, limits), primary = joints[j], None
        if (following := mimicry.get(names[j])) is not None:
            joint = Mimic(joint, following.multiplier, following.offset)
            primary = following.primary
        return builder.add_joint(parent, joint, snapped(place), names[j], limits, primary)

    for b, name in enumerate(document.names("body")):
        joint, place = places[model.body_parentid[b]] if b else (0, SE3.identity())
        place = snapped(place * placed(model.body_pos[b], model.body_quat[b]))
        for j in (model.jnt_bodyid == b).nonzero()[0].tolist():
            if model.jnt_type[j] == FREE:  # whose coordinates are those of the world
                joint, moved = add_joint(j, joint, SE3.identity()), place
                if b in document.aligned and b not in carriers:
                    moved = place * placed(model.body_ipos[b], model.body_iquat[b])
                    x, y, z, w = quaternion.of_matrix(moved.rotation)
                    model.qpos0[model.jnt_qposadr[j] :][:7] = [*moved.translation, w, x, y, z]
                place = snapped(moved.inverse() * place)
            else:
                anchor, by = placed(model.jnt_pos[j]), -model.qpos0[model.jnt_qposadr[j]]
                joint = add_joint(j, joint, place * anchor * _moved(joints[j][0], float(by)))
                place = anchor.inverse()
        places.append((joint, place))
        builder.add_frame(name, FrameType.BODY, joint, place)
        builder.add_body(joint, inertias[b], place)
        for s in (model.site_bodyid == b).nonzero()[0].tolist():
            if model.site(s).name:
                at = snapped(place * placed(model.site_pos[s], model.site_quat[s]))
                frame = sites[s].removeprefix(SITE_PREFIX)
                builder.add_frame(frame, FrameType.OPERATIONAL, joint, at)
    return places


def _moved(joint: Joint, by: float) -> SE3:
    """The placement of a joint's child at the coordinate ``by`` of one axis."""
    if isinstance(joint, Prismatic):
        return SE3(Matrix3.identity(), joint.axis * by)
    if not isinstance(joint, Revolute):
        return SE3.identity()
    return SE3(Matrix3.axis_angle(joint.axis, math.cos(by), math.sin(by)), Vector3.zero())


def _configuration(
    document: Compiled, qpos: Sequence[float], followers: Collection[str]
) -> tuple[float, ...]:
    """MuJoCo's coordinates as ours: quaternions of unit length, without those of followers."""
    model, result = document.model, list[float]()
    for j, name in enumerate(document.names("joint")):
        first, size = model.jnt_qposadr[j], (7, 4, 1, 1)[model.jnt_type[j]]
        piece = list(map(float, qpos[first : first + size]))
        if size >= 4:
            *position, w, x, y, z = piece
            length = math.hypot(w, x, y, z)
            piece = [*position, x / length, y / length, z / length, w / length]
        result += () if name in followers else piece
    return tuple(result)
