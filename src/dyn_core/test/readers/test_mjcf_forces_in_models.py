# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Models with what acts beside the drives in MJCF: stored, reduced, mounted, simulated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mujoco_model import configuration, random_states
from robots import relative_error
from test_mjcf_forces import FORCES, load

from dyn_core import Model, ModelError, passive_efforts
from dyn_core.serialize import from_json, to_json
from dyn_core.simulation import JointEfforts
from dyn_core.simulation.driven_dynamics import SMOOTHING


@pytest.mark.parametrize("name", FORCES)
def test_they_are_stored(name: str) -> None:
    model = Model.from_mjcf(FORCES[name])
    again = from_json(to_json(model))
    assert again == model
    assert again.fingerprint == model.fingerprint


@pytest.mark.parametrize("name", ["boxes in a fluid", "tackle", "fixed tendon"])
def test_locked_joints_feel_nothing_and_the_rest_the_same(name: str) -> None:
    model, oracle = load(name)
    ((qpos, v),) = random_states(oracle, 1)
    q = configuration(oracle, qpos)
    k = model.idx_v[model.joint_index("j2")]
    v[k] = 0.0
    kept = np.delete(np.arange(model.nv), k)
    less = model.reduced(["j2"], q)
    expected = passive_efforts.define(model, q.tolist(), v.tolist())
    own = passive_efforts.define(
        less, np.delete(q, model.idx_q[model.joint_index("j2")]).tolist(), v[kept].tolist()
    )
    assert relative_error(np.array(own), np.array(expected)[kept]) < 1e-12


@pytest.mark.parametrize("name", ["tackle", "ellipsoids in a fluid", "gravity compensation"])
def test_a_mounted_robot_brings_what_acts_on_it(name: str) -> None:
    """The efforts at its joints are those that it has alone where it is mounted in its world."""
    model, oracle = load(name)
    base = replace(Model.from_urdf('<robot name="o"><link name="base"/></robot>'))
    mounted = base.with_gravity(model.gravity).append(model, "base")
    for qpos, v in random_states(oracle, 2):
        q = configuration(oracle, qpos).tolist()
        expected = passive_efforts.define(model, q, v.tolist())
        assert np.allclose(passive_efforts.define(mounted, q, v.tolist()), expected, rtol=1e-12)


def test_robots_in_different_fluids_are_not_one() -> None:
    water = Model.from_mjcf(FORCES["boxes in an ideal fluid"])
    oil = replace(water.fluid, density=3.0)
    base = replace(Model.from_urdf('<robot name="o"><link name="base"/></robot>'), fluid=oil)
    with pytest.raises(ModelError, match=r"two robots in different fluids \(.*density=3.0"):
        base.append(water, "base")
    same = replace(base, fluid=replace(water.fluid, hulls=()))
    assert same.append(water, "base").fluid == water.fluid


def test_simulation_and_modes_know_of_all_that_acts() -> None:
    model, oracle = load("tackle")
    ((qpos, v),) = random_states(oracle, 1)
    q = configuration(oracle, qpos)
    expected = passive_efforts(model, q, v, smoothing=SMOOTHING)
    assert np.allclose(JointEfforts(model)(q, v), expected, rtol=1e-12)
