"""1024 motions of 50 steps of a panda, as sampled control predicts them: ours and MuJoCo's.

Both by semi-implicit Euler with efforts held during each step; arrays of results are there already.
MuJoCo's model has bodies and joints only, no geometry. The sides take turns, and of many
repetitions the shortest counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
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
    """One row per number of threads, and one of the method of Runge and Kutta."""
    model = load("panda").model
    random = np.random.default_rng(0)
    q, v = (random.normal(size=(MOTIONS, model.nv)) for _ in range(2))
    controls = random.normal(size=(MOTIONS, STEPS, model.nv))
    oracle = mujoco.MjModel.from_xml_string(write_mjcf(model))
    oracle.opt.timestep = DT
    start = np.concatenate([np.zeros((MOTIONS, 1)), q, v], axis=1)
    states = np.empty((MOTIONS, STEPS, start.shape[1]))

    def ours(integrator: str, threads: int) -> Callable[[], Any]:
        step = dyn_core.compile(model, [dyn_core.explicit_step(integrator=integrator)]).rollouts
        out = step(q, v, controls, np.array([DT]), steps=STEPS)
        return lambda: step(q, v, controls, np.array([DT]), steps=STEPS, threads=threads, out=out)

    def theirs(threads: int) -> Callable[[], Any]:
        data = [mujoco.MjData(oracle) for _ in range(threads)]
        return lambda: pool.rollout(
            oracle, data, start, controls, control_spec=APPLIED, state=states
        )

    rows = []
    for threads in (1, 2):
        with mujoco.rollout.Rollout(nthread=threads) as pool:
            sides = {
                "ours_ms": ours("semi_implicit_euler", threads),
                "mujoco_ms": theirs(threads),
                "ours_runge_kutta_4_ms": ours("runge_kutta_4", threads),
            }
            times: dict[str, list[float]] = {side: [] for side in sides}
            for _ in range(repetitions):
                for side, call in sides.items():
                    begin = time.perf_counter()
                    call()
                    times[side].append(1e3 * (time.perf_counter() - begin))
        best = {side: round(min(taken), 2) for side, taken in times.items()}
        ratio = round(best["ours_ms"] / best["mujoco_ms"], 3)
        rows.append({"robot": "panda", "threads": threads, **best, "ratio": ratio})
    return rows
