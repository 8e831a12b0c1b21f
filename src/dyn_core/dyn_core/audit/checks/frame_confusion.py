# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inertias that look as if they were about the link's origin, where no shape can tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.declaration import Needs, declare
from dyn_core.audit.links import Link, matrix
from dyn_core.audit.report import Item, fine, note, warning
from dyn_core.audit.robot import Robot
from dyn_core.model.model import FloatArray

CERTAIN = 0.9
"""Share of the spread along the lever that the lever itself explains, beyond doubt."""
FLAT = 0.5
"""Radius of gyration along the lever by that across, below which a link would be a sheet."""
LIKELY = 0.6
"""The same of a slender link whose origin is at its end: 3/4."""


@declare(
    "inertia frame",
    claim="inertias are about the centres of mass, not about the origins of links",
    why="an inertia about the link's origin counts the lever's m d^2 twice, in silence: 10 to 30 % "
    "and more",
    step="pipeline step 2",
    order=60,
    needs=Needs.LINKS,
)
def frame_confusion(robot: Robot) -> Iterator[Item]:
    """How much of the spread of mass along the line to the origin would be the lever's."""
    doubtful = []
    looked = 0
    for link in robot.moving_links:
        if not link.is_given or link.mass <= 0.0 or link.name in robot.shapes:
            continue
        looked += 1
        share = share_of_lever(link)
        words = (
            f"of the spread of its mass towards the link's origin, {np.linalg.norm(link.com):.3g} m"
            f" away, {share:.0%} would be explained by an inertia about that origin"
        )
        if CERTAIN <= share <= 1.0 + 1e-9 and not is_flat_without_lever(link):
            yield warning(
                words, "export it about the centre of mass, in the frame of <inertial>", link.name
            )
        elif LIKELY <= share <= 1.0 + 1e-9:
            doubtful.append(link.name)
            yield note(words, "compare with its shape", link.name)
    if robot.shapes:
        yield fine(f"links with shapes are told by 'shape inertia'; {looked} have none")
    elif not doubtful:
        yield fine(f"{looked} inertias are plausible about their centres of mass")


def is_flat_without_lever(link: Link) -> bool:
    """Whether the inertia would be that of a sheet, were it about the origin.

    A long link that reaches past its origin has the spread of a lever by chance; with the lever
    taken off, next to nothing is left along it.
    """
    S = spread_of(link)
    c = link.com / np.linalg.norm(link.com)
    left = float(c @ S @ c) - link.mass * float(link.com @ link.com)
    across = S - np.outer(c, c) @ S - S @ np.outer(c, c) + (c @ S @ c) * np.outer(c, c)
    return left < FLAT**2 * float(np.linalg.eigvalsh(across)[1:].min())


def spread_of(link: Link) -> FloatArray:
    """The second moment (3, 3) of the mass about the centre of mass, kg m^2."""
    result: FloatArray = matrix(link.inertia.second_moment) - link.mass * np.outer(
        link.com, link.com
    )
    return result


def share_of_lever(link: Link) -> float:
    """``m c^2`` by the second moment of the mass along c, the way from the origin to its centre.

    An inertia about the origin has the second moments of that about the centre of mass and
    ``m c c'`` besides, so that this share is below 1, and near it if the lever is long. Above 1 it
    cannot be about the origin.
    """
    S = spread_of(link)
    c = link.com
    if c @ c == 0.0:
        return 0.0
    spread = float(c @ S @ c) / float(c @ c)
    if spread <= 0.0:
        return np.inf
    return float(link.mass * (c @ c) / spread)
