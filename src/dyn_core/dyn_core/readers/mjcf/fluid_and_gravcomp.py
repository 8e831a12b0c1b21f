# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Elements of MJCF that act on bodies: compensation of gravity, and the fluid around."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from dyn_core.errors import ModelError
from dyn_core.model.fluid import Drag, Fluid, FluidHull
from dyn_core.model.gravity_compensator import Lift, Triple, moved_point
from dyn_core.readers.mjcf.body import Body
from dyn_core.readers.mjcf.document import Document, ElementFields
from dyn_core.readers.mjcf.geom import (
    SHAPES,
    Geom,
    Solid,
    fitted_shape,
    reach_of_mesh,
    size_and_placement,
)
from dyn_core.readers.mjcf.mesh import Meshes
from dyn_core.readers.mjcf.settings import PASSIVE, SMALL, MjcfSettings
from dyn_core.spatial import SE3

LEAST = 1e-15
"""Mass (kg) below which a body feels no fluid, and the least moment of a box (mjMINVAL)."""
COEFFICIENTS = (0.5, 0.25, 1.5, 1.0, 1.0)
"""MuJoCo's defaults of ``fluidcoef``: drag (blunt, slender, angular), lift (Kutta, Magnus)."""
Place = tuple[int, SE3]
"""The joint that carries a body, and the placement of the body in the joint's frame."""


def lifts(
    document: Document,
    settings: MjcfSettings,
    bodies: Sequence[Body],
    places: Sequence[Place],
    solids: Sequence[Solid],
) -> list[Lift]:
    """Gravity compensation of moving bodies, each at its centre of mass.

    As in MuJoCo, bodies that are pulled down (a negative part) are only if another one is borne.

    Raises:
        ModelError: bodies are fused, which changes whose weight is compensated.
    """
    found: list[Lift] = []
    is_off = "gravcomp" in document.ignore or settings.disabled >= PASSIVE
    if is_off or not any(body.gravcomp > 0.0 for body in bodies):
        return found
    for body, (joint, placement), solid in zip(bodies, places, solids, strict=True):
        mass = solid.mass * body.gravcomp
        if joint and settings.fusestatic and not body.joints:
            document.refuse("gravcomp", f"{body.where}, which <compiler fusestatic> takes away")
        if joint and mass:
            center = moved_point(placement * solid.placement, (0.0, 0.0, 0.0))
            found.append(Lift(joint, mass, center))
    return found


class Submersion:
    """Finds the hulls by which bodies feel the fluid of a document."""

    def __init__(self, document: Document, settings: MjcfSettings, meshes: Meshes) -> None:
        self.document = document
        self.settings = settings
        self.meshes = meshes

    def fluid(
        self, bodies: Sequence[Body], places: Sequence[Place], solids: Sequence[Solid]
    ) -> Fluid | None:
        """The fluid with all hulls of moving bodies; None if there is none.

        Raises:
            ModelError: a body whose hull only MuJoCo's compiler knows.
        """
        settings = self.settings
        medium = Fluid(settings.density, settings.viscosity, settings.wind)
        is_off = "fluid" in self.document.ignore or settings.disabled >= PASSIVE
        if is_off or not (medium.density or medium.viscosity):
            return None
        hulls: list[FluidHull] = []
        for body, (joint, placement), solid in zip(bodies, places, solids, strict=True):
            if joint and solid.mass >= LEAST:
                self._check(body)
                try:
                    hulls += self._hulls(body, joint, placement, solid)
                except ModelError as error:
                    raise ModelError(f"{body.where} in the fluid: {error}") from error
        return Fluid(medium.density, medium.viscosity, medium.wind, tuple(hulls))

    def _check(self, body: Body) -> None:
        if self.settings.fusestatic and not body.joints:
            where = f"<compiler fusestatic> and {body.where}"
            self.document.refuse("fluid", f"{where}, whose box in the fluid it changes")

    def _hulls(self, body: Body, joint: int, placement: SE3, solid: Solid) -> list[FluidHull]:
        """Ellipsoids in place of geoms that ask for them, else the box of equal inertia."""
        found = [self._ellipsoid(geom, joint, placement) for geom in body.geoms]
        ellipsoids = [hull for hull in found if hull is not None]
        return ellipsoids or [FluidHull.at(joint, placement * solid.placement, box_of(solid))]

    def _ellipsoid(self, geom: Geom, joint: int, placement: SE3) -> FluidHull | None:
        fields = self.document.fields(geom.element, geom.where, geom.class_)
        if fields.word("fluidshape", ("none", "ellipsoid"), "none") == "none":
            return None
        if self.settings.discardvisual and not _collides(fields):
            self.document.refuse(
                "fluid", f"{geom.where}, which <compiler discardvisual> takes away"
            )
        kind = fields.values.get("type", "sphere")
        if kind not in (*SHAPES, "mesh"):
            self.document.refuse("fluid", f"{geom.where}: the ellipsoid of a {kind}")
            return None
        if kind == "mesh":
            found = reach_of_mesh(self.settings, self.meshes, fields)
        elif "mesh" in fields:
            found = fitted_shape(self.settings, self.meshes, fields, kind)
        else:
            found = size_and_placement(self.settings, fields, kind)
        if found is None:
            return None
        size, place = found
        axes = _half_axes(kind, size)
        hull = FluidHull.at(joint, placement * geom.frame * place, axes)
        return replace(hull, drag=_drag(fields, axes))


