# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What acts beside the drives in MJCF (springs, dampers, lifts, fluid, tendons) vs MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from covering import covers
from mjcf_files import HINGE, INERTIAL, arm, body, link, mjcf
from mujoco_model import configuration, dynamics, random_states, velocity_map
from robots import relative_error
from test_mjcf_against_mujoco import assert_same_dynamics

import dyn_core
from dyn_core import (
    Model,
    fluid_efforts,
    gravity_compensation,
    passive_efforts,
    spring_efforts,
    tendon_efforts,
    tendon_energy,
)
from dyn_core.joints import Composite, FreeFlyer
from dyn_core.model import FrameType

STATES = 4
TOLERANCE = 1e-10
WATER = '<option density="900" viscosity=".7" wind=".3 -.2 .5"/>'
SHAPES = "".join(
    f'<geom type="{kind}" size=".3 .1 .2" pos=".1 0 {k}" euler="10 20 {k}" fluidshape="ellipsoid" '
    f'fluidcoef=".4 .3 1.2 .9 .8"/>'
    for k, kind in enumerate(("sphere", "capsule", "cylinder", "ellipsoid", "box"))
)
FLOATING = body("d", f'<freejoint/><geom type="box" size=".3 .1 .2"/>{INERTIAL}', 'pos="1 2 3"')
TOOL = body("tool", INERTIAL, 'pos="1 0 0" euler="10 20 30" gravcomp="-.4"')
TIP = '<site name="s" pos=".1 .2 .3"/><site name="t" pos="-.1 0 .2"/>'
GROUND = '<site name="g" pos="1 2 3"/>'


def tendons(*inside: str) -> str:
    return f"<tendon>{''.join(inside)}</tendon>"


SPATIAL = '<spatial {}><site site="g"/><site site="s"/><site site="t"/><site site="u"/></spatial>'
STRUNG = GROUND + arm(TIP) + link("c", HINGE.format("j3"), '<site name="u" pos=".2 0 0"/>')
FORCES = {
    "gravity compensation": mjcf(
        link("a", HINGE.format("j1"), link("b", HINGE.format("j2"), TOOL), 'gravcomp="1.3"')
        + link("f", "<freejoint/>", "", 'gravcomp=".5"') + link("still", "", "", 'gravcomp="1"'),
        '<option gravity="1 2 -9"/>',
    ),
    "compensated by actuators": mjcf(
        link("a", '<joint name="j1" actuatorgravcomp="true" axis="0 1 0"/>', "", 'gravcomp="1"')
    ),
    "nothing but a pull": mjcf(arm(TOOL)),
    "no gravity to compensate": mjcf(
        link("a", HINGE.format("j1"), "", 'gravcomp="1"'),
        '<option><flag gravity="disable"/></option>',
    ),
    "boxes in a fluid": mjcf(arm(link("c", HINGE.format("j3"), TOOL)) + FLOATING, WATER),
    "boxes in a viscous fluid": mjcf(arm() + FLOATING, '<option viscosity="2"/>'),
    "boxes in an ideal fluid": mjcf(arm() + FLOATING, '<option density="2"/>'),
    "ellipsoids in a fluid": mjcf(
        link("a", HINGE.format("j1"), body("b", HINGE.format("j2") + SHAPES)) + FLOATING, WATER
    ),
    "ellipsoids of meshes": mjcf(
        body("a", HINGE.format("j1")
             + '<geom type="mesh" mesh="m" pos=".1 .2 .3" euler="10 20 30" fluidshape="ellipsoid"/>'
             '<geom type="box" mesh="m" pos="1 0 0" fluidshape="ellipsoid"/>'),
        WATER + '<asset><mesh name="m" vertex="0 0 0 3 0 0 0 2 0 0 0 1 3 2 0 3 0 1 0 2 1 3 2 1"/>'
        "</asset>",
    ),
    "tiny ellipsoids": mjcf(
        body("a", HINGE.format("j1") + INERTIAL
             + '<geom type="box" size=".025 .01 .0001" fluidshape="ellipsoid"/>'), WATER
    ),
    "box of turned geoms of equal moments": mjcf(
        body("a", '<freejoint/><geom type="capsule" size=".1 .3" euler="20 30 40"/>'
             '<geom size=".1" pos=".5 0 0"/>'), WATER
    ),
    "spring and damper by inertia": mjcf(
        arm(link("c", '<joint name="c" axis="1 1 0" springdamper=".1 .7" springref="20"/>'))
        + link("ball", '<joint type="ball" springdamper=".2 1" armature=".1" pos=".1 0 0"/>')
        + link("cart", '<joint type="slide" springdamper=".2 1"/>', arm().replace('"a"', '"a2"')
               .replace('"b"', '"b2"').replace('"j1"', '"k1"').replace('"j2"', '"k2"')),
    ),
    "dampers of actuators": mjcf(
        arm().replace('name="j2"', 'name="j2" springdamper=".1 1"'), "",
        '<actuator><motor joint="j1" damping=".2" gear="3"/><position joint="j1" kp="2"/>'
        '<motor joint="j2" damping=".4"/></actuator>',
    ),
    "springs switched off": mjcf(
        link("a", '<joint stiffness="2" damping="3" springref="20"/>'),
        '<option><flag spring="disable"/></option>',
    ),
    "dampers switched off": mjcf(
        link("a", '<joint stiffness="2" damping="3" springref="20"/>'),
        '<option><flag damper="disable"/></option>',
    ),
    "all switched off": mjcf(
        link("a", '<joint stiffness="2" damping="3"/>', "", 'gravcomp="1"'),
        WATER + '<option><flag spring="disable" damper="disable"/></option>',
    ),
    "floating with armature": mjcf(
        link("base", '<joint type="free" armature=".7" damping="2"/>', arm())
    ),
    "spring of a spatial tendon": mjcf(
        STRUNG, "", tendons(SPATIAL.format('stiffness="3"'))
    ),
    "stiffening tendon with a slack": mjcf(
        STRUNG, "", tendons(SPATIAL.format('stiffness="3 4 5" springlength="2 4"'))
    ),
    "loose tendon": mjcf(
        STRUNG, "", tendons(SPATIAL.format('stiffness="3" springlength="0 100"'))
    ),
    "damped tendon": mjcf(STRUNG, "", tendons(SPATIAL.format('damping="3 4 5"'))),
    "tendon by class": mjcf(
        STRUNG, '<default><tendon stiffness="3" springlength=".5"/></default>',
        tendons(SPATIAL.format("")),
    ),
    "tackle": mjcf(
        STRUNG, "",
        tendons('<spatial stiffness="3" damping="1"><site site="g"/><site site="s"/>'
                '<pulley divisor="2"/><site site="s"/><site site="u"/><pulley divisor="3"/>'
                '<site site="u"/><site site="g"/></spatial>'),
    ),
    "fixed tendon": mjcf(
        STRUNG.replace('"j3"', '"j3" ref="30" springref="50"'), "",
        tendons('<fixed stiffness="3" damping="1"><joint joint="j1" coef="2"/>'
                '<joint joint="j3" coef="-.5"/></fixed>'),
    ),
    "tendon that only measures": mjcf(STRUNG, "", tendons(SPATIAL.format('limited="false"'))),
}  # fmt: skip


