# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How long steps may be, of a joint with spring and damper: by a formula, and by what it does."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from robots import own_arm

import dyn_core
from dyn_core import Model, ModelBuilder
from dyn_core.dynamics.friction_efforts import friction_efforts
from dyn_core.dynamics.passive_efforts import passive_efforts
from dyn_core.dynamics.spring_efforts import spring_efforts
from dyn_core.joints import Prismatic
from dyn_core.simulation import (
    Dynamics,
    JointEfforts,
    Predictor,
    implicit_euler,
    longest_step,
    rollout,
    runge_kutta_4,
    semi_implicit_euler,
)
from dyn_core.spatial import SE3, Inertia, Symmetric3, Vector3

MASS, STIFF, SOFT = 0.5, 2e4, 10.0


def sliders(damping: float = 0.0, stiffness: float = STIFF) -> Model:
    """Two masses that move apart from each other, the second on a stiff spring with a damper."""
    builder = ModelBuilder("sliders")
    for name in ("soft", "stiff"):
        joint = builder.add_joint(0, Prismatic((1.0, 0.0, 0.0)), SE3.identity(), name)
        body = Inertia.from_com(MASS, Vector3.zero(), Symmetric3.zero())
        builder.add_body(joint, body, SE3.identity())
    model = builder.build().with_spring("soft", stiffness=SOFT)
    model = model.with_spring("stiff", stiffness=stiffness)
    return model.with_friction("stiff", damping=damping)


@pytest.mark.parametrize("damping", [0.0, 20.0, 1000.0])
@pytest.mark.parametrize("integrator", [semi_implicit_euler, runge_kutta_4])
def test_steps_beyond_the_longest_grow_and_are_reported(integrator, damping: float) -> None:
    model, fourth = sliders(damping), integrator is runge_kutta_4
    found = longest_step(model, np.zeros(2), [passive_efforts], fourth)
    d, square = damping / MASS, STIFF / MASS
    if fourth:
        expected = 2.785 / np.abs(np.roots([1.0, d, square])).max()
    else:
        expected = 4.0 / (d + np.sqrt(d * d + 4.0 * square))
    assert (found.joint, found.seconds) == ("stiff", pytest.approx(expected, rel=1e-12))
    dynamics, start = Dynamics(model, JointEfforts(model)), np.array([1e-6, 1e-6])
    for factor, grows in ((0.97, False), (1.1 if fourth else 1.03, True)):
        dt = factor * found.seconds
        with warnings.catch_warnings(record=True) as reported:
            warnings.simplefilter("always")
            q, _ = rollout(model, integrator, dynamics, start, np.zeros(2), dt, 300)
        assert (np.abs(q[-1, 1]) > 10.0 * start[1]) == grows
        words = f"'sliders': steps of {dt:g} s are unstable for the springs and dampers of joint"
        assert [str(one.message).startswith(words) for one in reported] == [True] * grows


def test_there_is_no_warning_where_nothing_is_stiff_or_implicit_steps_are_taken() -> None:
    model, rigid = sliders(), own_arm()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stiff = Dynamics(model, JointEfforts(model))
        rollout(model, implicit_euler, stiff, np.zeros(2), np.zeros(2), 0.1, 2)
        still = np.zeros(rigid.nv)
        free = Dynamics(rigid, JointEfforts(rigid))
        rollout(rigid, semi_implicit_euler, free, dyn_core.neutral(rigid), still, 0.01, 2)
        only = Dynamics(model, JointEfforts(model, [friction_efforts]))
        rollout(model, semi_implicit_euler, only, np.zeros(2), np.zeros(2), 0.1, 2)
    assert longest_step(rigid, still, [passive_efforts]).seconds == np.inf


def test_many_motions_and_predictions_report_it_too() -> None:
    model = sliders()
    many = np.zeros((3, 2))
    dynamics = Dynamics(model, JointEfforts(model, [spring_efforts]))
    with pytest.warns(UserWarning, match="joint 'stiff', as all above"):
        rollout(model, semi_implicit_euler, dynamics, many, many, 0.02, 2)
    with pytest.warns(UserWarning, match=r"above 0.0139 s; take 0.0028 s, or an implicit"):
        Predictor(model, 5, 0.02, efforts=[passive_efforts])
