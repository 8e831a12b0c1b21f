# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The links of a robot with their described inertias, before fixed links are merged."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyn_core.model.model import FloatArray, Model
from dyn_core.readers.description import Source
from dyn_core.readers.mjcf.compiled import compiled
from dyn_core.readers.mjcf.reader import body_inertias
from dyn_core.readers.urdf.document import read_root, read_unchecked
from dyn_core.spatial import SE3, Inertia, Symmetric3

DEFAULT_DENSITY = 1000.0
"""MuJoCo's density (kg/m^3) of geoms for which the document has none."""


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
    robot = read_unchecked(source, ignore)
    given = {
        name: body.inertia for name, body in robot.links.items() if body is not None and body.at_com
    }
    parents = {joint.child: joint.parent for joint in robot.joints.values()}
    return tuple(
        Link(
            name,
            *_place(model, name),
            given.get(name, Inertia.zero()),
            name in given,
            parent=parents.get(name, ""),
        )
        for name in robot.links
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
    document = compiled(source, ignore)
    names, parents = document.names("body"), document.model.body_parentid
    inertias = body_inertias(document)
    found = []
    for body in document.spec.bodies:
        if i := int(body.id):
            is_given = bool(body.explicitinertial)
            is_weighed = any(_is_weighed(geom) for geom in body.geoms)
            link = Link(
                names[i],
                *_place(model, names[i]),
                inertias[i],
                is_given,
                not is_given and not is_weighed,
                names[parents[i]],
            )
            found.append(link)
    return tuple(found)


def _is_weighed(geom: Any) -> bool:
    return not math.isnan(geom.mass) or bool(geom.density != DEFAULT_DENSITY)


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
