# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Hybrid dynamics: between forward and inverse dynamics, consistent with both."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covers
from random_trees import random_model
from robots import load, relative_error
from test_urdf import mimicking

import dyn_core
from dyn_core import Model, ModelError, aba, hybrid_dynamics, rnea


@covers(hybrid_dynamics)
@pytest.mark.parametrize("name", ["ur5", "hyq"])
def test_hybrid_vs_inverse_and_forward_dynamics(name: str) -> None:
    """All joints prescribed is inverse dynamics, none is forward dynamics."""
    robot = load(name)
    model = robot.model
    own = [model.names[i] for i in model.own_coordinates]
    for s in robot.states(3):
        given = (s["q"], s["v"], s["tau"], s["a"])
        ddq, tau = hybrid_dynamics(model, *given)
        assert relative_error(ddq, aba(model, s["q"], s["v"], s["tau"])) < 1e-9
        assert (tau == s["tau"]).all()
        ddq, tau = hybrid_dynamics(model, *given, prescribed=tuple(own))
        assert relative_error(tau, rnea(model, s["q"], s["v"], s["a"])) < 1e-12
        assert (ddq == s["a"]).all()


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(4))
def test_some_prescribed_fulfil_the_equation_of_motion(seed: int) -> None:
    """``rnea(q, v, ddq) = tau`` with both as they come out, and what was given is kept."""
    model = random_model(seed, joints=7)
    random = np.random.default_rng(seed)
    own = [i for i in model.own_coordinates if model.joints[i].nv]
    chosen = random.choice(own, size=len(own) // 2, replace=False).tolist()
    moved = [k for i in chosen for k in range(model.idx_v[i], model.idx_v[i] + model.joints[i].nv)]
    free = [k for k in range(model.nv) if k not in moved]
    q = dyn_core.integrate(model, dyn_core.neutral(model), random.normal(size=model.nv))
    v, tau, a = random.normal(size=(3, model.nv))
    f = random.normal(size=(model.njoints, 6))
    names = tuple(model.names[i] for i in chosen)
    ddq, efforts = hybrid_dynamics(model, q, v, tau, a, prescribed=names, f_ext=f)
    assert relative_error(rnea(model, q, v, ddq, f_ext=f), efforts) < 1e-10
    assert (ddq[moved] == a[moved]).all()
    assert (efforts[free] == tau[free]).all()
    tau[moved], a[free] = np.nan, np.nan  # which do not matter
    again = hybrid_dynamics(model, q, v, tau, a, prescribed=names, f_ext=f)
    assert (again[0] == ddq).all()
    assert (again[1] == efforts).all()


def test_what_cannot_be_prescribed_is_refused() -> None:
    model = Model.from_urdf(mimicking('<mimic joint="hinge"/>'))
    z = np.zeros(model.nv)
    with pytest.raises(ModelError, match="joint 'finger' follows 'hinge'; prescribe that one"):
        hybrid_dynamics(model, z, z, z, z, prescribed=("finger",))
    with pytest.raises(KeyError, match="no joint 'elbow'"):
        hybrid_dynamics(model, z, z, z, z, prescribed=("elbow",))
    with pytest.raises(TypeError, match="prescribed must be a tuple of names of joints"):
        hybrid_dynamics(model, z, z, z, z, prescribed="hinge")
