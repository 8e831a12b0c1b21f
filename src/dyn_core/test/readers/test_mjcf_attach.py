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
    "all": '<attach model="kid" prefix="p_"/>',
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


def test_what_refers_to_attached_parts_alone_comes_along(folder: Path) -> None:
    model, oracle = load(folder, WHOLE["twice"])
    assert oracle.neq == len(model.loops) + len(model.couplings)
    assert len(model.loops) == 2
    assert len(model.tendons) == (oracle.tendon_stiffness > 0.0).sum()
    (armature,) = model.tree[model.joint_index("1/l")].limits.armature
    assert armature == pytest.approx(0.3 + 0.4 * 2.0**2)


def test_files_and_parts_that_are_not_there_are_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere.xml"):
        Model.from_mjcf(written(folder, mjcf(WHOLE["all"], ASSET.replace("child", "nowhere"))))
    with pytest.raises(ModelError, match="could not find body 'x' in model asset 'kid'"):
        Model.from_mjcf(written(folder, mjcf(WHOLE["a body"].replace('"arm"', '"x"'), ASSET)))


def test_attached_files_are_found_where_unknown_elements_are_left_out(folder: Path) -> None:
    path = written(folder, mjcf(WHOLE["all"] + "<wheel/>", ASSET))
    assert Model.from_mjcf(path, ignore="wheel").nv == load(folder, WHOLE["all"], "")[0].nv - 1
