# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF's ``<attach>``: files made of others are what MuJoCo makes of them."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_files import HINGE, INERTIAL, arm, body, link, mjcf
from mujoco_model import BODY, JOINT, SITE, configuration, dynamics, names, random_states
from test_mjcf_against_mujoco import assert_same_dynamics

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.model import FrameType

CHILD = """<mujoco model="kid">
<compiler angle="radian" eulerseq="XYZ" meshdir="meshes"/>
<option gravity="0 0 -5"/>
<default><geom density="500" type="box" size=".1 .2 .3"/><joint armature=".3"/>
  <tendon stiffness="7"/>
  <equality solref=".1 1"/>
  <default class="x"><joint damping="2" axis="1 0 0"/><site euler=".1 .2 .3"/></default></default>
<asset><mesh name="brick" file="brick.obj" scale="2 1 1"/></asset>
<worldbody><frame name="rail" pos="0 0 9" childclass="x">
  <body name="arm" pos="1 2 3" euler="0.1 .2 .3">
    <joint name="j" range="-1 1" ref=".4"/><geom euler="1 0 0"/>
    <body name="tip" pos="0 0 1" childclass="main">
      <joint name="k" type="ball" range="0 .5"/><geom type="mesh" mesh="brick"/>
      <site name="s" pos="1 0 0" class="x"/></body>
    <body name="lever"><joint name="l" axis="0 1 0" springref=".2" stiffness="2"/>
      <geom mass="2" axisangle="1 1 0 .5"/><site name="t"/></body></body></frame>
  <body name="other"><joint name="o" type="slide" ref="2" range="-1 1"/><geom/></body></worldbody>
<equality><joint joint1="j" joint2="l" polycoef="0 2 .1 0 0"/><joint joint1="o" joint2="l"/>
  <connect body1="tip" body2="lever" anchor="0 0 1"/></equality>
<tendon><fixed name="f"><joint joint="j" coef="2"/></fixed>
  <fixed name="g"><joint joint="o" coef="1"/></fixed>
  <spatial name="h" springlength="1"><site site="s"/><site site="t"/></spatial></tendon>
<actuator><motor joint="l" armature=".4" gear="2"/><motor joint="o" armature=".4"/></actuator>
</mujoco>"""
BRICK = "".join(f"v {x} {y} {z}\n" for x in (0, 3) for y in (0, 2) for z in (0, 1)) + "".join(
    f"f {face}\n" for face in ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
)
ASSET = '<asset><model file="child.xml"/></asset>'
DEFAULT = "<default><geom density='7'/><joint damping='9'/></default>"
WHOLE = {
    "a body": '<attach model="kid" body="arm" prefix="p_"/>',
    "a frame": '<attach model="kid" frame="rail" prefix="p_"/>',
    "all": '<attach model="kid" prefix="p_"/>',
    "no prefix": '<attach model="kid" prefix=""/>',
    "twice": '<frame pos="1 0 0" euler="0 90 0">'
    '<attach model="kid" body="arm" prefix="1/"/></frame>'
    '<attach model="kid" body="arm" prefix="2/"/>',
    "on a body, before another": body(
        "b",
        HINGE.format("j") + INERTIAL + '<attach model="kid" body="arm" prefix="p_"/>'
        + link("after", HINGE.format("last")),
    ),
    "of the file itself": f'<frame name="f" pos="1 2 3">{arm()}</frame>'
    '<frame pos="3 2 1"><attach frame="f" prefix="p_"/></frame>',
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "child.xml").write_text(CHILD)
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "brick.obj").write_text(BRICK)
    return tmp_path


def written(folder: Path, text: str) -> Path:
    (folder / "main.xml").write_text(text)
    return folder / "main.xml"


def load(folder: Path, world: str, before: str = DEFAULT) -> tuple[Model, mujoco.MjModel]:
    path = written(folder, mjcf(world, before + ASSET))
    return Model.from_mjcf(path, mimic=False), mujoco.MjModel.from_xml_path(str(path))


@pytest.mark.parametrize("case", WHOLE)
def test_attached_parts_are_those_of_mujoco(folder: Path, case: str) -> None:
    """Order, names, dynamics, limits, places and what acts."""
    model, oracle = load(folder, WHOLE[case])
    assert list(model.names[1:]) == names(oracle, JOINT, oracle.njnt)
    bodies = [frame.name for frame in model.frames if frame.type is FrameType.BODY]
    assert bodies == names(oracle, BODY, oracle.nbody)
    assert_same_dynamics(model, oracle, 2)
    assert np.allclose(model.damping, oracle.dof_damping)
    for j, name in enumerate(model.names[1:]):
        if model.joints[j + 1].nv == 1 and oracle.jnt_limited[j]:
            at = model.idx_q[model.joint_index(name)]
            bounds = model.lower_position_limit[at], model.upper_position_limit[at]
            assert np.allclose(bounds, oracle.jnt_range[j])
    sites = {f.name: f for f in model.frames if f.type is FrameType.OPERATIONAL}
    for qpos, v in random_states(oracle, 2):
        data, _, _ = dynamics(oracle, qpos, v)
        q = configuration(oracle, qpos).tolist()
        passive = dyn_core.passive_efforts.define(model, q, v.tolist())
        assert np.allclose(passive, data.qfrc_passive, atol=1e-10)
        oMi = dyn_core.forward_kinematics.define(model, q)
        for i, site in enumerate(names(oracle, SITE, oracle.nsite)):
            place = oMi[sites[site].joint] * sites[site].placement
            assert np.allclose(list(place.translation), data.site_xpos[i], atol=1e-12)


