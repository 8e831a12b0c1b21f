# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Coriolis matrix: against Pinocchio, and by what it is for."""

from __future__ import annotations

import numpy as np
import pytest
from covering import evaluated
from random_trees import random_model
from robots import Robot, relative_error
from test_jacobians import along, rate
from test_random_trees import states

import dyn_core
from dyn_core import coriolis_matrix
from dyn_core.spatial.scalars.dual_numbers import derivative_along


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(3))
def test_coriolis_matrix_times_velocity_is_the_bias_with_every_joint_type(seed: int) -> None:
    model = random_model(seed, joints=14).with_gravity((0.0, 0.0, 0.0))
    for s in states(model, 5):
        C = evaluated(model, coriolis_matrix, s)
        bias = evaluated(model, dyn_core.nonlinear_effects, s)
        assert relative_error(C @ s["v"], bias) < 1e-11


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(100))
def test_mass_matrix_rate_minus_twice_coriolis_is_skew(seed: int) -> None:
    """``dM/dt = C + C'``, with ``dM/dt`` exact by dual numbers; below 1e-9 on random robots."""
    model = random_model(seed, joints=4 + seed % 10)
    (s,) = states(model, 1, seed)
    C = evaluated(model, coriolis_matrix, s)

    def entries(q: list) -> list:
        return [x for row in dyn_core.crba.define(model, q) for x in row]

    q = s["q"].tolist()
    rates = derivative_along(entries, q, model.space.rate(q, s["v"].tolist()))
    dM = np.array(rates).reshape(model.nv, model.nv)
    N = dM - 2.0 * C
    assert np.abs(N + N.T).max() < 1e-9 * max(1.0, np.abs(dM).max())


def test_coriolis_matrix_is_that_of_christoffels_symbols() -> None:
    """``C_ij = sum_k (d_k M_ij + d_j M_ik - d_i M_jk) v_k / 2`` where v are rates of q."""
    model = random_model(1, joints=5, kinds=("revolute", "prismatic", "helical"), mimic=False)
    (s,) = states(model, 1)
    units = np.eye(model.nv)
    dM = np.stack([rate(model, dyn_core.crba, {**s, "v": unit}) for unit in units], axis=-1)
    symbols = 0.5 * (dM + dM.swapaxes(1, 2) - dM.transpose(2, 0, 1))
    assert relative_error(evaluated(model, coriolis_matrix, s), symbols @ s["v"]) < 1e-6


def test_power_of_all_efforts_is_the_rate_of_energy(robot: Robot) -> None:
    """``v' tau = dE/dt``: nothing else does work."""
    model, h = robot.model, 1e-6
    for s in robot.states(3):
        tau = evaluated(model, dyn_core.rnea, s)
        later, before = (
            evaluated(
                model, dyn_core.mechanical_energy, {**along(model, s, t), "v": s["v"] + t * s["a"]}
            )
            for t in (h, -h)
        )
        power = s["v"] @ tau
        assert abs((later - before) / (2.0 * h) - power) < 1e-5 * np.abs(s["v"]) @ np.abs(tau)
