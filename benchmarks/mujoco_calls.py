# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo called from Python: the same robots, a state in and a result out."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mujoco
import numpy as np
from mjcf_writer import write_mjcf
from robots import FLOATING, Robot

Call = tuple[Callable[..., Any], list[tuple[Any, ...]]]
"""A function, and its arguments for each state."""
State = dict[str, np.ndarray]


@cache
def mujoco_model(robot: Robot) -> mujoco.MjModel:
    """The robot without anything that its dynamics are computed with beside bodies and joints."""
    model = mujoco.MjModel.from_xml_string(write_mjcf(robot.model))
    flags = mujoco.mjtDisableBit
    model.opt.disableflags |= flags.mjDSBL_CONTACT | flags.mjDSBL_CONSTRAINT
    model.opt.disableflags |= flags.mjDSBL_ACTUATION
    return model


def mujoco_calls(robot: Robot, function: str, states: list[State]) -> Call | None:
    """rnea is mj_inverse, crba mj_makeM with what it needs and mj_fullM, aba mj_forward.

    The state is copied into MuJoCo's data, which takes half a microsecond. Configurations are ours
    with quaternions turned; on free flyers MuJoCo's velocities mean something else, which takes as
    long.
    """
    model = mujoco_model(robot)
    data = mujoco.MjData(model)
    M = np.empty((model.nv, model.nv))

    def rnea(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_inverse(model, data)

    def crba(q: np.ndarray) -> None:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_fullM(model, data, M)

    def aba(q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> None:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
        mujoco.mj_forward(model, data)

    functions: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
        "rnea": (rnea, ("v", "a")), "crba": (crba, ()), "aba": (aba, ("v", "tau")),
    }  # fmt: skip
    if function not in functions:
        return None
    call, names = functions[function]
    floating = robot.name in FLOATING
    return call, [
        (turned(state["q"]) if floating else state["q"], *(state[x] for x in names))
        for state in states
    ]


def turned(q: np.ndarray) -> np.ndarray:
    """The quaternion of a free flyer as (w, x, y, z)."""
    return np.r_[q[:3], q[6], q[3:6], q[7:]]
