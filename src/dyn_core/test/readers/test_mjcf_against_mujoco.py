# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Robots read from MJCF against MuJoCo, and against numbers that do not come from MuJoCo."""

from __future__ import annotations

import math
from collections.abc import Mapping

import mujoco
import numpy as np
import pytest
from covering import covers
from mjcf_files import CASES, HINGE, MIMICRY, arm, link, mjcf
from mujoco_model import (
    BODY,
    FREE,
    JOINT,
    SITE,
    configuration,
    dynamics,
    names,
    random_states,
    velocity_map,
)
from robots import relative_error

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.model.frame import FrameType
from dyn_core.serialize import from_json, to_json

MESH_AXES = 1e-8
"""MuJoCo turns the principal axes of meshes no further than this matters in efforts."""
MASS_MATRIX_AXES = 1.5e-6
"""The same in the mass matrix, whose error is proportional to that of the axes."""


def numbers(values: object) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def stated(kind: str, given: list[str | None]) -> list[str]:
    """What the rule for names calls all objects of a kind, some of which have no name."""
    found = [name or f"{kind}_{i}" for i, name in enumerate(given)]
    taken = {name for name in given if name}
    pairs = zip(found, given, strict=True)
    return [own if name or own not in taken else own + "_" for own, name in pairs]


def frames(model: Model, kind: FrameType) -> dict[str, dyn_core.model.Frame]:
    return {frame.name: frame for frame in model.frames if frame.type is kind}


@covers(
    dyn_core.passive_efforts,
    dyn_core.fluid_efforts,
    dyn_core.gravity_compensation,
    dyn_core.tendon_efforts,
)
@pytest.mark.parametrize("case", CASES)
def test_a_robot_is_what_mujoco_reads(case: str) -> None:
    """Names, mass matrix, bias, passive efforts, places, limits, losses and keyframes."""
    text, is_mesh = CASES[case].text, case.startswith("mesh")
    model, oracle = Model.from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    assert (model.nq, model.nv) == (oracle.nq, oracle.nv)
    assert list(model.names[1:]) == stated("joint", names(oracle, JOINT, oracle.njnt))
    bodies = frames(model, FrameType.BODY)
    assert list(bodies) == stated("body", names(oracle, BODY, oracle.nbody))
    for qpos, v in random_states(oracle, 3):
        data, M, bias = dynamics(oracle, qpos, v)
        q = configuration(oracle, qpos).tolist()
        tolerance = MASS_MATRIX_AXES if is_mesh else 1e-10
        scale = max(np.abs(bias).max(initial=0.0), np.abs(M).max(initial=0.0))
        own_M = numbers(dyn_core.crba.define(model, q)).reshape(M.shape)
        assert np.allclose(own_M, M, rtol=0.0, atol=tolerance * np.abs(M).max(initial=0.0))
        own_bias = numbers(dyn_core.nonlinear_effects.define(model, q, v.tolist()))
        assert np.allclose(own_bias, bias, rtol=0.0, atol=tolerance * scale)
        if not oracle.dof_frictionloss.any():  # which is a constraint to MuJoCo
            assert_same_passive_efforts(model, oracle, data, q, v)
        assert_same_places(model, oracle, data, bodies, q)
    if not (oracle.opt.disableflags or oracle.actuator_damping.any()):
        assert np.allclose(model.damping, oracle.dof_damping, rtol=1e-12, atol=1e-15)
    assert np.allclose(model.friction, oracle.dof_frictionloss, atol=1e-15)
    for j in range(oracle.njnt):
        if model.joints[j + 1].nv == 1:
            limits = model.tree[j + 1].limits
            bounds = oracle.jnt_range[j] if oracle.jnt_limited[j] else (-np.inf, np.inf)
            assert np.allclose((*limits.lower, *limits.upper), bounds)
            effort = oracle.jnt_actfrcrange[j][1] if oracle.jnt_actfrclimited[j] else np.inf
            assert limits.effort == (effort,)
    keys = {oracle.key(k).name or f"key_{k}": oracle.key_qpos[k] for k in range(oracle.nkey)}
    assert_same_configurations(model, oracle, {"qpos0": oracle.qpos0} | keys)


def assert_same_passive_efforts(
    model: Model, oracle: mujoco.MjModel, data: mujoco.MjData, q: list[float], v: np.ndarray
) -> None:
    """The whole and each part that MuJoCo has a name for."""
    J, velocity = velocity_map(oracle, data.qpos), v.tolist()
    by_drives = oracle.jnt_actgravcomp[oracle.dof_jntid] * data.qfrc_gravcomp
    pairs = (
        (dyn_core.passive_efforts.define(model, q, velocity), data.qfrc_passive + by_drives),
        (dyn_core.gravity_compensation.define(model, q), data.qfrc_gravcomp),
        (dyn_core.fluid_efforts.define(model, q, velocity), data.qfrc_fluid),
    )
    for own, other in pairs:
        size = np.abs(other).max(initial=1.0)
        assert np.allclose(numbers(own), J.T @ other, rtol=0.0, atol=1e-10 * size)


