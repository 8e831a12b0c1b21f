# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF, MuJoCo's format, to Model: bodies without joints merge into their parents."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.frame import FrameType
from dyn_core.model.joints import Mimic
from dyn_core.model.model import Model
from dyn_core.readers.mjcf.attach import read_document
from dyn_core.readers.mjcf.body import Body, BodyReader
from dyn_core.readers.mjcf.connect_and_weld import add_loops
from dyn_core.readers.mjcf.document import Document
from dyn_core.readers.mjcf.equalities import add_actuators, check_couplings, read_couplings
from dyn_core.readers.mjcf.fluid_and_gravcomp import Submersion, lifts
from dyn_core.readers.mjcf.geom import NOTHING, Solid
from dyn_core.readers.mjcf.inertia import body_solid, inertia_of
from dyn_core.readers.mjcf.keyframe import pose_of_springs, read_configurations, rest
from dyn_core.readers.mjcf.mesh import Meshes
from dyn_core.readers.mjcf.mjcf_joints import JointDescription
from dyn_core.readers.mjcf.settings import MjcfSettings
from dyn_core.readers.mjcf.spatial_tendons import read_tendons, relaxed_at
from dyn_core.readers.mjcf.springdamper import add_springdampers
from dyn_core.readers.parsing import Following, check_inertias, snapped
from dyn_core.spatial import SE3, Inertia, Matrix3


def model_from_mjcf(
    source: str | os.PathLike[str],
    mimic: bool = True,
    massless: bool = False,
    ignore: Collection[str] = (),
) -> Model:
    """Implement :meth:`.Model.from_mjcf`."""
    ignored = frozenset([ignore] if isinstance(ignore, str) else ignore)
    document, settings, bodies = read_bodies(source, ignored)
    check_couplings(document)
    joints = {joint.name: joint for body in bodies for joint in body.joints}
    mimicry, couplings = read_couplings(document, settings, joints, mimic)
    meshes = Meshes(document, settings)
    solids = _solids(document, settings, meshes, bodies)
    _align(bodies, solids)
    inertias = _inertias(solids)

    def assembled(followers: Mapping[str, Following]) -> _Assembly:
        builder = ModelBuilder(document.root.get("model") or "robot", settings.gravity)
        assembly = _Assembly(builder, followers)
        assembly.add(bodies, inertias)
        add_actuators(document, settings, builder, joints)
        return assembly

    assembly = assembled(mimicry)
    builder = assembly.builder
    tendons = read_tendons(document, settings, builder, joints)
    if tendons or any(joint.springdamper for joint in joints.values()):
        tree = assembled({}).builder.build()  # MuJoCo's, in which all joints are free
        builder.tendons = relaxed_at(tendons, tree, pose_of_springs(tree, bodies))
        add_springdampers(settings, builder, tree, joints.values(), rest(bodies))
    if "equality" not in settings.disabled:
        add_loops(document, builder, bodies)
    builder.couplings = couplings
    if not massless:
        check_inertias(builder, assembly.carried, "body")
    builder.lifts = lifts(document, settings, bodies, assembly.places, solids)
    submersion = Submersion(document, settings, meshes)
    builder.fluid = submersion.fluid(bodies, assembly.places, solids)
    builder.reference_configurations = read_configurations(document, bodies, mimicry)
    return builder.build()


def read_bodies(
    source: str | os.PathLike[str], ignored: frozenset[str]
) -> tuple[Document, MjcfSettings, list[Body]]:
    """A document, its settings and its bodies, parents first.

    Raises:
        ModelError: the description is broken or not supported.
    """
    document, settings = read_document(source, ignored)
    return document, settings, BodyReader(document, settings).read()


def body_inertias(
    document: Document, settings: MjcfSettings, bodies: Sequence[Body]
) -> list[Inertia]:
    """The inertia of each body in its own frame; the world has none."""
    return _inertias(_solids(document, settings, Meshes(document, settings), bodies))


def _inertias(solids: Sequence[Solid]) -> list[Inertia]:
    """Of bodies, the world's first."""
    return [Inertia.zero(), *map(inertia_of, solids[1:])]


def _solids(
    document: Document, settings: MjcfSettings, meshes: Meshes, bodies: Sequence[Body]
) -> list[Solid]:
    """Each body as a solid, without the world."""
    moving = [False]
    for body in bodies[1:]:
        moving.append(bool(body.joints) or moving[body.parent])
    solids = [
        body_solid(document, settings, meshes, body, is_moving)
        for body, is_moving in zip(bodies[1:], moving[1:], strict=True)
    ]
    total, target = sum(solid.mass for solid in solids), settings.settotalmass
    if target > 0.0 and total <= 0.0:
        raise ModelError("<compiler>: settotalmass, but no body has mass; give them inertia")
    scale = target / total if target > 0.0 else 1.0
    return [NOTHING, *(solid.scaled(scale) for solid in solids)]


def _align(bodies: Sequence[Body], solids: Sequence[Solid]) -> None:
    """Let free joints move the principal axes of bodies that are to be aligned."""
    carriers = {body.parent for body in bodies[1:]}
    for index, (body, solid) in enumerate(zip(bodies, solids, strict=True)):
        if body.is_aligned and index not in carriers:
            body.moved = solid.placement


class _Assembly:
    """Puts bodies, which are given parents first, together."""

    def __init__(self, builder: ModelBuilder, mimicry: Mapping[str, Following]) -> None:
        self.builder = builder
        self.mimicry = mimicry
        self.places: list[tuple[int, SE3]] = []
        """For each body its joint, and its placement in the joint's frame."""
        self.carried: dict[int, str] = {}
        """The first body of each joint that has bodies."""

    def add(self, bodies: Sequence[Body], inertias: Sequence[Inertia]) -> None:
        """Add all bodies."""
        for body, inertia in zip(bodies, inertias, strict=True):
            joint, placement = self.places[body.parent] if self.places else (0, SE3.identity())
            placement = snapped(placement * body.placement)
            for description in body.joints:
                joint, placement = self._add_joint(description, joint, placement)
            if body.is_free:
                placement = snapped(body.moved.inverse())
            self.places.append((joint, placement))
            self.carried.setdefault(joint, body.name)
            self.builder.add_frame(body.name, FrameType.BODY, joint, placement)
            self.builder.add_body(joint, inertia, placement)
            for name, local in body.frames:
                frame = snapped(placement * local)
                self.builder.add_frame(name, FrameType.OPERATIONAL, joint, frame)

    def _add_joint(self, description: JointDescription, parent: int, body: SE3) -> tuple[int, SE3]:
        """Add a joint that moves what is at ``body`` in the frame of ``parent``."""
        anchor = SE3(Matrix3.identity(), description.anchor)
        is_free = description.joint.nv == 6  # its coordinates are those of the world
        place = SE3.identity() if is_free else snapped(body * anchor * description.zero)
        joint, primary = description.joint, None
        if (following := self.mimicry.get(description.name)) is not None:
            joint = Mimic(joint, following.multiplier, following.offset)
            primary = following.primary
        index = self.builder.add_joint(
            parent, joint, place, description.name, description.limits, primary
        )
        return index, anchor.inverse()
