# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Holds a standing Go2 by a linear quadratic regulator (LQR).

Four fixed feet are twelve constraints, which leave six degrees of freedom. The linear model
``x = (z, dz/dt)``, with ``dq = N z`` and N a basis of the motions that the constraints allow, comes
from the derivatives of constrained dynamics; Riccati's equation gives the gains. The nonlinear
robot, displaced by 3 cm and 6 degrees, returns. The robot comes from the wheel example-robot-data.

    python examples/go2_lqr.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy import linalg

from dyn_core import (
    Contact,
    Model,
    compile,
    constrained_dynamics_derivatives,
    constrained_forward_dynamics,
    constraint_jacobian,
    frame_placement,
    integrate,
    neutral,
)
from dyn_core.control import solve_ik, whole_body_motion
from dyn_core.dynamics.integrate import difference
from dyn_core.linearization import Linearization
from dyn_core.view import draw_sticks

BODY, FEET = "base", ("FL_foot", "FR_foot", "RL_foot", "RR_foot")
LEG = (0.0, 0.8, -1.5)
"""Hip, thigh and calf, rad."""
DT, SECONDS = 1e-3, 2.0
COST, EFFORT = np.array([100.0] * 6 + [1.0] * 6), 1e-2
"""Of squared deviations and their rates, and of squared efforts, 1/(N m)^2."""
BASE = 6


def go2() -> Model:
    """The robot on a floating base."""
    name = Path("share", "example-robot-data", "robots", "go2_description", "urdf", "go2.urdf")
    for folder in map(Path, sys.path):
        for file in folder.glob(f"cmeel.prefix/{name}"):
            return Model.from_urdf(file, root_joint="free_flyer")
    sys.exit("install example-robot-data")


def standing(model: Model) -> np.ndarray:
    """The posture (nq), feet on the ground."""
    q = neutral(model)
    q[7:] = np.tile(LEG, 4)
    q[2] -= frame_placement(model, q, frame=FEET[0])[2, 3]
    return q


class Balance:
    """The linear model about a posture, and its gains."""

    def __init__(self, model: Model, q: np.ndarray) -> None:
        self.model, self.q = model, q
        self.feet = tuple(Contact(foot, kind=3, kd=100.0) for foot in FEET)
        still = np.zeros(model.nv)
        self.efforts = whole_body_motion(model, q, still, still, FEET).efforts
        J = constraint_jacobian(model, q, constraints=self.feet)
        self.basis = linalg.null_space(J)
        derivatives = constrained_dynamics_derivatives.request(constraints=self.feet)
        once = compile(model, [derivatives], backend="tape")  # nothing to compile for one call
        by_q, by_v, by_tau, *_ = once(q, still, self.efforts)
        N, n = self.basis, self.basis.shape[1]
        A, B = np.zeros((2 * n, 2 * n)), np.zeros((2 * n, model.nv - BASE))
        A[:n, n:], A[n:, :n], A[n:, n:] = np.eye(n), N.T @ by_q @ N, N.T @ by_v @ N
        B[n:] = N.T @ by_tau[:, BASE:]
        self.plant = Linearization(A, B)
        R = EFFORT * np.eye(model.nv - BASE)
        P = linalg.solve_continuous_are(A, B, np.diag(COST), R)
        self.gains = np.linalg.solve(R, B.T @ P)
        """(joints, 12)"""

    def control(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Efforts (nv) at a state, within the limits of the drives."""
        away = np.concatenate([self.basis.T @ difference(self.model, self.q, q), self.basis.T @ v])
        tau = self.efforts.copy()
        tau[BASE:] -= self.gains @ away
        limit = self.model.effort_limit[BASE:]
        tau[BASE:] = np.clip(tau[BASE:], -limit, limit)
        return tau

    def returning(self, start: np.ndarray, controlled: bool = True) -> np.ndarray:
        """Deviations (n, nv) of the nonlinear robot from the posture, from rest at ``start``."""
        q, v, seen = start, np.zeros(self.model.nv), []
        for _ in range(round(SECONDS / DT)):
            seen.append(difference(self.model, self.q, q).copy())
            tau = self.control(q, v) if controlled else self.efforts
            a, _ = constrained_forward_dynamics(self.model, q, v, tau, constraints=self.feet)
            v = v + a * DT
            q = integrate(self.model, q, v * DT)
        return np.array(seen)


def displaced(balance: Balance) -> np.ndarray:
    """A configuration (nq) displaced by 3 cm and 6 degrees; the feet stay."""
    model, q = balance.model, balance.q
    feet = {x: np.array(frame_placement(model, q, frame=x))[:3, 3] for x in FEET}
    away = np.zeros(model.nv)
    away[:BASE] = 0.02, 0.02, -0.01, 0.1, 0.0, 0.0
    body = frame_placement(model, integrate(model, q, away), frame=BODY)
    return solve_ik(model, {**feet, BODY: body}, start=q).q[0]


def main() -> None:
    """Print the poles, and how the robot returns."""
    model = go2()
    balance = Balance(model, standing(model))
    closed_loop = balance.plant.A - balance.plant.B @ balance.gains
    print(f"open loop: fastest pole {np.linalg.eigvals(balance.plant.A).real.max():.2f} / s")
    print(f"with LQR: slowest pole {np.linalg.eigvals(closed_loop).real.max():.2f} / s")
    start = displaced(balance)
    for name, controlled in (("constant efforts", False), ("LQR", True)):
        seen = balance.returning(start, controlled)
        base = np.linalg.norm(seen[:, :3], axis=1)
        print(f"{name}: {100 * base[0]:.1f} cm off at first, {100 * base[500]:.2f} cm after 0.5 s,")
        print(f"  {100 * base[-1]:.3f} cm after {SECONDS:g} s")


def picture() -> Any:
    """The displaced robot, and the distance of its base from the posture over time."""
    from matplotlib.figure import Figure

    balance = Balance(model := go2(), standing(model))
    start = displaced(balance)
    figure = Figure(layout="constrained")
    robot, curves = figure.subplots(1, 2)
    draw_sticks(robot, model, balance.q[None], FEET, color="0.6")
    draw_sticks(robot, model, start[None], FEET)
    for name, controlled in (("constant efforts", False), ("LQR", True)):
        away = 100.0 * np.linalg.norm(balance.returning(start, controlled)[:, :3], axis=1)
        curves.plot(DT * np.arange(len(away)), away, label=name)
    curves.set(xlabel="time [s]", title="base off its place [cm]", ylim=(0.0, 12.0))
    curves.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
