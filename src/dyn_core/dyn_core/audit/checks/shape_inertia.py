# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inertias compared with those of the links' shapes at uniform density."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from dyn_core.audit.audited_robot import Placed, Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.checks.total_mass import POUNDS_PER_KG
from dyn_core.audit.fit import Fit, fit, misfit, relative_difference, without_lever
from dyn_core.audit.report import Bars, Item, Level, Line, Table, counted, note, warning
from dyn_core.geometry import TriangleMesh
from dyn_core.geometry.shape_properties import corners, hull_volume

MAX_DIFFERENCE = 0.3
"""Relative difference at which the reference flags an inertia."""
INERTIA_UNITS = {
    1e3: "g m^2",
    3417.0: "lb in^2",
    1e4: "kg cm^2",
    1e6: "kg mm^2",
    1e7: "g cm^2",
    1e9: "g mm^2",
}
"""What 1 kg m^2 is in other units."""
MIN_UNIT_RATIO = 1e3 / 3.0
"""Ratio of an inertia to the shape's from which only a unit explains it: the smallest step between
units is 1000, and a shape filled evenly misses the real inertia by a factor of up to 3. The largest
of a robot in use, whose wrists were made heavier on purpose, is 234."""
NEGLIGIBLE_MASS_SHARE = 1e-3
"""Share of the robot's mass below which a link's inertia has no effect."""
MAX_POINT_SHARE = 0.5
"""Largest share of a body's mass that one of its links may have as a point mass."""
MIN_PAIR_MISFIT = 0.3
"""Sum of the misfits of two links from which their inertials may be exchanged."""
MAX_EXCHANGE_RATIO = 0.6
"""Ratio of the misfits with exchanged and given inertials of two links below which the exchange
explains them; no pair of neighbours of the surveyed robots is below."""
OSMIUM_DENSITY = 22_600.0
"""Density of osmium, kg/m^3, the densest matter on Earth."""
STEEL_DENSITY = 7_850.0
"""Density of steel, kg/m^3: no link fills the convex hull of its mesh with it."""
MIN_MASS_SHARE = 1e-2
"""Share of the robot's mass from which a shape is taken for that of the whole link: feet, rotors
and sensors are often drawn smaller than they are."""
POINT_RATIO = 1e-10
"""Ratio of an inertia to the shape's below which the link is a point, and the rest is rounding."""


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
    weighty = [one for one in compared if one.link.mass >= NEGLIGIBLE_MASS_SHARE * robot.mass]
    exchanged = dict(_exchanged(robot, weighty))
    far = [one for one in compared if one.difference > MAX_DIFFERENCE]
    named = []
    for one in weighty:
        name = one.link.name
        line = exchanged.get(name) or _dense(robot, one)
        if line is None and (one in far or one.wrong_signs):
            line = _line(robot, one, _is_pounds(one, compared))
        if line is not None:
            named.append(one)
            yield replace(line, level=Level.NOTE) if name in robot.stand_ins else line
    words = f"inertias are within {MAX_DIFFERENCE:.0%} of shapes"
    if named:
        words += f", {sum(one.is_confused for one in named)} seem to be about the origin"
    elif far:
        words += "; the other links weigh next to nothing"
    summary = counted(len(compared) - len(far), len(compared), words)
    yield replace(summary, level=Level.NOTE) if named else summary
    head = ("link", "mass, kg", "difference", "distance of centres of mass, m", "shape")
    rows = [(x.link.name, x.link.mass, x.difference, x.offset, _method(x)) for x in compared]
    yield Table("Inertia beside the shape at uniform density", head, rows)
    if compared:
        names, percent = zip(*((x.link.name, 100.0 * x.difference) for x in compared), strict=True)
        series = {"difference": percent}
        yield Bars("Difference of inertia from the shape's", names, series, "%", True)


def _compared(robot: Robot) -> Iterator[Fit]:
    """The moving links with a given inertia and a shape with a volume."""
    for link in robot.moving_links:
        if link.mass > 0.0 and link.is_given:
            one = fit(link, robot.shapes.get(link.name, ()))
            if one is not None:
                yield one


def _method(one: Fit) -> str:
    return "mesh or primitive" if one.is_closed else "convex hull"