def load(name: str) -> tuple[Model, mujoco.MjModel]:
    return Model.from_mjcf(FORCES[name]), mujoco.MjModel.from_xml_string(FORCES[name])


def state(model: Model, oracle: mujoco.MjModel, qpos: np.ndarray) -> list[float]:
    return configuration(oracle, qpos).tolist()


@covers(passive_efforts, fluid_efforts, gravity_compensation, tendon_efforts)
@pytest.mark.parametrize("name", FORCES)
def test_passive_efforts_vs_mujoco(name: str) -> None:
    """The whole and each part that MuJoCo has a name for; no friction, which it constrains."""
    model, oracle = load(name)
    for qpos, v in random_states(oracle, STATES):
        data, _, _ = dynamics(oracle, qpos, v)
        J, q = velocity_map(oracle, qpos), configuration(oracle, qpos).tolist()
        by_drives = oracle.jnt_actgravcomp[oracle.dof_jntid] * data.qfrc_gravcomp
        expected = J.T @ (data.qfrc_passive + by_drives)
        own = passive_efforts.define(model, q, v.tolist())
        assert np.allclose(own, expected, rtol=0.0, atol=TOLERANCE * max(1.0, abs(expected).max()))
        parts = (
            (gravity_compensation.define(model, q), data.qfrc_gravcomp),
            (fluid_efforts.define(model, q, v.tolist()), data.qfrc_fluid),
        )
        for part, other in parts:
            assert np.allclose(part, J.T @ other, rtol=0.0, atol=TOLERANCE * (1 + abs(other).max()))


@pytest.mark.parametrize("name", FORCES)
def test_mass_matrix_and_bias_do_not_know_of_them(name: str) -> None:
    assert_same_dynamics(*load(name))


