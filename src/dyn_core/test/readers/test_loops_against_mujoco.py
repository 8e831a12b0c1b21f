# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Loops as MuJoCo has them: error and Jacobian of ``connect``, and what it does to motion."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
from robots import relative_error

from dyn_core import (
    Model,
    constrained_forward_dynamics,
    constraint_error,
    constraint_jacobian,
    forward_kinematics,
)

FIVE_BAR = """
<mujoco>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <body name="a1"><joint name="j1" axis="0 1 0"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/>
      <body name="a2" pos=".3 0 0"><joint name="j2" type="ball"/>
        <geom type="capsule" size=".02" fromto="0 0 0 .4 0 0"/></body></body>
    <body name="b1" pos=".5 0 0"><joint name="j3" axis="0 1 .2"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .3 .1 0"/>
      <body name="b2" pos=".3 .1 0"><joint name="j4" axis="1 0 1"/>
        <geom type="capsule" size=".02" fromto="0 0 0 .4 0 0"/></body></body>
  </worldbody>
  <contact><exclude body1="a1" body2="b1"/><exclude body1="a2" body2="b2"/>
    <exclude body1="a1" body2="b2"/><exclude body1="a2" body2="b1"/></contact>
  <equality><connect body1="a2" body2="b2" anchor=".4 0 0" solref="{solref}" solimp="{solimp}"/>
  </equality>
</mujoco>"""


def states(oracle: mujoco.MjModel, count: int):
    """Data of MuJoCo's in random states, with our configuration."""
    random = np.random.default_rng(0)
    for _ in range(count):
        data = mujoco.MjData(oracle)
        mujoco.mj_integratePos(oracle, data.qpos, random.normal(size=oracle.nv), 1.0)
        data.qvel[:] = random.normal(size=oracle.nv)
        mujoco.mj_forward(oracle, data)
        q = data.qpos.copy()
        ball = oracle.jnt_qposadr[mujoco.mj_name2id(oracle, mujoco.mjtObj.mjOBJ_JOINT, "j2")]
        q[ball : ball + 4] = np.roll(q[ball : ball + 4], -1)
        yield data, q


def test_connect_vs_mujoco() -> None:
    """Its rows are along the world's axes, ours along those of the first body."""
    text = FIVE_BAR.format(solref=".02 1", solimp=".9 .95 .001")
    oracle, model = mujoco.MjModel.from_xml_string(text), Model.from_mjcf(text)
    (loop,) = model.loops
    assert loop.kind == 3
    for data, q in states(oracle, 10):
        frame = model.frame(loop.frame1)
        place = forward_kinematics(model, q)[frame.joint] @ np.array(frame.placement.homogeneous())
        turn = place[:3, :3]
        expected = np.array(data.efc_J).reshape(-1, oracle.nv)[:3]
        assert relative_error(turn @ constraint_jacobian(model, q), expected) < 1e-9
        assert relative_error(turn @ constraint_error(model, q), data.efc_pos[:3]) < 1e-9


def test_stiff_connect_moves_like_an_ideal_loop() -> None:
    """MuJoCo's constraints give way; the stiffer its impedance, the nearer it comes to ours."""
    errors = []
    for impedance in (0.99, 0.9999):
        text = FIVE_BAR.format(solref="-100 -20", solimp=f"{impedance} {impedance} .001")
        oracle = mujoco.MjModel.from_xml_string(text)
        model = Model.from_mjcf(text)
        (loop,) = model.loops
        gains = {"kp": 100.0 / impedance, "kd": 20.0 / impedance}  # what it makes of solref
        model = replace(model, loops=(replace(loop, **gains),))
        worst = 0.0
        for data, q in states(oracle, 5):
            ddq, _ = constrained_forward_dynamics(model, q, data.qvel.copy(), np.zeros(model.nv))
            worst = max(worst, relative_error(ddq, data.qacc))
        errors.append(worst)
    assert errors[1] < 1e-2
    assert errors[1] < 0.1 * errors[0]
