# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Springs, loops and couplings of MJCF: what acts or holds in MuJoCo is what the Model says."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mjcf_files import HINGE, arm, link, mjcf
from mujoco_model import configuration, random_states

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.serialize import from_json, to_json
from dyn_core.spatial import SE3

STATES = 5
SPRINGS = {
    "hinge in degrees": link("a", '<joint name="j" stiffness="3" springref="40" ref="10"/>'),
    "slide": link("a", '<joint name="j" type="slide" stiffness="3" springref=".2" ref=".4"/>'),
    "ball": link("a", '<joint name="j" type="ball" stiffness="3" pos=".1 0 0"/>'),
    "two": arm() + link("c", '<joint name="k" stiffness="5"/>'),
}


@pytest.mark.parametrize("name", SPRINGS)
def test_springs_pull_as_mujocos(name: str) -> None:
    text = mjcf(SPRINGS[name])
    model, oracle = Model.from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    for qpos, _ in random_states(oracle, STATES):
        data = mujoco.MjData(oracle)
        data.qpos[:] = qpos
        mujoco.mj_forward(oracle, data)
        q = configuration(oracle, qpos)
        efforts = dyn_core.spring_efforts.define(model, q.tolist())
        assert np.allclose(efforts, data.qfrc_spring, atol=1e-12)


def test_springs_of_followers_pull_their_primaries() -> None:
    """The energy of all springs, seen from the primary: same force wherever it is."""
    text = mjcf(
        link("a", '<joint name="lead" stiffness="2" springref="20"/>')
        + link("b", '<joint name="f" stiffness="5" springref="-30"/>'),
        "",
        '<equality><joint joint1="f" joint2="lead" polycoef=".3 -2"/></equality>',
    )
    model = Model.from_mjcf(text)
    for lead in (-1.0, 0.2, 2.0):
        follower = 0.3 - 2.0 * lead
        own, its = 2.0 * (np.radians(20) - lead), 5.0 * (np.radians(-30) - follower)
        (pull,) = dyn_core.spring_efforts.define(model, [lead])
        assert pull == pytest.approx(own - 2.0 * its)


def test_springs_are_stored() -> None:
    model = Model.from_mjcf(mjcf(SPRINGS["hinge in degrees"]))
    assert from_json(to_json(model)) == model


TWO = arm('<site name="b" pos=".1 0 .1"/>') + link(
    "c", HINGE.format("j3"), '<site name="s" pos=".1 .2 .3" euler="10 20 30"/>'
)
THREE = TWO + link(
    "d", "<freejoint/>", '<site name="t" pos="-.1 .2 0"/><site name="j3" pos=".3 0 0"/>'
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


def ends(model: Model, q: np.ndarray) -> tuple[SE3, SE3]:
    """Where the two frames of the first loop are in the world."""
    oMi = dyn_core.forward_kinematics.define(model, q.tolist())
    first, second = (model.frame(name) for name in (model.loops[0].frame1, model.loops[0].frame2))
    return oMi[first.joint] * first.placement, oMi[second.joint] * second.placement


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_open_as_far_as_mujoco_says(name: str) -> None:
    """Distance and angle between the two frames are the position errors of MuJoCo's equality."""
    text = mjcf(THREE, "", f"<equality>{LOOPS[name]}</equality>")
    model, oracle = Model.from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    (loop,) = model.loops
    for qpos, _ in random_states(oracle, STATES):
        data = mujoco.MjData(oracle)
        data.qpos[:] = qpos
        mujoco.mj_forward(oracle, data)
        first, second = ends(model, configuration(oracle, qpos))
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


def test_a_loop_between_bodies_that_never_move_apart_ties_nothing() -> None:
    equality = '<weld body1="base"/><connect body1="base" body2="world" anchor="0 0 0"/>'
    text = mjcf(arm() + '<body name="base"/>', "", f"<equality>{equality}</equality>")
    assert Model.from_mjcf(text).loops == ()


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
def test_couplings_miss_by_what_mujoco_says(name: str) -> None:
    first, second, third = (f'<joint name="j{i}" axis="0 1 0" ref="{10 * i}"/>' for i in (1, 2, 3))
    world = link("a", first, link("b", second)) + link("c", third)
    text = mjcf(world, "", f"{TENDONS}<equality>{COUPLINGS[name]}</equality>")
    model, oracle = Model.from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    (coupling,) = model.couplings
    assert from_json(to_json(model)) == model
    for qpos, _ in random_states(oracle, STATES):
        data = mujoco.MjData(oracle)
        data.qpos[:] = qpos
        mujoco.mj_forward(oracle, data)
        (error,) = data.efc_pos[: data.ne]

        def total(terms: tuple[tuple[str, float], ...], q: np.ndarray = qpos) -> float:
            return sum(c * q[model.idx_q[model.joint_index(joint)]] for joint, c in terms)

        target, slope, _ = coupling.law(total(coupling.leaders))
        assert total(coupling.followers) - target == pytest.approx(error, rel=1e-10, abs=1e-12)
        row = np.zeros(model.nv)
        for joint, c in coupling.followers:
            row[model.idx_v[model.joint_index(joint)]] += c
        for joint, c in coupling.leaders:
            row[model.idx_v[model.joint_index(joint)]] -= c * slope
        assert np.allclose(row, first_row(oracle, data), atol=1e-12)


def first_row(oracle: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """The Jacobian of MuJoCo's first constraint."""
    if not mujoco.mj_isSparse(oracle):
        return data.efc_J[: oracle.nv]
    row = np.zeros(oracle.nv)
    count = data.efc_J_rownnz[0]
    row[data.efc_J_colind[:count]] = data.efc_J[:count]
    return row


def test_a_mounted_robot_brings_its_couplings() -> None:
    equality = '<joint joint1="j1" joint2="j2" polycoef=".1 2 -.3"/>'
    model = Model.from_mjcf(mjcf(arm(), "", f"<equality>{equality}</equality>"))
    base = Model.from_urdf('<robot name="o"><link name="base"/></robot>')
    assert base.append(model, "base").couplings == model.couplings


def test_locking_joints_leaves_what_their_couplings_say_of_the_others() -> None:
    equality = '<joint joint1="j1" joint2="j2" polycoef=".1 2 -.3 .4 .5"/>'
    model = Model.from_mjcf(mjcf(arm(), "", f"<equality>{equality}</equality>"))
    q = np.array([0.3, -0.7])
    (left,) = model.reduced(["j2"], q).couplings
    assert left.joints == ("j1",)
    assert left.law(0.0)[0] == pytest.approx(model.couplings[0].law(-0.7)[0])
    (left,) = model.reduced(["j1"], q).couplings
    assert left.law(0.4)[0] == pytest.approx(model.couplings[0].law(0.4)[0] - 0.3)
    assert model.reduced(["j1", "j2"], q).couplings == ()
