# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Solutions with the mass matrix: by its factors and by articulated bodies."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import random_configuration, random_model
from robots import relative_error

from dyn_core import Model, ModelBuilder, aba, aba_derivatives, crba, rnea_derivatives
from dyn_core.dynamics.mass_matrix_solution import ByArticulatedBodies, ByFactors, is_long_chain
from dyn_core.joints import Revolute
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3


def chain(joints: int) -> Model:
    """Hinges about x, y and z in turn."""
    builder, body = ModelBuilder("chain"), Inertia(1.0, Vector3(0.1, 0, 0.2), Symmetric3.scalar(1))
    for k in range(joints):
        axis = [float(k % 3 == j) for j in range(3)]
        place = SE3(Matrix3.identity(), Vector3(0.1, 0, 0.3))
        joint = builder.add_joint(k, Revolute(axis), place, f"joint{k}")
        builder.add_body(joint, body, SE3.identity())
    return builder.build()


@pytest.mark.parametrize("seed", range(3))
def test_solutions_undo_the_mass_matrix_with_every_joint_type(seed: int) -> None:
    model = random_model(seed, mimic=False)
    random = np.random.default_rng(seed)
    q, b = list(random_configuration(random, model)), random.normal(size=model.nv)
    M = np.array(crba.define(model, q))
    for solution in (ByArticulatedBodies(model, q), ByFactors(M.tolist())):
        assert relative_error(M @ np.array(solution.of(b.tolist())), b) < 1e-9
        assert relative_error(-M @ np.array(solution.negative(b.tolist())), b) < 1e-9
        inverse = np.array(solution.inverse())
        assert relative_error(M @ inverse, np.eye(model.nv)) < 1e-9
        assert (inverse == inverse.T).all()


def test_derivatives_of_a_long_chain_undo_those_of_inverse_dynamics() -> None:
    """``M dddq/dq = - dtau/dq``, where articulated bodies solve."""
    model = chain(45)
    assert is_long_chain(model)
    assert not is_long_chain(chain(30))
    random = np.random.default_rng(0)
    q, v, tau = random.normal(size=(3, model.nv)).tolist()
    ddq = aba.define(model, q, v, tau)
    by_q, by_v, M = (np.array(x) for x in rnea_derivatives.define(model, q, v, ddq))
    ddq_dq, ddq_dv, Minv = (np.array(x) for x in aba_derivatives.define(model, q, v, tau))
    assert relative_error(M @ ddq_dq, -by_q) < 1e-9
    assert relative_error(M @ ddq_dv, -by_v) < 1e-9
    assert relative_error(M @ Minv, np.eye(model.nv)) < 1e-9
