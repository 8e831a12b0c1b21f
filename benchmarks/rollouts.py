# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""1024 motions of 50 steps of a panda, as sampled control predicts them: ours and MuJoCo's.

Both by semi-implicit Euler on one core, with efforts held during each step; arrays of results are
there already. MuJoCo's model has bodies and joints only, no geometry. The sides take turns, and of
many repetitions the shortest counts, in time of the processor: a side that takes a hundred
milliseconds shares them with whatever else runs.
"""

from __future__ import annotations

import time
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np
from mjcf_writer import write_mjcf
from robots import load

import dyn_core

MOTIONS, STEPS, DT = 1024, 50, 1e-3
APPLIED = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)


def measure(repetitions: int) -> list[dict[str, Any]]:
    """One row."""
    model = load("panda").model
    random = np.random.default_rng(0)
    q, v = (random.normal(size=(MOTIONS, model.nv)) for _ in range(2))
    controls = random.normal(size=(MOTIONS, STEPS, model.nv))
    oracle = mujoco.MjModel.from_xml_string(write_mjcf(model))
    oracle.opt.timestep = DT
    start, data = np.concatenate([np.zeros((MOTIONS, 1)), q, v], axis=1), mujoco.MjData(oracle)
    states = np.empty((MOTIONS, STEPS, start.shape[1]))
    dt, kernels = np.array([DT]), {}
    for name in ("semi_implicit_euler", "runge_kutta_4"):
        kernels[name] = dyn_core.compile(
            model, [dyn_core.explicit_step.request(integrator=name)]
        ).rollouts
    out = kernels["semi_implicit_euler"](q, v, controls, dt, steps=STEPS)

    def ours(name: str) -> None:
        kernels[name](q, v, controls, dt, steps=STEPS, out=out)

    def theirs() -> None:
        mujoco.rollout.rollout(oracle, data, start, controls, control_spec=APPLIED, state=states)

    sides = {
        "ours_ms": lambda: ours("semi_implicit_euler"),
        "mujoco_ms": theirs,
        "ours_runge_kutta_4_ms": lambda: ours("runge_kutta_4"),
    }
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(repetitions):
        for side, call in sides.items():
            begin = time.process_time()
            call()
            times[side].append(1e3 * (time.process_time() - begin))
    best = {side: round(min(taken), 2) for side, taken in times.items()}
    ratio = round(best["ours_ms"] / best["mujoco_ms"], 3)
    return [{"robot": "panda", "motions": MOTIONS, "steps": STEPS, **best, "ratio": ratio}]
