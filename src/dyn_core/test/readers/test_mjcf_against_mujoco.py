# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Every feature of MJCF, and robots written as MJCF, against MuJoCo itself."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mjcf_files import FEATURES, MIMICRY
from mjcf_writer import write_mjcf
from mujoco_model import (
    BALL,
    BODY,
    FREE,
    JOINT,
    SITE,
    configuration,
    dynamics,
    names,
    random_states,
)
from robots import FLOATING, ROBOT_FILES, example_robots, relative_error

import dyn_core
from dyn_core import Model
from dyn_core.joints import RevoluteUnbounded
from dyn_core.model.frame import FrameType

TOLERANCE = 1e-10
STATES = 5


def ours(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mass matrix and bias, run as plain Python: hundreds of small models need no compiler."""
    q, v = q.tolist(), v.tolist()
    M = np.array(dyn_core.crba.define(model, q), dtype=np.float64).reshape(model.nv, model.nv)
    return M, np.array(dyn_core.nonlinear_effects.define(model, q, v), dtype=np.float64)


def assert_same_dynamics(model: Model, oracle: mujoco.MjModel, count: int = STATES) -> None:
    assert (model.nq, model.nv) == (oracle.nq, oracle.nv)
    for qpos, v in random_states(oracle, count):
        _, M, bias = dynamics(oracle, qpos, v)
        own_M, own_bias = ours(model, configuration(oracle, qpos), v)
        if model.nv:
            assert relative_error(own_M, M) < TOLERANCE
            scale = max(np.abs(bias).max(), np.abs(M).max())
            assert np.abs(own_bias - bias).max() < TOLERANCE * scale


def load(text: str) -> tuple[Model, mujoco.MjModel]:
    return Model.from_mjcf(text), mujoco.MjModel.from_xml_string(text)


@pytest.mark.parametrize("feature", FEATURES)
def test_mass_matrix_and_bias(feature: str) -> None:
    model, oracle = load(FEATURES[feature])
    assert feature == "nothing moves" or model.nv > 0
    assert_same_dynamics(model, oracle)


def stated(kind: str, given: list[str | None]) -> list[str]:
    """What our rule calls all objects of a kind, some of which have no name."""
    numbers = [name or f"{kind}_{i}" for i, name in enumerate(given)]
    taken = {name for name in given if name}
    pairs = zip(numbers, given, strict=True)
    return [own if name or own not in taken else own + "_" for own, name in pairs]


@pytest.mark.parametrize("feature", FEATURES)
def test_names_and_order(feature: str) -> None:
    model, oracle = load(FEATURES[feature])
    assert list(model.names[1:]) == stated("joint", names(oracle, JOINT, oracle.njnt))
    bodies = [frame.name for frame in model.frames if frame.type is FrameType.BODY]
    assert bodies == stated("body", names(oracle, BODY, oracle.nbody))


@pytest.mark.parametrize("feature", FEATURES)
def test_bodies_and_sites_are_where_mujoco_has_them(feature: str) -> None:
    model, oracle = load(FEATURES[feature])
    bodies = [frame for frame in model.frames if frame.type is FrameType.BODY]
    named = {f.name: f for f in model.frames if f.type is FrameType.OPERATIONAL}
    for qpos, v in random_states(oracle, 2):
        data, _, _ = dynamics(oracle, qpos, v)
        oMi = dyn_core.forward_kinematics.define(model, configuration(oracle, qpos).tolist())
        pairs = list(zip(bodies, data.xpos, data.xmat, strict=True))
        for i, site in enumerate(names(oracle, SITE, oracle.nsite)):
            pairs.append((named[site], data.site_xpos[i], data.site_xmat[i]))
        for frame, position, rotation in pairs:
            place = oMi[frame.joint] * frame.placement
            assert np.allclose(list(place.translation), position, atol=1e-12)
            rows = [list(row) for row in place.rotation.rows]
            assert np.allclose(rows, rotation.reshape(3, 3), atol=1e-12)


@pytest.mark.parametrize("feature", FEATURES)
def test_limits_losses_and_armature(feature: str) -> None:
    model, oracle = load(FEATURES[feature])
    assert np.allclose(model.damping, oracle.dof_damping, atol=1e-15)
    assert np.allclose(model.friction, oracle.dof_frictionloss, atol=1e-15)
    bounds = zip(model.lower_position_limit, model.upper_position_limit, strict=True)
    own = list(bounds)
    for j in range(oracle.njnt):
        if oracle.jnt_type[j] in (FREE, BALL):
            continue
        low, high = own[oracle.jnt_qposadr[j]]
        expected = oracle.jnt_range[j] if oracle.jnt_limited[j] else (-np.inf, np.inf)
        assert np.allclose((low, high), expected)
        effort = oracle.jnt_actfrcrange[j][1] if oracle.jnt_actfrclimited[j] else np.inf
        assert model.effort_limit[oracle.jnt_dofadr[j]] == effort


@pytest.mark.parametrize("feature", FEATURES)
def test_configurations(feature: str) -> None:
    model, oracle = load(FEATURES[feature])
    expected = {"qpos0": oracle.qpos0} | {
        oracle.key(k).name or f"key_{k}": oracle.key_qpos[k] for k in range(oracle.nkey)
    }
    assert model.reference_configurations.keys() == expected.keys()
    for name, qpos in expected.items():
        own = np.array(model.reference_configurations[name])
        other = configuration(oracle, qpos)
        if oracle.njnt and oracle.jnt_type[0] == FREE:  # a quaternion and its negative are one
            other[3:7] *= np.sign(other[3:7] @ own[3:7])
        assert np.allclose(own, other, atol=1e-12)


def test_joint_equalities_are_mimic_joints() -> None:
    """``M`` and bias of a coupled robot are those of the free one, seen from the primaries."""
    text = MIMICRY["mimic"]
    model, free = Model.from_mjcf(text), Model.from_mjcf(text, mimic=False)
    oracle = mujoco.MjModel.from_xml_string(text)
    assert model.dof_names == ("lead", "free")
    assert_same_dynamics(free, oracle)
    by_primaries = np.array([[1.0, 0.0], [-2.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    lead, f, g, _ = oracle.qpos0
    at_zero = np.array([0.0, f + 0.3 + 2.0 * lead, g + 0.1 + 0.5 * (0.3 + 2.0 * lead), 0.0])
    random = np.random.default_rng(0)
    for _ in range(STATES):
        q, v = random.normal(size=(2, 2))
        _, M, bias = dynamics(oracle, by_primaries @ q + at_zero, by_primaries @ v)
        own_M, own_bias = ours(model, q, v)
        assert relative_error(own_M, by_primaries.T @ M @ by_primaries) < TOLERANCE
        assert relative_error(own_bias, by_primaries.T @ bias) < TOLERANCE
    assert np.allclose(model.damping, by_primaries.T**2 @ oracle.dof_damping)
    assert np.allclose(model.friction, np.abs(by_primaries.T) @ oracle.dof_frictionloss)
    assert model.reference_configurations["home"] == (0.1, 0.4)


def test_the_couplings_of_mimicry_are_those_that_mujoco_holds() -> None:
    oracle = mujoco.MjModel.from_xml_string(MIMICRY["mimic"])
    data = mujoco.MjData(oracle)
    lead, f, g, _ = oracle.qpos0
    data.qpos[0] = 0.7
    data.qpos[1] = -2.0 * 0.7 + f + 0.3 + 2.0 * lead
    data.qpos[2] = -0.7 + g + 0.1 + 0.5 * (0.3 + 2.0 * lead)
    mujoco.mj_forward(oracle, data)
    assert data.nefc >= 2
    residuals = data.efc_pos[data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]
    assert len(residuals) == 2
    assert np.abs(residuals).max() < 1e-12


@pytest.mark.parametrize("name", ROBOT_FILES)
def test_robots_written_as_mjcf(name: str) -> None:
    """Our model of a URDF, MuJoCo's of the MJCF written from it, and ours of that are the same."""
    root = "free_flyer" if name in FLOATING else None
    model = Model.from_urdf(example_robots() / ROBOT_FILES[name], root_joint=root, mimic=False)
    text = write_mjcf(model)
    oracle = mujoco.MjModel.from_xml_string(text)
    again = Model.from_mjcf(text)
    assert again.names == model.names
    assert_same_dynamics(again, oracle)
    for qpos, v in random_states(oracle, STATES):
        _, M, bias = dynamics(oracle, qpos, v)
        own_M, own_bias = ours(model, unbounded(model, configuration(oracle, qpos)), v)
        assert relative_error(own_M, M) < TOLERANCE
        assert relative_error(own_bias, bias) < TOLERANCE


def unbounded(model: Model, angles: np.ndarray) -> np.ndarray:
    """A configuration in which joints without end have (cos, sin) instead of the angle."""
    q: list[float] = []
    rest = list(angles)
    for i in model.own_coordinates:
        joint = model.joints[i]
        if isinstance(joint, RevoluteUnbounded):
            angle = rest.pop(0)
            q += [np.cos(angle), np.sin(angle)]
        else:
            q += rest[: joint.nq]
            rest = rest[joint.nq :]
    return np.array(q)