@pytest.mark.parametrize("case", ["a body", "all", "twice"])
def test_what_refers_to_attached_parts_alone_comes_along(folder: Path, case: str) -> None:
    model, oracle = load(folder, WHOLE[case])
    assert oracle.neq == len(model.loops) + len(model.couplings)
    assert len(model.loops) == (2 if case == "twice" else 1)
    acting = oracle.tendon_stiffness > 0.0
    assert len(model.tendons) == acting.sum()
    for joint, gear in (("l", 2.0), ("o", 1.0)):
        for name in (n for n in model.names if n.endswith(joint) and "_" in n):
            (armature,) = model.tree[model.joint_index(name)].limits.armature
            assert armature == pytest.approx(0.3 + 0.4 * gear**2)


def test_options_of_the_other_file_count_where_they_are_to_be_merged(folder: Path) -> None:
    model, oracle = load(folder, WHOLE["all"])
    assert model.gravity == tuple(oracle.opt.gravity) == (0.0, 0.0, -9.81)
    merge = DEFAULT + '<compiler conflict="merge"/>'
    model, oracle = load(folder, WHOLE["all"], merge)
    assert model.gravity == tuple(oracle.opt.gravity) == (0.0, 0.0, -5.0)


def test_replicas_of_attached_parts(folder: Path) -> None:
    (folder / "child.xml").write_text(mjcf(arm(), "<option/>").replace('"m"', '"kid"'))
    copies = '<attach model="kid" body="a" prefix="p"/>'
    model, oracle = load(folder, f'<replicate count="3" euler="0 0 30">{copies}</replicate>')
    assert list(model.names[1:]) == names(oracle, JOINT, oracle.njnt)
    assert_same_dynamics(model, oracle, 2)


def test_a_file_may_attach_one_that_attaches_another(folder: Path) -> None:
    inner = mjcf('<attach model="kid" body="arm" prefix="q_"/>', ASSET).replace('"m"', '"middle"')
    (folder / "middle.xml").write_text(inner)
    asset = '<asset><model name="mid" file="middle.xml"/></asset>'
    path = written(folder, mjcf('<attach model="mid" prefix="p_"/>', asset))
    model, oracle = Model.from_mjcf(path), mujoco.MjModel.from_xml_path(str(path))
    assert list(model.names[1:]) == names(oracle, JOINT, oracle.njnt)


BAD = {
    "no such model": ('<attach model="cow" prefix=""/>', "there is no model 'cow' in <asset>"),
    "no such body": (
        '<attach model="kid" body="x" prefix="p"/>',
        "<attach prefix='p'>: .* body 'x'",
    ),
    "no such frame": ('<attach model="kid" frame="x" prefix=""/>', "there is no frame 'x' to att"),
    "nothing": ('<attach prefix="p"/>', "names no model, body or frame"),
    "no prefix": ('<attach model="kid"/>', "has no prefix; give it one"),
    "slip": ('<attach modle="kid" prefix=""/>', "MJCF has no attribute 'modle'"),
    "copied equality": (
        '<replicate count="2"><attach model="kid" prefix="p"/></replicate>',
        r"<attach prefix='p'> in a <replicate>, whose equality .*ignore=\('attach',\)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_attached_is_refused_by_name(folder: Path, case: str) -> None:
    world, words = BAD[case]
    with pytest.raises(ModelError, match=words):
        Model.from_mjcf(written(folder, mjcf(world, ASSET)))


def test_files_of_other_settings_and_rings_are_refused(folder: Path) -> None:
    world = WHOLE["all"]
    path = written(folder, mjcf(world, ASSET + '<compiler boundmass=".1"/>'))
    with pytest.raises(ModelError, match=r"child.xml', which has boundmass 0.0, not 0.1"):
        Model.from_mjcf(path)
    (folder / "child.xml").write_text(mjcf(world, ASSET).replace('"m"', '"kid"'))
    with pytest.raises(ModelError, match=r"child.xml' attaches itself in the end"):
        Model.from_mjcf(written(folder, mjcf(world, ASSET)))
    with pytest.raises(ModelError, match="a text has no folder where to look for it"):
        Model.from_mjcf(mjcf(world, '<asset><model name="kid" file="child.xml"/></asset>'))
    with pytest.raises(ModelError, match=r"cannot read the MJCF file '.*nowhere.xml'"):
        Model.from_mjcf(written(folder, mjcf(world, ASSET.replace("child", "nowhere"))))
