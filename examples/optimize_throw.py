# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Finds torques that swing a UR5 to a pose within half a second, through 100 steps of its dynamics.

PyTorch differentiates the distance after 100 steps of 5 ms by the torques of every step: single
shooting. Torques are a share of the limits, so that they never exceed them.

    pip install './src/dyn_core[torch]'; python examples/optimize_throw.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

import dyn_core.torch
from dyn_core import Model

ARM = Path(__file__).parents[1] / "src/dyn_ros/config/robots/ur5.urdf"
START = torch.tensor([0.0, -1.5, 1.5, -1.5, -1.5, 0.0], dtype=torch.float64)
GOAL = torch.tensor([0.4, -1.2, 1.2, -1.5, -1.2, 0.3], dtype=torch.float64)
STEPS, DT = 100, 0.005
"""Number of steps; length of a step, s."""


def optimized(model: Model, iterations: int = 60) -> tuple[torch.Tensor, list[float]]:
    """The torques of each step, N m, and the distance from the goal after each iteration."""
    aba = dyn_core.torch.function(model, "aba")
    limits = torch.from_numpy(np.array(model.effort_limit))
    holding = dyn_core.generalized_gravity(model, START.numpy())
    share = torch.atanh(torch.from_numpy(holding) / limits).repeat(STEPS, 1).requires_grad_()
    search = torch.optim.LBFGS([share], max_iter=iterations, line_search_fn="strong_wolfe")
    distances: list[float] = []

    def cost() -> torch.Tensor:
        """Squared distance and speed at the end, and a little for rough torques."""
        search.zero_grad()
        q, v, torques = START, torch.zeros(model.nv, dtype=torch.float64), limits * share.tanh()
        for tau in torques:
            v = v + DT * aba(q, v, tau)
            q = q + DT * v
        distances.append(float((q - GOAL).norm().detach()))
        rough = ((torques[1:] - torques[:-1]) / limits).square().sum()
        total = (q - GOAL).square().sum() + 0.01 * v.square().sum() + 1e-4 * rough
        total.backward()
        return total

    search.step(cost)
    return (limits * share.tanh()).detach(), distances


def main() -> None:
    """Optimize, and print how near the arm comes."""
    torques, distances = optimized(Model.from_urdf(ARM))
    for k in (0, len(distances) // 2, len(distances) - 1):
        print(f"after {k:2} evaluations: {distances[k]:.4f} rad from the goal")
    print(f"largest torque: {torques.abs().max():.1f} N m")


if __name__ == "__main__":
    main()
