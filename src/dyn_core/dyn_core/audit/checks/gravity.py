# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Gravity torques at named poses, compared with an independent sum over the links."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import declare
from dyn_core.audit.finite_differences import gravity_of_links
from dyn_core.audit.report import Bars, Item, Table, error, fine, warning
from dyn_core.audit.tape_sampling import sampled

TOLERANCE = 1e-9
"""Relative difference up to which torques count as equal."""
MIN_LEVER_M = 0.01
"""Least lever of the whole weight, m: torques are compared relative to at least this product."""
ROUNDING_SHARE = 1e-13
"""Share of the largest torque below which a torque counts as zero."""


@declare(
    "gravity torque",
    claim="g(q) is the sum of m g J over the links, and the joints can hold it",
    why="a sum that differs means that the file was read wrongly; a joint that is too weak drops "
    "the robot",
    step="pipeline step 4",
    order=80,
)
def gravity(robot: Robot) -> Iterator[Item]:
    """Torques at each pose, compared with the sum over the links and with the effort limits."""
    model = robot.known
    if not model.nv:
        yield fine("nothing moves")
        return
    names, poses = list(robot.poses), np.array(list(robot.poses.values()))
    g = sampled(model, ["generalized_gravity"])(poses)
    by_hand = gravity_of_links(robot, poses).sum(axis=2)  # of the links before they are merged
    weight = robot.mass * float(np.linalg.norm(model.gravity))
    size = max(float(np.abs(g).max()), MIN_LEVER_M * weight, 1e-12)
    g, by_hand = (np.where(np.abs(x) < ROUNDING_SHARE * size, 0.0, x) for x in (g, by_hand))
    for name, ours, theirs in zip(names, g, by_hand, strict=True):
        off = float(np.abs(ours - theirs).max()) / size
        if not off <= TOLERANCE:
            k = int(np.nanargmax(np.abs(ours - theirs)))
            yield error(
                f"joint '{model.dof_names[k]}': g is {ours[k]:.6g}, the sum over the links "
                f"{theirs[k]:.6g} (N m or N)",
                "report it to the maintainers, with the file: a link is lost or counted twice",
                name,
            )
        for k in robot.actuated:
            limit = model.effort_limit[k]
            if abs(ours[k]) > limit:
                yield warning(
                    f"joint '{model.dof_names[k]}' needs {abs(ours[k]):.3g} to hold the robot, its "
                    f"limit is {limit:.3g} (N m or N)",
                    "correct the limit or the masses, or do not go there",
                    name,
                )
    yield fine(f"g(q) is the sum over the links to {TOLERANCE:g}; poses: {len(names)}")
    yield Table(
        "g(q), N m or N: computed / by hand",
        ("joint", *names),
        [
            [joint, *(f"{a:.5g} / {b:.5g}" for a, b in zip(g[:, k], by_hand[:, k], strict=True))]
            for k, joint in enumerate(model.dof_names)
        ],
    )
    series = {name: np.abs(row[robot.limbs]).tolist() for name, row in zip(names, g, strict=True)}
    yield Bars("Gravity torque |g(q)|", model.dof_names[robot.limbs], series, "N m, N")
