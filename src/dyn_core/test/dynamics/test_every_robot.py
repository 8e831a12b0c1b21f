# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Robots and joint types against Pinocchio, in every quantity that it has too.

Of every robot of example-robot-data machine code is compared on one base, definitions on the other.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from covering import covers
from mimic_oracle import MimicOracle
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
from robots import Robot, example_robots, load, relative_error
from test_random_trees import KINDS, states

import dyn_core
from dyn_core import Model, ModelError, centroidal_map_time_variation
from dyn_core.compiler.runtime.batch import Batch
from dyn_core.compiler.runtime.build_spec import BuildSpec

FILES = {str(p.relative_to(example_robots())): p for p in example_robots().rglob("*.urdf")}
NOT_COMPARED = {
    "ur_description/urdf/ur3.urdf": "the file holds no link; Pinocchio does not read it either",
}
SINGULAR = {
    "romeo_description/urdf/romeo.urdf": "hands and fingers without inertia: M is singular",
    "romeo_description/urdf/romeo_laas_small.urdf": "grippers without inertia: M is singular",
}
"""Robots whose forward dynamics do not exist."""
ILL_CONDITIONED = {
    "icub_description/robots/icub.urdf": "cond(M) is up to 7e9, accelerations up to 2e11 rad/s^2",
}
"""Robots whose accelerations no two algorithms compute alike; their efforts are compared."""
TWINS = {
    "panda_description/urdf/panda_collision.urdf": "panda_description/urdf/panda.urdf",
    "talos_data/robots/talos_full_v2_box.urdf": "talos_data/robots/talos_full_v2.urdf",
    "talos_data/robots/talos_reduced_box.urdf": "talos_data/robots/talos_reduced.urdf",
    "talos_data/robots/talos_reduced_corrected.urdf": "talos_data/robots/talos_reduced.urdf",
}
"""Files that differ in shapes alone, as `test_twins_are_the_same_robot_for_both` sees: the dynamics
of one are those of the other."""
BASES = {"fixed": None, "free": "free_flyer"}
ROBOTS = sorted(FILES.keys() - TWINS.keys())
COMPILED = dict(zip(ROBOTS, cycle(BASES), strict=False))
"""The base of each robot for which code is compiled, in turn: for one state where it is fixed, for
many at once where it is free. Compilers take nearly all the time of these tests."""
INTERPRETED = dict(zip(ROBOTS, cycle(reversed(BASES)), strict=False))
"""The other base of each robot."""


def read(path: Path, base: str, mimic: bool = False) -> Robot:
    model = Model.from_urdf(path, root_joint=BASES[base], mimic=mimic, massless=True)
    arguments = [pin.JointModelFreeFlyer()] if base == "free" else []
    return Robot(path.stem, model, pin.buildModelFromUrdf(str(path), *arguments))


@pytest.mark.quick("panda")
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("name", TWINS)
def test_twins_are_the_same_robot_for_both(name: str, base: str) -> None:
    robot, twin = read(FILES[name], base), read(FILES[TWINS[name]], base)
    assert robot.model.fingerprint == twin.model.fingerprint
    assert robot.pin_model == twin.pin_model


@pytest.mark.quick("/ur5_robot.urdf", "/panda.urdf", "/go2.urdf")
@pytest.mark.parametrize(("name", "base"), COMPILED.items())
def test_dynamics_vs_pinocchio(name: str, base: str) -> None:
    if name in NOT_COMPARED:
        with pytest.raises(ModelError, match="no link"):
            read(FILES[name], base)
        pytest.skip(NOT_COMPARED[name])
    robot = read(FILES[name], base)
    if name in SINGULAR:
        with pytest.raises(ModelError, match="can move without moving any inertia"):
            dyn_core.compile(robot.model, [dyn_core.aba])
    compared = name not in SINGULAR and name not in ILL_CONDITIONED
    quantities = [x for x in DYNAMICS if compared or x is not dyn_core.aba]
    compute = one_by_one if base == "fixed" else all_at_once
    compare(robot, quantities, compute(robot, quantities))
    if name in ILL_CONDITIONED:
        check_residual(robot)
    check_configurations(robot)