def _line(robot: Robot, one: Fit, is_pounds: bool) -> Line:
    """The finding of an inertia that is far from its shape's."""
    link = one.link
    body = sum(x.mass for x in robot.links if x.joint == link.joint)
    is_main = link.mass > MAX_POINT_SHARE * body
    if one.ratio < POINT_RATIO:
        return (warning if is_main else note)(
            f"it has a mass of {link.mass:.3g} kg but no moments of inertia",
            "give it those of its shape",
            link.name,
        )
    if one.is_confused:
        after = relative_difference(without_lever(link), one.shape)
        return warning(
            "its inertia seems to be about the link's origin, not about the centre of mass "
            f"{np.linalg.norm(link.com):.3g} m away: {one.difference:.0%} from its shape's, "
            f"{after:.0%} without the parallel-axis term",
            "export it about the centre of mass, in the frame of <inertial>",
            link.name,
            why="the lever's m d^2 counts twice",
        )
    times = one.ratio if one.ratio > 1.0 else 1.0 / max(one.ratio, 1e-300)
    size = f"{one.ratio:.3g} times" if times > 2.0 else f"{one.difference:.0%} off"
    words = f"its inertia is {size} its shape's at uniform density ({_method(one)})"
    if times > MIN_UNIT_RATIO and (is_main or one.ratio > 1.0):
        unit = min(INERTIA_UNITS, key=lambda x: abs(np.log(x / times)))
        what = f"moments in {INERTIA_UNITS[unit]}" if one.ratio > 1.0 else "a mass in g"
        return warning(
            f"{words}, a slip of units? For example {what}",
            "1 kg m^2 is 1e4 kg cm^2, 1e6 kg mm^2, 1e7 g cm^2 and 1e9 g mm^2: export it again",
            link.name,
        )
    if is_pounds:
        return warning(
            f"{words}; a mass in pounds explains that",
            f"write the mass in kg: 1 kg is {POUNDS_PER_KG:.3g} lb",
            link.name,
        )
    if one.wrong_signs:
        signs = ", ".join(one.wrong_signs)
        return warning(
            f"{words}; with the other sign of {signs} it fits",
            "URDF takes products of inertia as entries of the matrix, Ixy = -∫ x y dm; some CAD "
            "programs print +∫ x y dm: reverse the sign",
            link.name,
            why="the principal axes of the link are mirrored",
        )
    if one.is_turned:
        return warning(
            f"{words}; about other axes it fits: are the axes of its moments exchanged?",
            "export it in the axes of <inertial>, and give their <origin> its rotation",
            link.name,
        )
    is_sure = one.is_beyond_reason and link.mass >= MIN_MASS_SHARE * robot.mass
    return (warning if is_sure else note)(
        words,
        "if the shape is the link's own, explain the difference by motors, gears and cables "
        "inside; a substitute shape proves nothing",
        link.name,
    )


def _is_pounds(one: Fit, compared: Sequence[Fit]) -> bool:
    """Whether a mass in pounds explains a link's inertia, while most others fit, or most mass."""
    if not _fits_in_pounds(one):
        return False
    others = [x.difference < MAX_DIFFERENCE for x in compared if x is not one]
    heavy = sum(x.link.mass for x in compared if _fits_in_pounds(x))
    mostly = 2.0 * heavy > sum(x.link.mass for x in compared)
    return bool(others) and (mostly or 2 * sum(others) >= len(others))


def _fits_in_pounds(one: Fit) -> bool:
    factors = (POUNDS_PER_KG, 1.0 / POUNDS_PER_KG)
    after = min(relative_difference(x * one.link.at_com, one.shape) for x in factors)
    return one.is_closed and after < 0.1 * one.difference


def _dense(robot: Robot, one: Fit) -> Line | None:
    """A link that weighs more than its box full of osmium, or its hull full of steel."""
    mass = one.link.mass
    if mass < MIN_MASS_SHARE * robot.mass:
        return None
    if mass > OSMIUM_DENSITY * one.box:
        where = f"a box of {one.box:.3g} m^3, more than any metal"
    elif mass <= STEEL_DENSITY * one.volume:
        return None
    else:
        hull = _hull(robot.shapes[one.link.name]) if one.is_closed else one.volume
        if mass <= STEEL_DENSITY * hull:
            return None
        where = f"a convex hull of {hull:.3g} m^3, more than solid steel"
    return warning(
        f"it weighs {mass:.3g} kg in {where}: a slip of units or digits?",
        "write its mass in kg, and the sizes of its shape in m",
        one.link.name,
    )


def _hull(shapes: Sequence[Placed]) -> float:
    """Volume of the convex hull of meshes, m^3.

    It is infinite with shapes of other kinds, which are often drawn smaller than the link.
    """
    if not all(isinstance(one.shape, TriangleMesh) for one in shapes):
        return np.inf
    return hull_volume(np.concatenate([corners(one.shape, one.placement) for one in shapes]))


def _exchanged(robot: Robot, compared: Sequence[Fit]) -> Iterator[tuple[str, Line]]:
    """Neighbours whose inertials fit the shapes of each other."""
    by_name = {one.link.name: one for one in compared if one.link.name not in robot.stand_ins}
    links = {link.name: link for link in robot.links}
    for one in by_name.values():
        carrier = links.get(one.link.parent)
        while carrier is not None and carrier.is_empty:
            carrier = links.get(carrier.parent)
        other = by_name.get(carrier.name) if carrier is not None else None
        if other is None:
            continue
        given = misfit(one, one) + misfit(other, other)
        if not MIN_PAIR_MISFIT < given < np.inf:
            continue
        if misfit(one, other) + misfit(other, one) < MAX_EXCHANGE_RATIO * given:
            for a, b in ((one, other), (other, one)):
                yield (
                    a.link.name,
                    warning(
                        f"its inertial fits the shape of its neighbour '{b.link.name}', and the "
                        "neighbour's fits its own: are they exchanged?",
                        "exchange the <inertial> elements",
                        a.link.name,
                    ),
                )
