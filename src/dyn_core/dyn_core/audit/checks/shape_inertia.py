# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inertias compared with those of the links' shapes at uniform density."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

import numpy as np

from dyn_core.audit.declaration import Needs, declare
from dyn_core.audit.links import Link, matrix
from dyn_core.audit.report import Bars, Item, Level, Line, Table, counted, note, warning
from dyn_core.audit.robot import Placed, Robot
from dyn_core.geometry.solids import solid_of
from dyn_core.model.model import FloatArray
from dyn_core.spatial import Inertia

FAR = 0.3
"""Relative difference at which the reference flags an inertia."""
UNITS = (1e3, 1e6, 1e9)
"""Ratios of an inertia in grams, in square millimetres, and in both."""
NEAR = 3.0
"""Factor by which an inertia in a wrong unit may miss such a ratio."""
NEGLIGIBLE = 1e-3
"""Share of the robot's mass below which a link's inertia has no effect."""
LEVER = 0.25
"""Least contribution of the lever, relative to the shape's inertia, for origin and centre of mass
to be distinguishable."""
PART = 0.5
"""Largest share of a body's mass that one of its links may have as a point mass."""
CLEARLY = 0.3
"""Ratio of the differences from the shape's inertia, after and before a correction, below which the
correction explains the inertia: the lever subtracted, or the axes exchanged."""


@declare(
    "shape inertia",
    claim="inertias are within 30 % of the links' shapes at uniform density, about the same point",
    why="an export from CAD in a wrong frame, unit or density gives no error message; torques "
    "at high acceleration are wrong by as much",
    step="pipeline step 2",
    order=50,
    needs=Needs.SHAPES,
)
def shape_inertia(robot: Robot) -> Iterator[Item]:
    """Moments of each link about its centre of mass; or are they about the link's origin?"""
    compared = list(_compared(robot))
    far = [one for one in compared if one.difference > FAR]
    heavy = [one for one in far if one.link.mass >= NEGLIGIBLE * robot.mass]
    for one in heavy:
        stands_in = one.link.name in robot.stand_ins
        yield replace(one.line(), level=Level.NOTE) if stands_in else one.line()
    words = f"inertias are within {FAR:.0%} of shapes"
    if heavy:
        words += f", {sum(one.is_confused for one in heavy)} seem to be about the origin"
    elif far:
        words += "; the others are of links that weigh next to nothing"
    told = counted(len(compared) - len(far), len(compared), words)
    yield replace(told, level=Level.NOTE) if heavy else told
    head = ("link", "mass, kg", "difference", "distance of centres of mass, m", "shape")
    yield Table("Inertia beside the shape at uniform density", head, [one.row for one in compared])
    if compared:
        names, percent = zip(*((x.link.name, 100.0 * x.difference) for x in compared), strict=True)
        series = {"difference": percent}
        yield Bars("Difference of inertia from the shape's", names, series, "%", True)