def box_of(solid: Solid) -> Triple:
    """The lengths (m) of the box of equal mass and moments."""
    total = sum(solid.moments)
    x, y, z = (
        math.sqrt(max(LEAST, total - 2.0 * moment) / solid.mass * 6.0) for moment in solid.moments
    )
    return x, y, z


def _collides(fields: ElementFields) -> bool:
    return any(fields.number(name, 1.0) for name in ("contype", "conaffinity"))


def _half_axes(kind: str, size: Sequence[float]) -> Triple:
    """Of the ellipsoid that stands for a shape."""
    if kind == "sphere":
        return size[0], size[0], size[0]
    if kind in ("capsule", "cylinder"):
        return size[0], size[0], size[1] + (size[0] if kind == "capsule" else 0.0)
    return size[0], size[1], size[2]


def _drag(fields: ElementFields, axes: Triple) -> Drag:
    blunt, slender, angular, kutta, magnus = fields.numbers("fluidcoef", COEFFICIENTS, least=1)
    return Drag(blunt, slender, angular, kutta, magnus, *added_mass(axes))


def added_mass(axes: Triple) -> tuple[Triple, Triple]:
    """Volume and moment per density of the fluid that an ellipsoid takes along (Lamb 1932, 114).

    By MuJoCo's quadrature, so that the forces are the same.
    """
    x, y, z = axes
    volume = 4.0 / 3.0 * math.pi * x * y * z
    shares = [_share(x, y, z), _share(y, z, x), _share(z, x, y)]
    mass = tuple(volume * k / max(SMALL, 2.0 - k) for k in shares)
    inertia = []
    for a, b in ((1, 2), (2, 0), (0, 1)):
        difference, both = axes[a] ** 2 - axes[b] ** 2, axes[a] ** 2 + axes[b] ** 2
        below = abs(2.0 * difference + both * (shares[a] - shares[b]))
        factor = difference**2 * abs(shares[b] - shares[a]) / max(SMALL, below)
        inertia.append(volume * factor / 5.0)
    return (mass[0], mass[1], mass[2]), (inertia[0], inertia[1], inertia[2])


NODES = (
    0.00427231, 0.02544604, 0.06756779, 0.12923441, 0.20695638, 0.29707742, 0.39610752, 0.5,
    0.60389248, 0.70292258, 0.79304362, 0.87076559, 0.93243221, 0.97455396, 0.99572769,
)  # fmt: skip
WEIGHTS = (
    0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647, 0.10474107,
)  # fmt: skip
"""Of Kronrod's rule of 15 points on (0, 1), as MuJoCo rounds them; weights of the first half."""


def _share(x: float, y: float, z: float) -> float:
    """``x y z`` times the integral of ``((x^2 + l)^3 (y^2 + l) (z^2 + l))^(-1/2)`` over l > 0.

    With ``l = scale s^3 / (1 - s)^2`` it is one over s from 0 to 1.
    """
    scale = (x * x * x * y * z) ** 0.4
    total = 0.0
    for s, weight in zip(NODES, (*WEIGHTS, *WEIGHTS[-2::-1]), strict=True):
        way = scale * s**3 / (1.0 - s) ** 2
        rate = scale * s * s * (3.0 - s) / (1.0 - s) ** 3
        a, b, c = (1.0 + way / axis**2 for axis in (x, y, z))
        total += weight * rate / (a * math.sqrt(a * b * c))
    return total / (x * x)
