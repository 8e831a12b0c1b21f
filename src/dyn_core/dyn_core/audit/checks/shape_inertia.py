# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inertias beside the inertias of the links' shapes at uniform density."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dyn_core.audit.declaration import Needs, declare
from dyn_core.audit.links import Link, matrix
from dyn_core.audit.report import Bars, Item, Level, Line, Table, counted, note, warning
from dyn_core.audit.robot import Placed, Robot
from dyn_core.geometry.solids import solid_of
from dyn_core.model.model import FloatArray
from dyn_core.spatial import Inertia

FAR = 0.3
"""Relative difference from which the reference flags an inertia."""
UNITS = (1e3, 1e6, 1e9)
"""Ratios of grams, square millimetres and both."""
NEAR = 3.0
"""Factor by which a slip of units may miss such a ratio."""
NEGLIGIBLE = 1e-3
"""Share of the robot's mass below which a link's inertia makes no difference."""
LEVER = 0.25
"""What the lever adds, by the shape's inertia, from which frames can be told apart."""
PART = 0.5
"""Share of a body's mass up to which a part of it may be a point."""
CLEARLY = 0.3
"""By what an inertia about the origin must come closer to its shape's once the lever is off."""


@declare(
    "shape inertia",
    claim="inertias are within 30 % of the links' shapes at uniform density, about the same point",
    why="what CAD exports in a wrong frame, unit or density is wrong in silence; torques at high "
    "acceleration miss by as much",
    step="pipeline step 2",
    order=50,
    needs=Needs.SHAPES,
)
def shape_inertia(robot: Robot) -> Iterator[Item]:
    """Moments about the centre of mass, link by link, and whether the link's origin is meant."""
    compared = list(_compared(robot))
    far = [one for one in compared if one.difference > FAR]
    heavy = [one for one in far if one.link.mass >= NEGLIGIBLE * robot.mass]
    for one in heavy:
        yield replace(one.line(), level=Level.NOTE) if robot.stand_ins else one.line()
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
    """The inertia of a link beside that of its shape."""

    link: Link
    share: float
    """Of the mass of the body that the link is a part of."""
    solid: Inertia
    """The shape filled evenly with the mass of the link."""
    method: str
    """The shapes that were filled."""

    @cached_property
    def shape(self) -> FloatArray:
        """The moments of the shape (3, 3) about its centre of mass."""
        return matrix(self.solid.at_com)

    @cached_property
    def difference(self) -> float:
        """Of the moments, relative."""
        return relative_difference(self.link.at_com, self.shape)

    @cached_property
    def is_confused(self) -> bool:
        """Whether the inertia seems to be about the link's origin."""
        return is_about_origin(self.link, self.shape)

    @property
    def row(self) -> list[str | float | int]:
        """Of the table."""
        offset = float(np.linalg.norm(self.link.com - [*self.solid.com]))
        return [self.link.name, self.link.mass, self.difference, offset, self.method]

    def line(self) -> Line:
        """The defect."""
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
        return note(
            words,
            "a shape that stands for a link says little; where it is the link's own, say what else "
            "it holds (motors, gears, cables)",
            link.name,
        )


def _compared(robot: Robot) -> Iterator[_Comparison]:
    """The moving links whose inertia is given and that have a shape with a volume."""
    for link in robot.moving_links:
        filled = uniform(link, robot.shapes.get(link.name, ()))
        if filled is not None and link.mass > 0.0 and link.is_given:
            method = "mesh or primitive" if filled[1] else "convex hull"
            body = sum(one.mass for one in robot.links if one.joint == link.joint)
            yield _Comparison(link, link.mass / body, filled[0], method)


def uniform(link: Link, shapes: Sequence[Placed]) -> tuple[Inertia, bool] | None:
    """The shapes of a link filled evenly with its mass, in its frame; None without volume.

    The second result is False where a mesh is open, so that its convex hull is filled.
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
    """Of two inertias about centres of mass in the same axes, by the size of the second."""
    return float(np.linalg.norm(given - shape)) / max(float(np.linalg.norm(shape)), 1e-300)


def without_lever(link: Link) -> FloatArray:
    """The inertia about the centre of mass, if the given one were about the link's origin."""
    c = link.com
    lever = link.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return link.at_com - lever


def is_about_origin(link: Link, shape: FloatArray) -> bool:
    """Whether the given inertia is that of the shape about the origin, not about its centre."""
    lever = link.at_com - without_lever(link)
    if np.linalg.norm(lever) < LEVER * np.linalg.norm(shape):
        return False
    after = relative_difference(without_lever(link), shape)
    return after < 1.0 and after < CLEARLY * relative_difference(link.at_com, shape)
