# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inertias that may be about the link's origin, for links without shapes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.described_links import Link, matrix
from dyn_core.audit.report import Item, fine, note, warning
from dyn_core.model.model import FloatArray

CERTAIN_LEVER_SHARE = 0.9
"""Ratio ``share_of_lever`` from which an inertia is certainly about the link's origin."""
SHEET_RATIO = 0.5
"""Radius of gyration along the lever over that across, below which a link is a flat sheet."""
LIKELY_LEVER_SHARE = 0.6
"""Ratio ``share_of_lever`` from which that is likely; a slender link with its origin at an end has
3/4."""


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
    """The share of the second moment along the line to the origin that the lever explains."""
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
        is_sure = link.name not in robot.stand_ins and not is_flat_without_lever(link)
        if CERTAIN_LEVER_SHARE <= share <= 1.0 + 1e-9 and is_sure:
            yield warning(
                words, "export it about the centre of mass, in the frame of <inertial>", link.name
            )
        elif LIKELY_LEVER_SHARE <= share <= 1.0 + 1e-9:
            doubtful.append(link.name)
            yield note(words, "compare with its shape", link.name)
    if robot.shapes:
        yield fine(f"'shape inertia' checks links with shapes; links without: {looked}")
    elif not doubtful:
        yield fine(f"{looked} inertias are plausible about their centres of mass")


def is_flat_without_lever(link: Link) -> bool:
    """Whether the link would be a flat sheet if its inertia were about the origin.

    False if the centre of mass is the origin: there is no lever.

    A long link that extends past its origin may have the second moment of a lever by chance. Once
    the lever is subtracted, a sheet has next to no extent along it.
    """
    S = spread_of(link)
    if not link.com.any():
        return False
    c = link.com / np.linalg.norm(link.com)
    left = float(c @ S @ c) - link.mass * float(link.com @ link.com)
    across = S - np.outer(c, c) @ S - S @ np.outer(c, c) + (c @ S @ c) * np.outer(c, c)
    return left < SHEET_RATIO**2 * float(np.linalg.eigvalsh(across)[1:].min())


def spread_of(link: Link) -> FloatArray:
    """The second moment (3, 3) of the mass about the centre of mass, kg m^2."""
    result: FloatArray = matrix(link.inertia.second_moment) - link.mass * np.outer(
        link.com, link.com
    )
    return result


def share_of_lever(link: Link) -> float:
    """``m c^2`` over the second moment of the mass along c, the vector to the centre of mass.

    An inertia about the origin is that about the centre of mass plus ``m c c'``. Its share is
    therefore below 1, and near 1 for a long lever. With a share above 1 an inertia cannot be about
    the origin.
    """
    S = spread_of(link)
    c = link.com
    if c @ c == 0.0:
        return 0.0
    spread = float(c @ S @ c) / float(c @ c)
    if spread <= 0.0:
        return np.inf
    return float(link.mass * (c @ c) / spread)