def assert_same_places(
    model: Model,
    oracle: mujoco.MjModel,
    data: mujoco.MjData,
    bodies: Mapping[str, dyn_core.model.Frame],
    q: list[float],
) -> None:
    oMi = dyn_core.forward_kinematics.define(model, q)
    sites = frames(model, FrameType.OPERATIONAL)
    places = list(zip(bodies.values(), data.xpos, data.xmat, strict=True))
    for i, site in enumerate(names(oracle, SITE, oracle.nsite)):
        places.append((sites[site], data.site_xpos[i], data.site_xmat[i]))
    for frame, position, rotation in places:
        place = numbers((oMi[frame.joint] * frame.placement).homogeneous())
        assert np.allclose(place[:3, 3], position, atol=1e-12)
        assert np.allclose(place[:3, :3], rotation.reshape(3, 3), atol=1e-12)


def assert_same_configurations(
    model: Model, oracle: mujoco.MjModel, expected: Mapping[str, np.ndarray]
) -> None:
    assert model.reference_configurations.keys() == expected.keys()
    for name, qpos in expected.items():
        own, other = numbers(model.reference_configurations[name]), configuration(oracle, qpos)
        if oracle.njnt and oracle.jnt_type[0] == FREE:  # a quaternion and its negative are one
            other[3:7] *= np.sign(other[3:7] @ own[3:7])
        assert np.allclose(own, other, atol=1e-12)


def wave(count: int, phase: float) -> list[float]:
    return [math.sin(phase + i) for i in range(count)]


@pytest.mark.parametrize("case", CASES)
def test_efforts_are_those_that_were_found_without_mujoco(case: str) -> None:
    """Also after the robot was stored and read back."""
    model = Model.from_mjcf(CASES[case].text)
    assert from_json(to_json(model)).fingerprint == model.fingerprint
    q0 = list(model.reference_configurations["qpos0"])
    q = [float(x) for x in dyn_core.integrate.define(model, q0, wave(model.nv, 1.0))]
    v, a = wave(model.nv, 2.0), wave(model.nv, 3.0)
    tolerance = MESH_AXES if case.startswith("mesh") else 1e-9
    for own, expected in (
        (dyn_core.rnea.define(model, q, v, a), CASES[case].inverse),
        (dyn_core.passive_efforts.define(model, q, v), CASES[case].passive),
    ):
        size = max(map(abs, expected), default=0.0)
        assert np.allclose(numbers(own), expected, rtol=0.0, atol=tolerance * size)


