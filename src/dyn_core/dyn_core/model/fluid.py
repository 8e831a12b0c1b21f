# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A fluid around the robot, and the shapes of bodies that it acts on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dyn_core.errors import ModelError
from dyn_core.model.content import close
from dyn_core.model.gravity_compensator import Places, Triple, moved_point
from dyn_core.model.value_checks import finite_numbers, rigid
from dyn_core.spatial import SE3, Matrix3, Vector3
from dyn_core.spatial.immutable import immutable

HULL_SIZE_RANGE_M = (1e-30, 1e30)
"""Smallest and largest length (m) of a hull, whose fifth power is still a number."""
Triples = tuple[Triple, Triple, Triple]


@immutable
@dataclass(frozen=True)
class Drag:
    """Coefficients of the forces on an ellipsoid: the first five are MJCF's ``fluidcoef``."""

    blunt: float = 0.5
    """Of the quadratic drag on the area that faces the flow."""
    slender: float = 0.25
    """Of the quadratic drag on the rest of the largest such area."""
    angular: float = 1.5
    """Of the quadratic drag against turning."""
    kutta: float = 1.0
    """Of the lift of a shape that moves aslant."""
    magnus: float = 1.0
    """Of the lift of a shape that turns as it moves."""
    mass: Triple = (0.0, 0.0, 0.0)
    """Volume (m^3) of the fluid that moves along with the shape, by its axes."""
    inertia: Triple = (0.0, 0.0, 0.0)
    """Moment of inertia per density (m^5) of the fluid that turns along."""

    def __post_init__(self) -> None:
        close(self)
        factors = (self.blunt, self.slender, self.angular, self.kutta, self.magnus)
        finite_numbers((*factors, *self.mass, *self.inertia), 11, "coefficients of drag")


@immutable
@dataclass(frozen=True)
class FluidHull:
    """The shape of a body in a fluid: a box, or, with coefficients of drag, an ellipsoid.

    The forces on both are MuJoCo's (documentation, chapter "Fluid forces").
    """

    joint: int
    """Index of the joint whose body has the shape."""
    center: Triple
    """Its middle in the frame of the joint (m)."""
    axes: Triples
    """The rotation (3, 3) of its axes in that frame."""
    size: Triple
    """Whole lengths of a box along its axes, half lengths of an ellipsoid (m)."""
    drag: Drag | None = None

    def __post_init__(self) -> None:
        close(self)
        finite_numbers(self.center, 3, "a hull's centre (m)")
        if len(self.axes) != 3:
            raise ModelError(f"a hull's axes must be a rotation of 3 rows, not {self.axes!r}")
        for row in self.axes:
            finite_numbers(row, 3, "a row of a hull's axes")
        rigid(self.placement, "a hull")
        low, high = HULL_SIZE_RANGE_M
        if not all(low <= x <= high for x in finite_numbers(self.size, 3, "a hull's size (m)")):
            raise ModelError(
                f"a hull of the size {list(self.size)} m; lengths must be positive, within {low} "
                f"and {high} m"
            )

    @property
    def placement(self) -> SE3:
        """Of its middle and axes in the frame of the joint."""
        return SE3(Matrix3.of(self.axes), Vector3(*self.center))

    @classmethod
    def at(cls, joint: int, placement: SE3, size: Triple, drag: Drag | None = None) -> FluidHull:
        """A hull at ``placement`` in the frame of a joint."""
        x, y, z = ((float(r.x), float(r.y), float(r.z)) for r in placement.rotation.rows)
        center = moved_point(placement, (0.0, 0.0, 0.0))
        return cls(joint, center, (x, y, z), size, drag)

    def moved(self, places: Places) -> FluidHull:
        """The same on the bodies of another model."""
        joint, placement = places[self.joint]
        return self.at(joint, placement * self.placement, self.size, self.drag)


@immutable
@dataclass(frozen=True)
class Fluid:
    """A fluid around the robot with a uniform velocity."""

    density: float = 0.0
    """kg/m^3."""
    viscosity: float = 0.0
    """Dynamic viscosity, Pa s."""
    wind: Triple = (0.0, 0.0, 0.0)
    """Its velocity in the world, m/s."""
    hulls: tuple[FluidHull, ...] = ()

    def __post_init__(self) -> None:
        close(self)
        numbers = (self.density, self.viscosity, *self.wind)
        finite_numbers(numbers, 5, "a fluid's density, viscosity and wind")
        if min(self.density, self.viscosity) < 0.0:
            raise ModelError("a fluid's density and viscosity must not be negative")

    def moved(self, places: Places) -> Fluid:
        """The same around the bodies of another model."""
        return replace(self, hulls=tuple(hull.moved(places) for hull in self.hulls))

    def with_hulls_of(self, other: Fluid) -> Fluid:
        """The same fluid around the bodies of both.

        Raises:
            ModelError: the other fluid is another one.
        """
        if replace(self, hulls=()) != replace(other, hulls=()):
            raise ModelError(
                f"two robots in different fluids ({replace(self, hulls=())} and "
                f"{replace(other, hulls=())}) cannot be one; give both the same"
            )
        return replace(self, hulls=self.hulls + other.hulls)
