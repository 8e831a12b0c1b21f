# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joints that follow an angle without ends, which a configuration knows as cosine and sine."""

from __future__ import annotations

import warnings

import numpy as np
import pinocchio as pin
import pytest
from test_urdf import LIMIT, joint, link, robot

import dyn_core
from dyn_core import Model

AXIS = '<origin xyz="0.3 0 0.2" rpy="0.3 -0.2 0.5"/><axis xyz="{}"/>'


def wheels(primary: str, multiplier: float, follower: str = "revolute", offset: float = 0.4) -> str:
    """A wheel on an arm, a second one that follows it, and a link on that."""
    mimic = f'<mimic joint="wheel" multiplier="{multiplier}" offset="{offset}"/>'
    losses = '<dynamics damping="0.5" friction="0.25"/>'
    return robot(
        *map(link, "abcde"),
        joint("arm", "revolute", "a", "b", LIMIT + AXIS.format("0 1 0")),
        joint("wheel", primary, "b", "c", LIMIT + AXIS.format("1 0 0.5")),
        joint("second", follower, "c", "d", LIMIT + AXIS.format("0 1 1") + losses + mimic),
        joint("tip", "revolute", "d", "e", LIMIT + AXIS.format("1 0 0")),
    )


@pytest.mark.quick("[revolute--3", "[revolute-7", "[continuous-2")
@pytest.mark.parametrize("multiplier", [-3, -1, 0, 1, 2, 7])
@pytest.mark.parametrize("follower", ["revolute", "continuous"])
def test_a_primary_without_ends_leads_as_one_with_ends(multiplier: int, follower: str) -> None:
    """The coordinate is another, the motion and the dynamics are the same."""
    endless = Model.from_urdf(wheels("continuous", multiplier, follower))
    plain = Model.from_urdf(wheels("revolute", multiplier, follower))
    assert (endless.nq, endless.nv, plain.nq) == (4, 3, 3)
    data, plain_data = endless.create_data(), plain.create_data()
    random = np.random.default_rng(0)
    for _ in range(5):
        theta, v, a = 2.0 * random.normal(size=(3, 3))
        wheel = plain.idx_q[plain.joint_index("wheel")]
        q = np.array([*theta[:wheel], 0.0, 0.0, *theta[wheel + 1 :]])
        q[wheel : wheel + 2] = np.cos(theta[wheel]), np.sin(theta[wheel])
        for name in ("rnea", "aba"):
            function = getattr(dyn_core, name)
            expected = function(plain, plain_data, theta, v, a)
            assert function(endless, data, q, v, a) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        M = dyn_core.crba(plain, plain_data, theta)
        assert np.allclose(dyn_core.crba(endless, data, q), M, rtol=1e-12, atol=1e-12)


def test_a_follower_without_ends_vs_pinocchio() -> None:
    text = wheels("continuous", 1, "continuous")
    ours, theirs = Model.from_urdf(text), pin.buildModelFromXML(text, mimic=True)
    assert (ours.nq, ours.nv, list(ours.names)) == (theirs.nq, theirs.nv, list(theirs.names))
    random = np.random.default_rng(0)
    v, a = random.normal(size=(2, 3))
    q = pin.integrate(theirs, pin.neutral(theirs), random.normal(size=3))
    expected = pin.rnea(theirs, theirs.createData(), q, v, a)
    assert np.allclose(dyn_core.rnea(ours, ours.create_data(), q, v, a), expected, atol=1e-10)


def test_a_follower_without_ends_is_stored_and_its_position_is_known() -> None:
    model = Model.from_urdf(wheels("continuous", 2))
    stored = dyn_core.serialize.from_json(dyn_core.serialize.to_json(model))
    assert stored.fingerprint == model.fingerprint
    state = '<robot name="r"><group_state name="s" group="g">{}</group_state></robot>'
    values = '<joint name="wheel" value="4"/><joint name="second" value="8.4"/>'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.with_srdf(state.format(values))
    with pytest.warns(UserWarning, match="mimic joint 'second'"):
        model.with_srdf(state.format(values.replace("8.4", "8.5")))
