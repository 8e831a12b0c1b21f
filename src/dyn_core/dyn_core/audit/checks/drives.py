# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Rotor inertias and friction that are implausible for a drive of this robot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import declare
from dyn_core.audit.report import Item, counted, warning
from dyn_core.model.joints import Freedom

MAX_RATIO = 50.0
"""Largest rotor inertia or friction as a multiple of that of the whole robot at full reach: small
hands in use have up to 20."""


MAX_VALUES = {"rotor inertia": 10.0, "damping": 1e3, "friction": 1e3}
"""Limits for revolute joints, kg m^2, N m s/rad and N m: at least three times those of any surveyed
robot. Above them a value is suspect as soon as it exceeds that of the whole robot."""


@declare(
    "drives",
    claim="rotor inertias and friction are those of drives that move this robot",
    why="a rotor or friction in a wrong unit hides the robot itself: it hardly moves, and "
    "simulations and controllers tuned with it are those of another machine",
    step="pipeline step 3",
    order=45,
)
def drives(robot: Robot) -> Iterator[Item]:
    """Armature, damping and friction of each joint, relative to the robot's mass and weight."""
    model, looked = robot.known, 0
    found: set[str] = set()
    weight = robot.mass * max(float(np.linalg.norm(model.gravity)), 1.0)
    for i in model.own_coordinates:
        joint, k = model.joints[i], model.idx_v[i]
        if joint.nv != 1 or not robot.reach or robot.mass <= 0.0:
            continue
        looked += 1
        turns = joint.motion_class is Freedom.TURN
        arm = robot.reach if turns else 1.0
        effort, inertia = ("N m", "kg m^2") if turns else ("N", "kg")
        speed = "rad/s" if turns else "m/s"
        of = "the whole robot at its full reach" if turns else "the whole robot"
        cases = (
            ("rotor inertia", model.armature[k], robot.mass * arm**2, inertia, f"that of {of}"),
            ("damping", model.damping[k], weight * arm, f"{effort} s/{speed[:-2]}",
             f"the weight of {of}, at 1 {speed}"),
            ("friction", model.friction[k], weight * arm, effort, f"the weight of {of}"),
        )  # fmt: skip
        for what, number, size, unit, beside in cases:
            large = MAX_VALUES[what] if turns else np.inf
            if number > MAX_RATIO * size or number > max(size, large):
                found.add(model.names[i])
                yield warning(
                    f"its {what} of {number:.3g} {unit} is {number / size:.3g} times {beside}",
                    "look for a slip of units: 1 kg m^2 is 1e7 g cm^2; geared rotors count by the "
                    "square of the ratio",
                    model.names[i],
                )
        limit = float(model.effort_limit[k])
        if 0.0 < limit < model.friction[k] and model.names[i] not in found:
            found.add(model.names[i])
            yield warning(
                f"its friction of {model.friction[k]:.3g} {effort} is above its effort limit of "
                f"{limit:.3g}: its drive cannot move it",
                "correct one of them",
                model.names[i],
            )
    yield counted(looked - len(found), looked, "drives fit the robot")
