# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inertias that are missing or are placeholders."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.described_links import Link
from dyn_core.audit.fit import box_of
from dyn_core.audit.report import (
    Item,
    Level,
    Line,
    error,
    fine,
    is_power_of_ten,
    listed,
    note,
    warning,
)
from dyn_core.model.frame import FrameType
from dyn_core.model.model import Model

NEGLIGIBLE_MASS_SHARE = 1e-2
"""Share of the robot's mass below which a placeholder has no effect."""
MIN_GIVEN_SHARE = 0.5
"""Share of the moving mass that must be given for a default density to be an oversight."""
AIR_DENSITY = 1.2
"""Density of air, kg/m^3."""
MIN_DENSITY = 20.0
"""Least density of the box of a link, kg/m^3, of a machine with hollow parts."""
MIN_BOX_SHARE = 0.1
"""Share of the boxes of all links from which a fixed link is no ornament or marker."""
TOLERANCE = 1e-9
MAX_DIGITS = 3
"""Most significant digits of a placeholder's mass; a mass with more was weighed or computed."""


@declare(
    "missing inertia",
    claim="every moving body has an inertia that was measured or computed",
    why="a body without inertia has no dynamics, and a placeholder has the dynamics of no real "
    "body",
    step="pipeline step 2",
    order=40,
    needs=Needs.LINKS,
)
def missing_inertia(robot: Robot) -> Iterator[Item]:
    """Bodies without inertia, links whose shapes have no mass, and placeholder inertias."""
    found: list[Line] = []
    if robot.model is not None:
        found += _bodies(robot.model)
    own = {name for name in _driven(robot) if name in robot.shapes}
    bare = [x.name for x in robot.links if x.is_empty and x.joint and x.name in robot.shapes]
    for link in _weightless(robot, own):
        found.append(
            warning(
                ("a joint moves it, and it has a shape, but " if link.name in own else "its ")
                + (
                    "it weighs nothing"
                    if link.is_empty
                    else f"mass of {link.mass:.3g} kg is less than that of the air in its shape"
                ),
                "give it an <inertial>",
                link.name,
            )
        )
    bare = [name for name in bare if name not in {line.subject for line in found}]
    if bare:
        found.append(
            note(
                f"links with a shape but no mass: {listed(bare)}",
                "include their inertia in the links that carry them",
            )
        )
    computed = [x.name for x in robot.moving_links if not x.is_given]
    forgotten = [name for name in _forgotten(robot) if name in own]
    for name in forgotten:
        found.append(
            warning(
                "its inertia is that of its shapes at the density of water, where most others are "
                "given: was its <inertial> forgotten?",
                "give it one",
                name,
            )
        )
    computed = [name for name in computed if name not in forgotten]
    if computed:
        found.append(
            note(
                f"the inertia of {len(computed)} bodies is that of their shapes at a density: "
                f"{listed(computed)}",
                "weigh or identify them; uniform density misses moments by 20 to 50 %",
            )
        )
    defaults = [link for link in robot.moving_links if link.is_given and _is_default(link)]
    for link in defaults:
        moment = link.at_com[0, 0]
        found.append(
            (warning if link.mass > NEGLIGIBLE_MASS_SHARE * robot.mass else note)(
                f"mass {link.mass:.3g} kg and the moments {moment:.3g} kg m^2 about all axes look "
                "like a default",
                "put the link's own in their place",
                link.name,
            )
        )
    yield from found
    if not any(line.level > Level.NOTE for line in found):
        yield fine(
            f"{len(robot.moving_links)} moving links have inertias, none looks like a default"
        )


def _forgotten(robot: Robot) -> list[str]:
    """Links of default density, where most of the robot's mass is given."""
    given = sum(link.mass for link in robot.moving_links if link.is_given)
    if given < MIN_GIVEN_SHARE * sum(link.mass for link in robot.moving_links):
        return []
    links = [link for link in robot.moving_links if link.is_of_water]
    return [link.name for link in links if link.mass > NEGLIGIBLE_MASS_SHARE * robot.mass]


def _weightless(robot: Robot, driven: set[str]) -> Iterator[Link]:
    """Links with a shape that are lighter than the air in its box, and should not be.

    A link that is fixed to others counts if it is a large part of the robot, and no link without a
    shape has its mass.
    """
    boxes = {
        link.name: float(np.prod(np.ptp(box_of(robot.shapes[link.name]), axis=0)))
        for link in robot.links
        if link.joint and link.name in robot.shapes
    }
    bodies: dict[int, float] = {}
    """The mass of links without a shape, by the joint that carries them."""
    for link in robot.links:
        if link.name not in boxes:
            bodies[link.joint] = bodies.get(link.joint, 0.0) + link.mass
    large = MIN_BOX_SHARE * sum(boxes.values())
    for link in robot.links:
        if link.name not in boxes or link.mass > AIR_DENSITY * boxes[link.name]:
            continue
        is_part = link.name in driven or (
            boxes[link.name] > large
            and link.name not in robot.stand_ins
            and bodies.get(link.joint, 0.0) <= MIN_DENSITY * boxes[link.name]
        )
        if is_part and (link.is_empty or link.mass > 0.0):
            yield link


def _driven(robot: Robot) -> set[str]:
    """Links behind a joint of one degree of freedom, without links fixed to them and bases."""
    model = robot.model
    if model is None:
        return set()
    first: dict[int, str] = {}
    for frame in model.frames:
        if frame.type is FrameType.BODY and frame.joint and model.joints[frame.joint].nv == 1:
            first.setdefault(frame.joint, frame.name)
    return set(first.values())


def _bodies(model: Model) -> Iterator[Line]:
    """Moving bodies without inertia; an error if nothing in the subtree has inertia."""
    subtree = [any(inertia.parameters) for inertia in model.inertias]
    for i in reversed(model.moving_joints):
        subtree[model.parents[i]] = subtree[model.parents[i]] or subtree[i]
    for i in model.moving_joints:
        if any(model.inertias[i].parameters):
            continue
        what = f"the body that joint '{model.names[i]}' moves has no inertia"
        rotors = bool(model.tree[i].limits.armature) and any(model.tree[i].limits.armature)
        if not subtree[i] and not rotors:
            yield error(
                f"{what}, nor has its subtree",
                "give it mass and inertia",
                model.names[i],
                why="the mass matrix is singular: there is no forward dynamics",
            )
        else:
            yield note(what, "give it mass and inertia if it has any", model.names[i])


def _is_default(link: Link) -> bool:
    """Whether all moments are the same power of ten, as in templates."""
    moments = link.at_com
    size = moments[0, 0]
    if size <= 0.0 or not np.allclose(moments, size * np.eye(3), rtol=TOLERANCE, atol=0.0):
        return False
    digits = f"{link.mass:.6g}".replace(".", "").strip("0")
    return is_power_of_ten(size) and len(digits) <= MAX_DIGITS
