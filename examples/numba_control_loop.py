# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A control loop compiled by numba that calls kernels of dyn_core.

A simulated UR5 follows sines by computed torque at 1 kHz. Then 256 arms, one per row of the arrays,
come to rest at zero. No part of the loops is interpreted.

    python examples/numba_control_loop.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

import dyn_core

ARM = Path(__file__).parents[1] / "src" / "dyn_ros" / "config" / "robots" / "ur5.urdf"
PERIOD = 1e-3
STIFFNESS, DAMPING = 400.0, 40.0
"""Of the error's dynamics, 1/s^2 and 1/s: critically damped."""

model = dyn_core.Model.from_urdf(ARM)
inverse = dyn_core.compile(model, ["inverse_dynamics"])
forward = dyn_core.compile(model, ["forward_dynamics"])
effort, efforts = inverse.numba_function, inverse.batch.numba_function
acceleration, accelerations = forward.numba_function, forward.batch.numba_function


@njit
def track(q: np.ndarray, v: np.ndarray, steps: int) -> float:
    """Follow sines for some steps; return the largest error of the last ones, rad."""
    wanted, tau, ddq = np.empty_like(q), np.empty_like(q), np.empty_like(q)
    for step in range(steps):
        t = PERIOD * step
        error = np.sin(t) - q
        wanted[:] = -np.sin(t) + DAMPING * (np.cos(t) - v) + STIFFNESS * error
        effort(q, v, wanted, tau)
        acceleration(q, v, tau, ddq)
        v += PERIOD * ddq
        q += PERIOD * v
    return np.abs(np.sin(PERIOD * steps) - q).max()


@njit
def settle(q: np.ndarray, v: np.ndarray, steps: int) -> float:
    """Bring arms, one per row, to zero; return the largest final error, rad."""
    tau, ddq = np.empty_like(q), np.empty_like(q)
    for _ in range(steps):
        efforts(q, v, -DAMPING * v - STIFFNESS * q, tau)
        accelerations(q, v, tau, ddq)
        v += PERIOD * ddq
        q += PERIOD * v
    return np.abs(q).max()


def main() -> None:
    """Run both."""
    error = track(np.zeros(model.nv), np.zeros(model.nv), 5000)
    print(f"largest error of one arm after 5 s: {error:.2e} rad")
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (256, model.nv))
    error = settle(q, np.zeros_like(q), 1000)
    print(f"largest error of 256 arms after 1 s: {error:.2e} rad")


def picture(arms: int = 64) -> Any:
    """Arms from random positions come to rest at zero."""
    from matplotlib.figure import Figure

    q = np.random.default_rng(0).uniform(-1.0, 1.0, (arms, model.nv))
    v, course = np.zeros_like(q), []
    for _ in range(40):
        course.append(q[:, 1].copy())
        settle(q, v, 15)
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.plot(15 * PERIOD * np.arange(len(course)), np.array(course), lw=0.8, alpha=0.7)
    axes.set(xlabel="time [s]", title=f"shoulder lift of {arms} arms [rad]")
    return figure


if __name__ == "__main__":
    main()