def test_what_acts_in_the_files_is_not_nothing() -> None:
    """Else the comparison above would say little."""
    silent = []
    for name in FORCES:
        model, oracle = load(name)
        ((qpos, v),) = random_states(oracle, 1)
        own = passive_efforts.define(model, configuration(oracle, qpos).tolist(), v.tolist())
        if np.abs(own).max() < 1e-6:
            silent.append(name)
    assert silent == [
        "nothing but a pull",
        "no gravity to compensate",
        "all switched off",
        "loose tendon",
        "tendon that only measures",
    ]


@pytest.mark.parametrize("name", ["boxes in a fluid", "ellipsoids in a fluid", "tackle"])
def test_machine_code_and_its_derivatives(name: str) -> None:
    model, oracle = load(name)
    ((qpos, v),) = random_states(oracle, 1)
    q = configuration(oracle, qpos)
    expected = np.array(passive_efforts.define(model, q.tolist(), v.tolist()))
    assert relative_error(passive_efforts(model, q, v), expected) < 1e-12
    by_q = dyn_core.derivative.request(passive_efforts, by="q")(model, q, v)
    by_v = dyn_core.derivative.request(passive_efforts, by="v")(model, q, v)
    h = 1e-6
    for k, e in enumerate(np.eye(model.nv)):
        ahead, behind = (dyn_core.integrate(model, q, sign * h * e) for sign in (1.0, -1.0))
        slope = passive_efforts(model, ahead, v) - passive_efforts(model, behind, v)
        assert np.allclose(by_q[:, k], slope / (2.0 * h), rtol=1e-5, atol=1e-4 * np.abs(by_q).max())
        slope = passive_efforts(model, q, v + h * e) - passive_efforts(model, q, v - h * e)
        assert np.allclose(by_v[:, k], slope / (2.0 * h), rtol=1e-5, atol=1e-4 * np.abs(by_v).max())
    still = np.zeros(model.nv)
    assert np.isfinite(dyn_core.derivative.request(passive_efforts, by="v")(model, q, still)).all()


def test_lifts_that_bear_all_weights_undo_gravity() -> None:
    text = mjcf(arm(attributes='gravcomp="1"').replace('name="a"', 'name="a" gravcomp="1"'))
    model = Model.from_mjcf(text)
    for q in np.random.default_rng(0).normal(size=(3, model.nv)):
        g = dyn_core.generalized_gravity.define(model, q.tolist())
        assert np.abs(g).max() > 1.0
        assert np.allclose(gravity_compensation.define(model, q.tolist()), g, atol=1e-12)


@covers(tendon_energy)
def test_springs_of_tendons_pull_down_their_energy() -> None:
    """Also with slack and with a force that is not proportional to the way."""
    model = Model.from_mjcf(FORCES["stiffening tendon with a slack"])
    random, h = np.random.default_rng(0), 1e-6
    for q in random.normal(size=(5, model.nv)):
        pull = tendon_efforts.define(model, q.tolist(), [0.0] * model.nv)
        for k, e in enumerate(np.eye(model.nv)):
            ends = [tendon_energy.define(model, (q + s * h * e).tolist()) for s in (1.0, -1.0)]
            assert pull[k] == pytest.approx(-(ends[0] - ends[1]) / (2.0 * h), rel=1e-6, abs=1e-6)


def test_a_tendon_over_a_mimic_joint_pulls_its_primary() -> None:
    """Down the energy of its spring, as seen from the coordinate that both have."""
    text = mjcf(
        link("a", HINGE.format("lead"), '<site name="s" pos="1 0 0"/>')
        + link("b", HINGE.format("f"), '<site name="t" pos="0 0 1"/>'),
        "",
        '<equality><joint joint1="f" joint2="lead" polycoef=".3 -2"/></equality>'
        + tendons(
            '<fixed stiffness="3"><joint joint="f" coef="2"/>'
            '<joint joint="lead" coef=".4"/></fixed>',
            '<spatial stiffness="5"><site site="s"/><site site="t"/></spatial>',
        ),
    )
    model, h = Model.from_mjcf(text), 1e-6
    assert model.nv == 1
    for q in (-1.0, 0.2, 0.9):
        (pull,) = tendon_efforts.define(model, [q], [0.0])
        ends = [tendon_energy.define(model, [q + s * h]) for s in (1.0, -1.0)]
        assert pull == pytest.approx(-(ends[0] - ends[1]) / (2.0 * h), rel=1e-6, abs=1e-6)