def test_joint_equalities_are_mimic_joints() -> None:
    """``M`` and bias of a coupled robot are those of the free one, seen from the primaries."""
    model, oracle = Model.from_mjcf(MIMICRY), mujoco.MjModel.from_xml_string(MIMICRY)
    assert model.dof_names == ("lead", "free")
    by_primaries = numbers([[1.0, 0.0], [-2.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    lead, f, g, _ = oracle.qpos0
    at_zero = numbers([0.0, f + 0.3 + 2.0 * lead, g + 0.1 + 0.5 * (0.3 + 2.0 * lead), 0.0])
    for q, v in np.random.default_rng(0).normal(size=(3, 2, 2)):
        data, M, bias = dynamics(oracle, by_primaries @ q + at_zero, by_primaries @ v)
        own_M = numbers(dyn_core.crba.define(model, q.tolist())).reshape(2, 2)
        own_bias = numbers(dyn_core.nonlinear_effects.define(model, q.tolist(), v.tolist()))
        assert relative_error(own_M, by_primaries.T @ M @ by_primaries) < 1e-10
        assert relative_error(own_bias, by_primaries.T @ bias) < 1e-10
        held = data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
        assert np.abs(data.efc_pos[held]).max() < 1e-12
    assert np.allclose(model.damping, by_primaries.T**2 @ oracle.dof_damping)
    assert np.allclose(model.friction, np.abs(by_primaries.T) @ oracle.dof_frictionloss)
    assert model.reference_configurations["home"] == (0.1, 0.4)


THREE = (
    arm('<site name="b" pos=".1 0 .1"/>')
    + link("c", HINGE.format("j3"), '<site name="s" pos=".1 .2 .3" euler="10 20 30"/>')
    + link("d", "<freejoint/>", '<site name="t" pos="-.1 .2 0"/><site name="j3" pos=".3 0 0"/>')
)
LOOPS = {
    "connect": '<connect body1="b" body2="c" anchor=".1 .2 .3"/>',
    "connect to the world": '<connect name="pin" body1="b" anchor=".1 .2 .3"/>',
    "connect of sites": '<connect site1="s" site2="t"/>',
    "weld": '<weld body1="b" body2="c"/>',
    "weld to the world": '<weld body1="b"/>',
    "weld with anchor": '<weld body1="d" body2="c" anchor=".1 .2 .3"/>',
    "weld with pose": '<weld body1="d" body2="c" anchor=".1 .2 .3" relpose=".1 0 .2 2 0 0 1"/>',
    "weld with pose but no orientation": '<weld body1="d" body2="c" relpose="1 2 3 0 0 0 0"/>',
    "weld of sites": '<weld site1="s" site2="t"/>',
    "sites called as bodies and joints": '<weld site1="b" site2="j3"/>',
    "weld of points": '<weld site1="s" site2="t" torquescale="0"/>',
}


@pytest.mark.parametrize("name", LOOPS)
def test_gaps_of_loops_equal_those_of_mujoco(name: str) -> None:
    """Distance and angle between the two frames are the position errors of MuJoCo's equality."""
    text = mjcf(THREE, "", f"<equality>{LOOPS[name]}</equality>")
    model, oracle = Model.from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    (loop,) = model.loops
    ends = [model.frame(end) for end in (loop.frame1, loop.frame2)]
    for qpos, v in random_states(oracle, 3):
        data, _, _ = dynamics(oracle, qpos, v)
        oMi = dyn_core.forward_kinematics.define(model, configuration(oracle, qpos).tolist())
        first, second = (oMi[end.joint] * end.placement for end in ends)
        errors = data.efc_pos[data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]
        between = first.inverse() * second
        distance = np.linalg.norm(list(between.translation))
        assert distance == pytest.approx(np.linalg.norm(errors[:3]), rel=1e-10, abs=1e-12)
        if loop.kind == 6:
            trace = sum(list(row)[i] for i, row in enumerate(between.rotation.rows))
            sine = np.sqrt((3.0 - trace) / 4.0)  # of half the angle
            assert sine == pytest.approx(np.linalg.norm(errors[3:6]), rel=1e-9)


def test_loops_have_the_gains_of_solref() -> None:
    def gains(solref: str) -> tuple[float, float]:
        weld = f'<weld body1="b" solref="{solref}"/>'
        (loop,) = Model.from_mjcf(mjcf(arm(), "", f"<equality>{weld}</equality>")).loops
        return loop.kp, loop.kd

    assert gains(".1 2") == pytest.approx((25.0, 20.0))
    assert gains("-300 -40") == (300.0, 40.0)
    with pytest.raises(ModelError, match=r"solref='0\.1 -1\.0' is neither"):
        gains(".1 -1")


TENDONS = """<tendon>
<fixed name="t"><joint joint="j1" coef="2"/><joint joint="j2" coef="-.5"/></fixed>
<fixed name="u"><joint joint="j3" coef="1.5"/></fixed></tendon>"""
COUPLINGS = {
    "curve": '<joint joint1="j1" joint2="j2" polycoef=".1 2 -.3 .4 .5"/>',
    "lock": '<joint joint1="j1" polycoef=".3"/>',
    "tendon": '<tendon tendon1="t" polycoef=".2"/>',
    "two tendons": '<tendon tendon1="t" tendon2="u" polycoef=".2 2 .3 -.4 .5"/>',
}


@pytest.mark.parametrize("name", COUPLINGS)
def test_errors_of_couplings_equal_those_of_mujoco(name: str) -> None:
    first, second, third = (f'<joint name="j{i}" axis="0 1 0" ref="{10 * i}"/>' for i in (1, 2, 3))
    world = link("a", first, link("b", second)) + link("c", third)
    text = mjcf(world, "", f"{TENDONS}<equality>{COUPLINGS[name]}</equality>")
    model, oracle = Model.from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    (coupling,) = model.couplings
    assert from_json(to_json(model)) == model
    for qpos, v in random_states(oracle, 3):
        data, _, _ = dynamics(oracle, qpos, v)
        (error,) = data.efc_pos[: data.ne]
        leaders, followers = (
            sum(c * qpos[model.idx_q[model.joint_index(joint)]] for joint, c in terms)
            for terms in (coupling.leaders, coupling.followers)
        )
        target, _, _ = coupling.law(leaders)
        assert followers - target == pytest.approx(error, rel=1e-10, abs=1e-12)
