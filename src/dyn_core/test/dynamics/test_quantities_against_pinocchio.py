# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""All robots and all joint types against Pinocchio, in every quantity that it has too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_model import to_pinocchio
from quantity_oracles import ANYWHERE, INVERTED, MOVING, OF_BODIES, STEADY, SUBTREES
from random_trees import ALL_KINDS, random_model
from test_against_pinocchio import ORACLES
from test_every_robot import FILES, ILL_CONDITIONED, INTERPRETED, NOT_COMPARED, SINGULAR, read
from test_random_trees import states

import dyn_core
from dyn_core import Model, centroidal_map_time_variation

TOLERANCE, EPSILON = 1e-9, float(np.finfo(float).eps)


def check(
    model: Model, theirs: pin.Model, oracles: Mapping, given: Sequence[Mapping[str, np.ndarray]]
) -> None:
    """In all states, relative to the largest entry; what Pinocchio leaves NaN apart.

    All quantities are traced together, so that what they share is traced once, and interpreted.
    """
    data = theirs.createData()
    kernel = dyn_core.compile(model, [*oracles], backend="tape")
    results = kernel.batch(*(np.array([s[name] for s in given]) for name in kernel.inputs))
    found = dict(zip(oracles, results, strict=True))
    M = found[dyn_core.crba]
    for asked, oracle in oracles.items():
        first = found[asked][0] if isinstance(found[asked], tuple) else found[asked]
        for k, (s, actual) in enumerate(zip(given, first, strict=True)):
            expected = np.asarray(oracle(theirs, data, s))
            assert actual.shape == expected.shape, asked
            said = ~np.isnan(expected)
            assert said.all() or asked in SUBTREES, asked
            tolerance = TOLERANCE
            if asked in INVERTED:  # as exactly as an inverse can be
                condition = np.linalg.cond(M[k])
                tolerance = max(TOLERANCE, 10.0 * EPSILON * condition)
            largest = np.abs(expected[said]).max(initial=1.0)
            error = np.abs(actual - expected)[said].max(initial=0.0)
            assert error <= tolerance * largest, asked


@pytest.mark.quick("/ur5_robot.urdf", "/panda.urdf", "/go2.urdf")
@pytest.mark.parametrize(("name", "base"), INTERPRETED.items())
def test_every_robot_vs_pinocchio(name: str, base: str) -> None:
    if name in NOT_COMPARED:
        pytest.skip(NOT_COMPARED[name])
    robot = read(FILES[name], base)
    if not robot.model.nbodies:
        pytest.skip("no joint moves a body")
    oracles = {**ORACLES, **ANYWHERE, **STEADY, **OF_BODIES}
    if name in SINGULAR or name in ILL_CONDITIONED:
        del oracles[dyn_core.aba]
    if name not in SINGULAR:
        oracles |= INVERTED
    check(robot.model, robot.pin_model, oracles, robot.states(20))


def without_rotors(model: Model) -> Model:
    """Pinocchio forgets some in the energy of joints about any axis."""
    bare = [replace(x, limits=replace(x.limits, armature=(0.0,) * x.joint.nv)) for x in model.tree]
    return replace(model, tree=tuple(bare))


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(4))
def test_all_joint_types_vs_pinocchio(seed: int) -> None:
    model = without_rotors(random_model(seed, joints=14, mimic=False))
    oracles = {x: f for x, f in ANYWHERE.items() if x is not centroidal_map_time_variation}
    check(model, to_pinocchio(model).model, oracles, states(model, 20))


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(4))
def test_joints_with_resting_axes_vs_pinocchio(seed: int) -> None:
    kinds = tuple(kind for kind in ALL_KINDS if kind not in MOVING)
    model = without_rotors(random_model(seed, joints=10, kinds=kinds, mimic=False))
    check(model, to_pinocchio(model).model, {**ANYWHERE, **STEADY}, states(model, 20))