def test_friction_of_a_tendon_follows_its_formula() -> None:
    slide = '<joint name="x" type="slide" axis="1 0 0"/>'
    band = '<fixed frictionloss=".4"><joint joint="x" coef="-2"/></fixed>'
    model = Model.from_mjcf(mjcf(link("a", slide), "", tendons(band)))
    for v in (-1.5, 0.0, 0.3):
        assert tendon_efforts.define(model, [0.1], [v]) == [-0.8 * np.sign(v)]
        (smooth,) = tendon_efforts.define(model, [0.1], [v], smoothing=0.1)
        assert smooth == pytest.approx(-0.8 * np.tanh(2.0 * v / 0.1))


def test_still_fluid_only_takes_energy() -> None:
    for name in ("boxes in a fluid", "ellipsoids in a fluid"):
        model = Model.from_mjcf(FORCES[name].replace(' wind=".3 -.2 .5"', ""))
        _, oracle = load(name)
        for qpos, v in random_states(oracle, 20):
            q = configuration(oracle, qpos).tolist()
            assert np.array(fluid_efforts.define(model, q, v.tolist())) @ v < 0.0


def test_added_mass_of_a_sphere_is_half_of_what_it_displaces() -> None:
    """Lamb 1932, article 92; MuJoCo's quadrature has it to 1e-4."""
    ball = '<geom size=".2" fluidshape="ellipsoid"/>'
    fluid = Model.from_mjcf(mjcf(body("a", HINGE.format("j") + ball), WATER)).fluid
    (hull,) = fluid.hulls
    assert np.allclose(hull.drag.mass, 0.5 * 4.0 / 3.0 * np.pi * 0.2**3, rtol=1e-4)
    assert np.allclose(hull.drag.inertia, 0.0, atol=1e-12)


def test_a_floating_base_with_armature_moves_along_the_axes_of_the_world() -> None:
    model = Model.from_mjcf(FORCES["floating with armature"])
    assert isinstance(model.joints[1], Composite)
    assert model.armature[:6].tolist() == [0.7] * 6
    plain = FORCES["floating with armature"].replace(' armature=".7"', "")
    assert isinstance(Model.from_mjcf(plain).joints[1], FreeFlyer)


ALIGNED = body(
    "a",
    '<freejoint name="f" align="true"/><geom type="box" size=".1 .2 .3" pos=".4 0 0"/>'
    '<geom type="capsule" size=".1 .3" pos="0 .3 .2" euler="10 20 30"/>'
    '<site name="s" pos="1 2 3"/>',
    'pos=".3 -.1 .2" euler="40 50 60"',
)


def test_an_aligned_body_moves_by_its_principal_axes() -> None:
    """Its frame stays where the document has it, its coordinates are those of MuJoCo's frame."""
    text = mjcf(ALIGNED)
    model, oracle = Model.from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    assert_same_dynamics(model, oracle)
    assert np.allclose(model.joint_placements[1].homogeneous(), np.eye(4))
    rest = np.array(model.reference_configurations["qpos0"])
    expected = configuration(oracle, oracle.qpos0)
    expected[3:] *= np.sign(expected[3:] @ rest[3:])
    assert np.allclose(rest, expected, atol=2e-6)  # MuJoCo stops to turn at 1.4e-6 rad
    for qpos, _ in random_states(oracle, 2):
        data, _, _ = dynamics(oracle, qpos, np.zeros(6))
        oMi = dyn_core.forward_kinematics.define(model, configuration(oracle, qpos).tolist())
        site = oMi[1] * model.frame("s").placement
        assert np.allclose(list(site.translation), data.site_xpos[0], atol=1e-5)


def test_a_body_with_others_on_it_is_not_aligned() -> None:
    carrying = ALIGNED.replace("</body>", f"{body('b', INERTIAL)}</body>")
    model = Model.from_mjcf(mjcf(carrying))
    assert np.allclose(model.frame("a").placement.homogeneous(), np.eye(4))


def test_frames_of_bodies_stay_where_the_document_has_them() -> None:
    model = Model.from_mjcf(mjcf(ALIGNED))
    frame = next(f for f in model.frames if f.type is FrameType.BODY and f.name == "a")
    box = frame.placement.act_point(type(frame.placement.translation)(0.4, 0.0, 0.0))
    assert np.linalg.norm(list(box)) < 0.4


def test_springs_and_dampers_of_joints_are_mujocos() -> None:
    model, oracle = load("spring and damper by inertia")
    assert np.allclose(model.damping, oracle.dof_damping, rtol=1e-12)
    for qpos, v in random_states(oracle, 2):
        data, _, _ = dynamics(oracle, qpos, v)
        q = configuration(oracle, qpos).tolist()
        assert np.allclose(spring_efforts.define(model, q), data.qfrc_spring, rtol=1e-10)
