# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inertias that are physically inconsistent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.described_links import Link, matrix
from dyn_core.audit.inertia_figure import scene
from dyn_core.audit.report import Item, Line, counted, error, note, warning
from dyn_core.spatial import Inertia, objection

POINT_RADIUS_M = 1e-4
"""Radius of gyration (m) below which a link is a point mass."""


@declare(
    "possible inertia",
    claim="the mass and inertia of every link are physically consistent",
    why="an impossible inertia makes mass matrices indefinite and simulations explode",
    step="pipeline step 2",
    order=30,
    needs=Needs.LINKS,
)
def possible_inertia(robot: Robot) -> Iterator[Item]:
    """Positive mass and moments, the triangle inequality, and a plausible radius of gyration."""
    given = [link for link in robot.links if not link.is_empty]
    lines = [line for link in given if (line := _line(robot, link)) is not None]
    yield from lines
    sound = len(given) - len(lines)
    yield counted(sound, len(given), "inertias are consistent and of a plausible size")
    if robot.model is not None:
        yield scene(robot, robot.model)


def _line(robot: Robot, link: Link) -> Line | None:
    """The defect of a link's inertia; None if there is none."""
    why = objection(link.inertia)
    if why is not None:
        action = "export it again, or put the nearest possible one in its place"
        if robot.model is not None and objection(robot.model.inertias[link.joint]) is None:
            words = f"{why} (together with the links fixed to it, it is possible)"
            return note(f"no body has this inertia: {words}", action, link.name)
        return error(f"no body has this inertia: {why}", action, link.name)
    if robot.model is not None and not link.joint:
        return None  # fixed to the world: its size has no effect
    radius = radius_of_gyration(link.inertia)
    if robot.reach is not None and radius > robot.reach:
        return warning(
            f"its radius of gyration is {radius:.3g} m, more than the size of the whole robot, "
            f"{robot.reach:.3g} m",
            "look for a slip of units: 1 kg m^2 is 1e6 kg mm^2 and 1e9 g mm^2",
            link.name,
        )
    body = robot.model.inertias[link.joint] if robot.model is not None else link.inertia
    if radius < POINT_RADIUS_M and radius_of_gyration(body) < POINT_RADIUS_M:
        return warning(
            f"its radius of gyration is {radius:.2g} m: the link is a point",
            "give it the inertia of its shape",
            link.name,
            why="joints about such a link accelerate without bound, and steps become tiny",
        )
    return None


def radius_of_gyration(inertia: Inertia) -> float:
    """Radius of gyration about the centre of mass, over all axes, m; infinite without mass."""
    if inertia.mass <= 0.0:
        return float("inf")
    trace = float(np.trace(matrix(inertia.at_com)))
    return float(np.sqrt(max(trace, 0.0) / (2.0 * inertia.mass)))