@dataclass(frozen=True)
class _Comparison:
    """The inertia of a link and that of its shape."""

    link: Link
    share: float
    """Share of the mass of the body that the link belongs to."""
    solid: Inertia
    """The shape with the link's mass at uniform density."""
    method: str
    """The shapes in words."""

    @cached_property
    def shape(self) -> FloatArray:
        """The moments of the shape (3, 3) about its centre of mass."""
        return matrix(self.solid.at_com)

    @cached_property
    def difference(self) -> float:
        """Relative difference of the moments."""
        return relative_difference(self.link.at_com, self.shape)

    @cached_property
    def is_confused(self) -> bool:
        """Whether the inertia is about the link's origin rather than the centre of mass."""
        return is_about_origin(self.link, self.shape)

    @cached_property
    def is_turned(self) -> bool:
        """Whether the moments are those of the shape about other axes of the link's frame."""
        orders = [list(order) for order in permutations(range(3))]
        after = min(
            relative_difference(self.link.at_com, self.shape[np.ix_(order, order)])
            for order in orders
        )
        return after < CLEARLY * self.difference

    @property
    def row(self) -> list[str | float | int]:
        """The row of the table."""
        offset = float(np.linalg.norm(self.link.com - [*self.solid.com]))
        return [self.link.name, self.link.mass, self.difference, offset, self.method]

    def line(self) -> Line:
        """The finding."""
        link = self.link
        if not link.at_com.any():
            return (warning if self.share > PART else note)(
                f"it has a mass of {link.mass:.3g} kg but no moments of inertia",
                "give it those of its shape",
                link.name,
            )
        if self.is_confused:
            after = relative_difference(without_lever(link), self.shape)
            return warning(
                "its inertia is as if about the link's origin, not about the centre of mass "
                f"{np.linalg.norm(link.com):.3g} m away: {self.difference:.0%} from its shape's, "
                f"{after:.0%} with the lever taken off",
                "export it about the centre of mass, in the frame of <inertial>",
                link.name,
                why="the lever's m d^2 counts twice",
            )
        ratio = float(np.trace(link.at_com) / np.trace(self.shape))
        times = ratio if ratio > 1.0 else 1.0 / max(ratio, 1e-300)
        size = f"{ratio:.3g} times" if times > 2.0 else f"{self.difference:.0%} off"
        words = f"its inertia is {size} its shape's at uniform density ({self.method})"
        if any(unit / NEAR < times < unit * NEAR for unit in UNITS):
            return warning(
                f"{words}, a slip of units?",
                "1 kg m^2 is 1e6 kg mm^2 and 1e9 g mm^2: export it again",
                link.name,
            )
        if self.is_turned:
            return warning(
                f"{words}; about other axes it fits: are the axes of its moments exchanged?",
                "export it in the axes of <inertial>, and give their <origin> its rotation",
                link.name,
            )
        return note(
            words,
            "if the shape is the link's own, name the motors, gears and cables inside; "
            "a substitute shape proves nothing",
            link.name,
        )


def _compared(robot: Robot) -> Iterator[_Comparison]:
    """The moving links with a given inertia and a shape with a volume."""
    for link in robot.moving_links:
        filled = uniform(link, robot.shapes.get(link.name, ()))
        if filled is not None and link.mass > 0.0 and link.is_given:
            method = "mesh or primitive" if filled[1] else "convex hull"
            body = sum(one.mass for one in robot.links if one.joint == link.joint)
            yield _Comparison(link, link.mass / body, filled[0], method)


def uniform(link: Link, shapes: Sequence[Placed]) -> tuple[Inertia, bool] | None:
    """The link's shapes with its mass at uniform density, in its frame; None without a volume.

    The second result is False if a mesh is open and its convex hull was used.
    """
    total, all_closed = Inertia.zero(), True
    for one in shapes:
        solid = solid_of(one.shape)
        if solid is not None:
            total = total + one.placement.act_inertia(solid[0])
            all_closed = all_closed and solid[1]
    volume = float(total.mass)
    if volume <= 0.0:
        return None
    return Inertia.from_parameters([x * link.mass / volume for x in total.parameters]), all_closed


def relative_difference(given: FloatArray, shape: FloatArray) -> float:
    """Relative difference of two inertias about centres of mass in the same axes."""
    return float(np.linalg.norm(given - shape)) / max(float(np.linalg.norm(shape)), 1e-300)


def without_lever(link: Link) -> FloatArray:
    """The inertia about the centre of mass, assuming that the given one is about the origin."""
    c = link.com
    lever = link.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return link.at_com - lever


def is_about_origin(link: Link, shape: FloatArray) -> bool:
    """Whether the given inertia is that of the shape about the origin, not the centre of mass."""
    lever = link.at_com - without_lever(link)
    if np.linalg.norm(lever) < LEVER * np.linalg.norm(shape):
        return False
    after = relative_difference(without_lever(link), shape)
    return after < 1.0 and after < CLEARLY * relative_difference(link.at_com, shape)
