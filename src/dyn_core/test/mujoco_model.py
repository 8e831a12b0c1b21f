# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo as an oracle: its models, and how its coordinates become ours."""

from __future__ import annotations

import mujoco
import numpy as np

mujoco.set_mju_user_warning(lambda _: None)  # else its opinions of odd inertias go to a file

JOINT, BODY, SITE = mujoco.mjtObj.mjOBJ_JOINT, mujoco.mjtObj.mjOBJ_BODY, mujoco.mjtObj.mjOBJ_SITE
FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)


def names(oracle: mujoco.MjModel, kind: mujoco.mjtObj, count: int) -> list[str | None]:
    """The names of all objects of a kind; None of those that have none."""
    return [mujoco.mj_id2name(oracle, kind, i) for i in range(count)]


def configuration(oracle: mujoco.MjModel, qpos: np.ndarray) -> np.ndarray:
    """Our configuration of MuJoCo's: quaternions (w, x, y, z) become (x, y, z, w)."""
    q = np.array(qpos, dtype=np.float64)
    for kind, start in zip(oracle.jnt_type, oracle.jnt_qposadr, strict=True):
        if kind in (FREE, BALL):
            first = start + (3 if kind == FREE else 0)
            q[first : first + 4] = np.roll(qpos[first : first + 4], -1)
    return q


def is_turned(oracle: mujoco.MjModel, kind: int, dof: int) -> bool:
    """Whether our linear velocity of a joint is in the body's frame, MuJoCo's in the world's."""
    return kind == FREE and oracle.dof_armature[dof] == 0.0


def velocity_map(oracle: mujoco.MjModel, qpos: np.ndarray) -> np.ndarray:
    """MuJoCo's velocity by ours: the linear one of a free joint is in the world's frame there.

    With armature it is so here too.
    """
    J = np.eye(oracle.nv)
    for kind, start, dof in zip(
        oracle.jnt_type, oracle.jnt_qposadr, oracle.jnt_dofadr, strict=True
    ):
        if is_turned(oracle, kind, dof):
            rotation = np.zeros(9)
            mujoco.mju_quat2Mat(rotation, np.array(qpos[start + 3 : start + 7]))
            J[dof : dof + 3, dof : dof + 3] = rotation.reshape(3, 3)
    return J


def velocity_map_rate(oracle: mujoco.MjModel, J: np.ndarray, v: np.ndarray) -> np.ndarray:
    """``dJ/dt v`` at our velocity ``v``: of a free joint ``R (w x u)``."""
    rate = np.zeros(oracle.nv)
    for kind, dof in zip(oracle.jnt_type, oracle.jnt_dofadr, strict=True):
        if is_turned(oracle, kind, dof):
            linear = slice(dof, dof + 3)
            rate[linear] = J[linear, linear] @ np.cross(v[dof + 3 : dof + 6], v[linear])
    return rate


def dynamics(
    oracle: mujoco.MjModel, qpos: np.ndarray, v: np.ndarray
) -> tuple[mujoco.MjData, np.ndarray, np.ndarray]:
    """Data, mass matrix and bias at MuJoCo's ``qpos`` and our ``v``, the latter two as ours."""
    data = mujoco.MjData(oracle)
    J = velocity_map(oracle, qpos)
    data.qpos[:], data.qvel[:] = qpos, J @ v
    mujoco.mj_forward(oracle, data)
    M = np.zeros((oracle.nv, oracle.nv))
    mujoco.mj_fullM(oracle, data, M)
    bias = data.qfrc_bias + M @ velocity_map_rate(oracle, J, v)
    return data, J.T @ M @ J, J.T @ bias


def random_states(
    oracle: mujoco.MjModel, count: int, seed: int = 0
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Configurations (MuJoCo's) and velocities (ours)."""
    random = np.random.default_rng(seed)
    states = []
    for _ in range(count):
        qpos = oracle.qpos0.copy()
        mujoco.mj_integratePos(oracle, qpos, 2.0 * random.normal(size=oracle.nv), 1.0)
        states.append((qpos, random.normal(size=oracle.nv)))
    return states
