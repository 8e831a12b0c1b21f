# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The links of a robot with their described inertias, before fixed links are merged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from dyn_core.model.model import FloatArray, Model
from dyn_core.readers.description import Source
from dyn_core.readers.mjcf.document import Document
from dyn_core.readers.mjcf.geom import Geom
from dyn_core.readers.mjcf.reader import body_inertias, read_bodies
from dyn_core.readers.urdf.document import read_root, read_unchecked
from dyn_core.readers.urdf.reader import inertia_of
from dyn_core.spatial import SE3, Inertia, Symmetric3


@dataclass(frozen=True)
class Link:
    """A link of the description, in its own frame."""

    name: str
    joint: int
    """Index of the joint that moves the link; 0 if it is fixed to the world, or unknown."""
    placement: SE3
    """Placement of the link's frame in that joint's frame."""
    inertia: Inertia
    is_given: bool = True
    """Whether the description gives the inertia; False if it follows from shapes or is missing."""
    is_of_water: bool = False
    """Whether it follows from shapes without mass or density, by a default of 1000 kg/m^3."""

    parent: str = ""
    """The link that carries it; empty for the root, or if it is unknown."""

    @property
    def mass(self) -> float:
        """Mass in kg."""
        return float(self.inertia.mass)

    @property
    def com(self) -> FloatArray:
        """Centre of mass (3) in the link's frame, m."""
        return np.array(list(self.inertia.com), dtype=np.float64)

    @property
    def at_com(self) -> FloatArray:
        """Inertia (3, 3) about the centre of mass in the axes of the link's frame, kg m^2."""
        return matrix(self.inertia.at_com)

    @property
    def is_empty(self) -> bool:
        """Whether the link has neither mass nor inertia."""
        return not any(self.inertia.parameters)


def matrix(symmetric: Symmetric3) -> FloatArray:
    """The matrix (3, 3) of a symmetric inertia."""
    return np.array([list(row) for row in symmetric.rows], dtype=np.float64)


def links_of_urdf(
    source: Source, model: Model | None, ignore: Collection[str] = ()
) -> tuple[Link, ...]:
    """The links of a URDF in its order, including links without a body."""
    robot = read_unchecked(source, ignore=ignore)
    given = {
        link.name: inertia_of(link.inertial)
        for link in robot.links
        if link.inertial is not None and link.inertial.inertia is not None
    }
    names = [link.name for link in robot.links]
    parents = {joint.child: joint.parent for joint in robot.joints}
    return tuple(
        Link(
            name,
            *_place(model, name),
            given.get(name, Inertia.zero()),
            name in given,
            parent=parents.get(name, ""),
        )
        for name in names
    )


def angles_of_urdf(source: Source) -> tuple[tuple[str, str, tuple[float, ...]], ...]:
    """The angles rpy of all origins of links and joints: owner, part and angles as written."""
    found = []
    for owner in read_root(source):
        for element in owner.iter() if owner.tag in ("link", "joint") else ():
            part = "the joint" if element is owner else f"its <{element.tag}>"
            for origin in element.findall("origin"):
                try:
                    angles = tuple(map(float, origin.get("rpy", "").split()))
                except ValueError:  # of a shape that is not read
                    continue
                if angles:
                    found.append((owner.get("name", ""), part, angles))
    return tuple(found)


def links_of_mjcf(source: Source, model: Model, ignore: Collection[str]) -> tuple[Link, ...]:
    """The bodies of an MJCF file, without the world."""
    document, settings, bodies = read_bodies(source, frozenset(ignore))
    inertias = body_inertias(document, settings, bodies)
    return tuple(
        Link(
            body.name,
            *_place(model, body.name),
            inertia,
            body.inertial is not None,
            body.inertial is None and not any(_is_weighed(document, one) for one in body.geoms),
            bodies[body.parent].name,
        )
        for body, inertia in zip(bodies[1:], inertias[1:], strict=True)
    )


def _is_weighed(document: Document, geom: Geom) -> bool:
    fields = document.fields(geom.element, geom.where, geom.class_)
    return "mass" in fields or "density" in fields


def links_of_model(model: Model) -> tuple[Link, ...]:
    """The bodies of a model, named by the joints that move them."""
    return tuple(
        Link(model.names[i], i, SE3.identity(), model.inertias[i]) for i in model.moving_joints
    )


def _place(model: Model | None, name: str) -> tuple[int, SE3]:
    if model is None:
        return 0, SE3.identity()
    frame = model.frame(name)
    return frame.joint, frame.placement
