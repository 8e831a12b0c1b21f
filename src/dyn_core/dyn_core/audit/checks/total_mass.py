# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Total mass of the robot."""

from __future__ import annotations

from collections.abc import Iterator

from dyn_core.audit.declaration import Needs, declare
from dyn_core.audit.report import Bars, Item, error, fine, note, warning
from dyn_core.audit.robot import Robot

OFF = 0.05
"""Largest difference from the mass of the data sheet, relative."""
SHOWN = 25
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
    elif abs(total - asked) <= OFF * asked:
        yield fine(f"{words}; the robot weighs {asked:.4g} kg")
    else:
        share = (total - asked) / asked
        yield warning(
            f"{words}; the robot weighs {asked:.4g} kg: {share:+.0%}",
            "weigh links, or identify their parameters; look for motors, tools and cables left out",
        )
    heavy = sorted((link for link in robot.links if link.mass), key=lambda x: -x.mass)[:SHOWN]
    if heavy:
        masses = [link.mass for link in heavy]
        yield Bars("Mass of links", [link.name for link in heavy], {"mass": masses}, "kg")
