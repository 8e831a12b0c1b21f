# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Springs, lifts, fluid and tendons by identities; robots with them reduced and mounted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from covering import covers
from mjcf_files import CASES, HINGE, arm, body, link, mjcf
from robots import relative_error

import dyn_core
from dyn_core import Model, passive_efforts, spring_efforts, tendon_efforts, tendon_energy
from dyn_core.joints import Composite, FreeFlyer
from dyn_core.simulation import ContactStepper, JointEfforts, TimeStepper
from dyn_core.simulation.driven_dynamics import SMOOTHING

WATER = '<option density="900" viscosity=".7" wind=".3 -.2 .5"/>'
EQUALITY = '<equality><joint joint1="f" joint2="lead" polycoef=".3 -2"/></equality>'


def state(model: Model) -> tuple[np.ndarray, np.ndarray]:
    steps, v = np.random.default_rng(0).normal(size=(2, model.nv))
    return dyn_core.integrate(model, dyn_core.neutral(model), steps), v


def read(name: str) -> Model:
    return Model.from_mjcf(CASES[name].text)


@pytest.mark.parametrize("name", ["boxes in a fluid", "ellipsoids in a fluid", "tackle"])
def test_machine_code_and_its_derivatives(name: str) -> None:
    model = read(name)
    q, v = state(model)
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
        assert np.allclose(dyn_core.gravity_compensation.define(model, q.tolist()), g, atol=1e-12)


def test_springs_of_followers_pull_their_primaries() -> None:
    """The energy of all springs, seen from the primary: same force wherever it is."""
    joints = ("lead", "2", "20"), ("f", "5", "-30")
    world = "".join(
        link(name[0], f'<joint name="{name}" stiffness="{k}" springref="{rest}"/>')
        for name, k, rest in joints
    )
    model = Model.from_mjcf(mjcf(world, "", EQUALITY))
    for lead in (-1.0, 0.2, 2.0):
        own = 2.0 * (np.radians(20) - lead)
        its = 5.0 * (np.radians(-30) - (0.3 - 2.0 * lead))
        assert spring_efforts.define(model, [lead]) == [pytest.approx(own - 2.0 * its)]


TIED = mjcf(
    link("a", HINGE.format("lead"), '<site name="s" pos="1 0 0"/>')
    + link("b", HINGE.format("f"), '<site name="t" pos="0 0 1"/>'),
    "",
    f'{EQUALITY}<tendon><fixed stiffness="3"><joint joint="f" coef="2"/>'
    '<joint joint="lead" coef=".4"/></fixed>'
    '<spatial stiffness="5"><site site="s"/><site site="t"/></spatial></tendon>',
)


@covers(tendon_energy)
@pytest.mark.parametrize("text", [CASES["stiffening tendon with a slack"].text, TIED])
def test_springs_of_tendons_pull_down_their_energy(text: str) -> None:
    """Also with slack, with a force that is not proportional, and over a mimic joint."""
    model = Model.from_mjcf(text)
    random, h = np.random.default_rng(0), 1e-6
    for q in random.normal(size=(5, model.nv)):
        pull = tendon_efforts.define(model, q.tolist(), [0.0] * model.nv)
        for k, e in enumerate(np.eye(model.nv)):
            ends = [tendon_energy.define(model, (q + s * h * e).tolist()) for s in (1.0, -1.0)]
            assert pull[k] == pytest.approx(-(ends[0] - ends[1]) / (2.0 * h), rel=1e-6, abs=1e-6)


def test_friction_of_a_tendon_follows_its_formula() -> None:
    slide = '<joint name="x" type="slide" axis="1 0 0"/>'
    band = '<tendon><fixed frictionloss=".4"><joint joint="x" coef="-2"/></fixed></tendon>'
    model = Model.from_mjcf(mjcf(link("a", slide), "", band))
    for v in (-1.5, 0.0, 0.3):
        assert tendon_efforts.define(model, [0.1], [v]) == [-0.8 * np.sign(v)]
        (smooth,) = tendon_efforts.define(model, [0.1], [v], smoothing=0.1)
        assert smooth == pytest.approx(-0.8 * np.tanh(2.0 * v / 0.1))


@pytest.mark.parametrize("name", ["boxes in a fluid", "ellipsoids in a fluid"])
def test_still_fluid_only_takes_energy(name: str) -> None:
    model = Model.from_mjcf(CASES[name].text.replace(' wind=".3 -.2 .5"', ""))
    q, _ = state(model)
    for v in np.random.default_rng(0).normal(size=(20, model.nv)):
        assert np.array(dyn_core.fluid_efforts.define(model, q.tolist(), v.tolist())) @ v < 0.0


