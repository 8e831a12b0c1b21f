# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Total mass of the robot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.described_links import Link
from dyn_core.audit.report import Bars, Item, error, fine, note, warning

MAX_MASS_ERROR = 0.05
"""Largest difference from the mass of the data sheet, relative."""
POUNDS_PER_KG = 2.20462
"""Pounds in a kilogram."""
TWIN_TOLERANCE = 1e-3
"""Relative difference up to which numbers of a copied link count as equal."""
REMEDY = "weigh links, or identify their parameters; look for motors, tools and cables left out"
MAX_BARS = 25
"""Most links in the picture, the heaviest first."""


@declare(
    "total mass",
    claim="the sum of the links' masses is the mass of the robot",
    why="motors, harnesses and covers missing from CAD are 10 to 30 % of many links; every gravity "
    "torque misses as much",
    step="pipeline step 2",
    order=20,
    needs=Needs.LINKS,
)
def total_mass(robot: Robot) -> Iterator[Item]:
    """The sum of the links' masses, compared with that of the data sheet."""
    total = robot.mass
    moving = sum(link.mass for link in robot.moving_links)
    words = f"{len(robot.links)} links weigh {total:.4g} kg, those that move {moving:.4g} kg"
    asked = robot.settings.mass
    if total <= 0.0:
        yield error("the robot weighs nothing", "give its links <inertial> elements")
    elif asked is None:
        yield note(words, "compare with the data sheet: --mass KG")
    elif abs(total - asked) <= MAX_MASS_ERROR * asked:
        yield fine(f"{words}; the robot weighs {asked:.4g} kg")
    else:
        share = (total - asked) / asked
        yield warning(
            f"{words}; the robot weighs {asked:.4g} kg: {share:+.0%}",
            _unit(total / asked) or REMEDY,
        )
    for link, twin in _twins(robot):
        yield warning(
            f"it weighs {link.mass:.4g} kg, {POUNDS_PER_KG:.3f} times as much as its twin "
            f"'{twin.name}': is that in pounds?",
            f"write {link.mass / POUNDS_PER_KG:.4g} kg",
            link.name,
        )
    heavy = sorted((link for link in robot.links if link.mass), key=lambda x: -x.mass)[:MAX_BARS]
    if heavy:
        masses = [link.mass for link in heavy]
        yield Bars("Mass of links", [link.name for link in heavy], {"mass": masses}, "kg")


def _unit(ratio: float) -> str:
    """The unit that explains the ratio of a mass to the weighed one, as a remedy; or empty."""
    for number, unit in ((POUNDS_PER_KG, "pounds"), (1e3, "g")):
        if abs(ratio / number - 1.0) <= MAX_MASS_ERROR:
            return f"the masses seem to be in {unit}: write them in kg"
    return ""


def _twins(robot: Robot) -> Iterator[tuple[Link, Link]]:
    """Links that are copies of a lighter one, by their moments or radii, with masses in pounds."""
    moments = {
        link.name: np.linalg.eigvalsh(link.at_com) for link in robot.moving_links if link.mass > 0.0
    }
    links = sorted((x for x in robot.moving_links if x.name in moments), key=lambda x: x.mass)
    masses = np.array([link.mass for link in links])
    for link in links:
        near = np.abs(link.mass / masses / POUNDS_PER_KG - 1.0) < TWIN_TOLERANCE
        for k in np.flatnonzero(near):
            twin = links[k]
            heavy, light = moments[link.name], moments[twin.name]
            if light.min() > 0.0 and any(
                np.allclose(heavy, factor * light, rtol=TWIN_TOLERANCE)
                for factor in (1.0, POUNDS_PER_KG)
            ):
                yield link, twin
                break
