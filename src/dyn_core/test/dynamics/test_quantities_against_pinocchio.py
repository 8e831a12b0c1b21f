# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""All robots and all joint types against Pinocchio, in every quantity that it has too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from covering import covers
from pinocchio_model import to_pinocchio
from quantity_oracles import (
    ANYWHERE,
    DYNAMICS,
    INVERTED,
    MOVING,
    OF_BODIES,
    STEADY,
    check,
    every,
)
from random_trees import random_model
from robots import Robot, load
from test_every_robot import FILES, ILL_CONDITIONED, INTERPRETED, NOT_COMPARED, SINGULAR, read
from test_random_trees import KINDS, states

import dyn_core
from dyn_core import Model, centroidal_map_time_variation


@covers(*{getattr(x, "quantity", x) for x in every(load("ur5"))})
def test_every_quantity_vs_pinocchio(robot: Robot) -> None:
    """In the three references, of several joints and frames, under forces on bodies."""
    random, given = np.random.default_rng(1), robot.states(10)
    for s in given:
        s |= {"f_ext": random.normal(size=(robot.model.njoints, 6)), "b": s["tau"]}
    check(robot.model, robot.pin_model, every(robot), given)


@pytest.mark.quick("/ur5_robot.urdf", "/panda.urdf", "/go2.urdf")
@pytest.mark.parametrize(("name", "base"), INTERPRETED.items())
def test_every_robot_vs_pinocchio(name: str, base: str) -> None:
    if name in NOT_COMPARED:
        pytest.skip(NOT_COMPARED[name])
    robot = read(FILES[name], base)
    if not robot.model.nbodies:
        pytest.skip("no joint moves a body")
    oracles = {**DYNAMICS, **ANYWHERE, **STEADY, **OF_BODIES}
    if name in SINGULAR or name in ILL_CONDITIONED:
        del oracles[dyn_core.aba]
    if name not in SINGULAR:
        oracles |= INVERTED
    check(robot.model, robot.pin_model, oracles, robot.states(20))


def without_rotors(model: Model) -> Model:
    """Pinocchio forgets some in the energy of joints about any axis."""
    bare = [replace(x, limits=replace(x.limits, armature=(0.0,) * x.joint.nv)) for x in model.tree]
    return replace(model, tree=tuple(bare))


OF_ALL_TYPES = {x: f for x, f in ANYWHERE.items() if x is not centroidal_map_time_variation}
RESTING = tuple(kind for kind in KINDS if kind not in MOVING)


@pytest.mark.quick("-0]")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kinds", [KINDS, RESTING], ids=["all types", "resting axes"])
def test_random_trees_vs_pinocchio(kinds: tuple[str, ...], seed: int) -> None:
    """Quantities of which Pinocchio is right only where axes rest in their child among these."""
    oracles = {**ANYWHERE, **STEADY} if kinds is RESTING else OF_ALL_TYPES
    model = without_rotors(random_model(seed, joints=len(kinds) + 3, kinds=kinds, mimic=False))
    check(model, to_pinocchio(model).model, oracles, states(model, 20))