def test_added_mass_of_a_sphere_is_half_of_what_it_displaces() -> None:
    """Lamb 1932, article 92; MuJoCo's quadrature has it to 1e-4."""
    ball = '<geom size=".2" fluidshape="ellipsoid"/>'
    fluid = Model.from_mjcf(mjcf(body("a", HINGE.format("j") + ball), WATER)).fluid
    (hull,) = fluid.hulls
    assert np.allclose(hull.drag.mass, 0.5 * 4.0 / 3.0 * np.pi * 0.2**3, rtol=1e-4)
    assert np.allclose(hull.drag.inertia, 0.0, atol=1e-12)


def test_a_floating_base_with_armature_moves_along_the_axes_of_the_world() -> None:
    text = CASES["floating with armature"].text
    model = Model.from_mjcf(text)
    assert isinstance(model.joints[1], Composite)
    assert model.armature[:6].tolist() == [0.7] * 6
    plain = Model.from_mjcf(text.replace(' armature=".7"', ""))
    assert isinstance(plain.joints[1], FreeFlyer)


@pytest.mark.parametrize("name", ["boxes in a fluid", "tackle", "fixed tendon"])
def test_locked_joints_feel_nothing_and_the_rest_the_same(name: str) -> None:
    model = read(name)
    q, v = state(model)
    k = model.idx_v[model.joint_index("j2")]
    v[k] = 0.0
    kept = np.delete(np.arange(model.nv), k)
    less = model.reduced(["j2"], q)
    expected = passive_efforts.define(model, q.tolist(), v.tolist())
    left = np.delete(q, model.idx_q[model.joint_index("j2")]).tolist()
    own = passive_efforts.define(less, left, v[kept].tolist())
    assert relative_error(np.array(own), np.array(expected)[kept]) < 1e-12


@pytest.mark.parametrize("name", ["tackle", "ellipsoids in a fluid", "gravity compensation"])
def test_a_mounted_robot_brings_what_acts_on_it(name: str) -> None:
    """The efforts at its joints are those that it has alone where it is mounted in its world."""
    model = read(name)
    base = Model.from_urdf('<robot name="o"><link name="base"/></robot>')
    mounted = base.with_gravity(model.gravity).append(model, "base")
    q, v = (x.tolist() for x in state(model))
    expected = passive_efforts.define(model, q, v)
    assert np.allclose(passive_efforts.define(mounted, q, v), expected, rtol=1e-12)


def test_robots_in_different_fluids_are_not_one() -> None:
    water = read("boxes in an ideal fluid")
    oil = replace(water.fluid, density=3.0, hulls=())
    base = replace(Model.from_urdf('<robot name="o"><link name="base"/></robot>'), fluid=oil)
    with pytest.raises(
        dyn_core.ModelError, match=r"two robots in different fluids \(.*density=3.0"
    ):
        base.append(water, "base")
    same = replace(base, fluid=replace(water.fluid, hulls=()))
    assert same.append(water, "base").fluid == water.fluid


def test_simulation_knows_of_all_that_acts() -> None:
    model = read("tackle")
    q, v = state(model)
    expected = passive_efforts(model, q, v, smoothing=SMOOTHING)
    assert np.allclose(JointEfforts(model)(q, v), expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["tackle", "gravity compensation"])
def test_time_steps_know_of_all_that_acts(name: str) -> None:
    """They left out springs, tendons, lifts and fluids: a spring of 10 N m/rad did not move."""
    model, dt = read(name), 1e-6
    q, v = state(model)
    M = dyn_core.crba(model, q)
    net = passive_efforts(model, q, v) - dyn_core.nonlinear_effects(model, q, v)
    expected = np.linalg.solve(M, net)
    stepper = TimeStepper(model, dt)
    stepper.reset(dyn_core.difference(model, dyn_core.neutral(model), q))
    stepper.velocity[:] = v
    stepper.step(np.zeros(model.nv))
    other = ContactStepper(model, [], []).step(q, v, np.zeros(model.nv), dt)
    for reached in (stepper.velocity, other.v):
        assert (reached - v) / dt == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_locking_joints_keeps_their_couplings_of_the_others() -> None:
    equality = '<joint joint1="j1" joint2="j2" polycoef=".1 2 -.3 .4 .5"/>'
    model = Model.from_mjcf(mjcf(arm(), "", f"<equality>{equality}</equality>"))
    q = np.array([0.3, -0.7])
    (left,) = model.reduced(["j2"], q).couplings
    assert left.joints == ("j1",)
    assert left.law(0.0)[0] == pytest.approx(model.couplings[0].law(-0.7)[0])
    (left,) = model.reduced(["j1"], q).couplings
    assert left.law(0.4)[0] == pytest.approx(model.couplings[0].law(0.4)[0] - 0.3)
    assert model.reduced(["j1", "j2"], q).couplings == ()
    base = Model.from_urdf('<robot name="o"><link name="base"/></robot>')
    assert base.append(model, "base").couplings == model.couplings
