# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The weight of a finding: the largest gravity effort that depends on the link or joint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.finite_differences import gravity_of_links, weighing_links
from dyn_core.audit.report import Item, Level, Line, Outcome

SAMPLED_POSES = 10
"""Number of sampled poses in which the largest effort is looked for."""


def consequences(robot: Robot) -> dict[str, tuple[float, str]]:
    """The largest gravity effort (N m, N) that depends on each link and joint, and where it is.

    It is that of the worst of some poses; the result is empty without a model.
    """
    model = robot.model
    links = weighing_links(robot)
    if model is None or not model.nv or not links:
        return {}
    q = np.concatenate([np.array(list(robot.poses.values())), robot.held[:SAMPLED_POSES]])
    efforts = gravity_of_links(robot, q)[:, robot.limbs]
    names = model.dof_names[robot.limbs]
    if not names:
        return {}
    alone = np.abs(efforts).max(axis=0)  # (joints, links)
    together = np.abs(efforts.sum(axis=2)).max(axis=0)
    found = {name: (float(x), name) for name, x in zip(names, together, strict=True)}
    for k, link in enumerate(links):
        worst = int(alone[:, k].argmax())
        found[link.name] = (float(alone[worst, k]), names[worst])
    return found


def weighed(outcomes: Iterable[Outcome], robot: Robot) -> tuple[Outcome, ...]:
    """The outcomes, each finding with its gravity effort."""
    outcomes = tuple(outcomes)
    if all(outcome.level <= Level.NOTE for outcome in outcomes):
        return outcomes
    known = consequences(robot)

    def with_level(item: Item) -> Item:
        if not isinstance(item, Line) or item.level <= Level.NOTE or item.subject not in known:
            return item
        effort, joint = known[item.subject]
        return replace(item, effort=effort, joint=joint)

    return tuple(replace(one, items=tuple(map(with_level, one.items))) for one in outcomes)