MIMIC = {
    "alex_description/urdf/alex_psyonic_hands.urdf": "it mimics joints that the file does not have",
    "baxter_description/urdf/baxter.urdf": None,
    "panda_description/urdf/panda.urdf": None,
    "panda_description/urdf/panda_collision.urdf": None,
    "pr2_description/urdf/pr2.urdf": None,
    "romeo_description/urdf/romeo.urdf": None,
    "talos_data/robots/talos_full_v2.urdf": None,
    "talos_data/robots/talos_full_v2_box.urdf": None,
    "tiago_pro_description/robots/tiago_pro.urdf": None,
}
"""Robots with moving mimic joints, and why one cannot be read with them."""


def test_all_robots_with_mimic_joints_are_listed() -> None:
    def has_mimic(path: Path) -> bool:
        joints = ET.parse(path).getroot().findall("joint")
        return any(j.find("mimic") is not None and j.get("type") != "fixed" for j in joints)

    assert {name for name, path in FILES.items() if has_mimic(path)} == set(MIMIC)


@pytest.mark.quick("alex", "/panda.urdf", "baxter")
@pytest.mark.parametrize("name", MIMIC)
def test_mimic_joints_vs_pinocchio(name: str) -> None:
    """By independent joints and the constraint: Pinocchio's own mimic lacks forward dynamics, and
    does not read the robots whose joints come before those that they follow.
    """
    if MIMIC[name] is not None:
        with pytest.raises(ModelError, match="which does not exist"):
            read(FILES[name], "fixed", mimic=True)
        pytest.skip(MIMIC[name])
    model = Model.from_urdf(FILES[name], massless=True)
    assert model.has_mimic_joints
    oracle = MimicOracle(model, pin.buildModelFromUrdf(str(FILES[name])))
    oracle.check(states(model, 20), forward=name not in SINGULAR)


def one_by_one(robot: Robot, quantities: list[dyn_core.Quantity]) -> list[list[np.ndarray]]:
    """All quantities in 20 states, by machine code for one state."""
    kernel = dyn_core.compile(robot.model, quantities)
    compute = kernel.bind(robot.model.create_data())
    given = ([s[name] for name in kernel.inputs] for s in robot.states(20))
    return [[x.copy() for x in compute(*arrays)] for arrays in given]


def all_at_once(robot: Robot, quantities: list[dyn_core.Quantity]) -> list[list[np.ndarray]]:
    """All quantities in 20 states, by machine code with a state per lane, and by no other."""
    spec = BuildSpec(robot.model, tuple(quantity.request() for quantity in quantities))
    given = robot.states(20)
    rows = (np.array([s[name] for s in given]) for name in spec.signature.inputs)
    results = Batch(spec)(*rows)
    assert set(spec.origins.values()) <= {"compiled", "from the cache"}
    return [list(state) for state in zip(*results, strict=True)]


def compare(
    robot: Robot, quantities: list[dyn_core.Quantity], found: list[list[np.ndarray]]
) -> None:
    """Compare 20 states with Pinocchio."""
    pin_data = robot.pin_model.createData()
    for s, results in zip(robot.states(20), found, strict=True):
        for quantity, actual in zip(quantities, results, strict=True):
            expected = DYNAMICS[quantity](robot.pin_model, pin_data, s)
            assert relative_error(actual, expected) < 1e-10, quantity


def check_residual(robot: Robot) -> None:
    """The acceleration needs the effort that was given, to rounding of what it is summed from."""
    model, pin_data = robot.model, robot.pin_model.createData()
    for s in robot.states(20):
        ddq = dyn_core.aba(model, s["q"], s["v"], s["tau"])
        effort = pin.rnea(robot.pin_model, pin_data, s["q"], s["v"], ddq)
        size = np.max(np.abs(dyn_core.crba(model, s["q"])) @ np.abs(ddq))
        assert np.max(np.abs(effort - s["tau"])) < 1e-14 * model.nv * size


def check_configurations(robot: Robot) -> None:
    """Integrate, difference and normalize."""
    model, theirs = robot.model, robot.pin_model
    assert np.array_equal(dyn_core.neutral(model), pin.neutral(theirs))
    for s in robot.states(20):
        q1 = pin.integrate(theirs, s["q"], s["v"])
        assert np.allclose(dyn_core.integrate(model, s["q"], s["v"]), q1, rtol=1e-10, atol=1e-12)
        dv = pin.difference(theirs, s["q"], q1)
        assert np.allclose(dyn_core.difference(model, s["q"], q1), dv, rtol=1e-9, atol=1e-11)


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
