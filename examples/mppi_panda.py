# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Moves the hand of a Panda to a point by sampling (MPPI): 1024 rollouts of 50 steps per control.

Before each control, 1024 sequences of efforts are sampled around the best one so far. One call of
machine code computes their rollouts. The sequences are averaged with weights that decrease with the
cost (Williams et al. 2017, "Information theoretic MPC for model-based reinforcement learning").

    python examples/mppi_panda.py panda.urdf

Without a file it uses the Panda of the wheel example-robot-data. On one core (8 lanes) the rollouts
of one control take 3.6 ms; MuJoCo's `rollout` takes 144 ms: `make bench BENCH_ARGS=rollouts`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import dyn_core
from dyn_core import Model
from dyn_core.simulation import Dynamics, rollout, semi_implicit_euler
from dyn_core.view import draw_sticks

HAND = "panda_hand"
GOAL = np.array([0.4, 0.3, 0.5])
"""Where the hand goes, m in the frame of the base."""
START = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.8, 0.8])
THREADS = 2
DT = 0.01
"""Of a step, s."""
NOISE, TEMPERATURE = 0.04, 1e-3
"""Of the efforts that are drawn, as a share of the limits; cost that halves a weight, about."""
HELD = 5
"""Steps for which an effort is drawn: quick changes would cancel each other out."""
SLOW = 2e-3
"""Cost of a squared velocity, beside that of the squared distance."""


class Reacher:
    """A simulated panda and its sampled control."""

    def __init__(self, urdf: Path, motions: int = 1024, steps: int = 50) -> None:
        self.model = model = arm(urdf)
        self.random = np.random.default_rng(0)
        self.q, self.v = START.copy(), np.zeros(model.nv)
        self.plan = np.zeros((steps, model.nv))
        """Efforts beside those that hold the arm against gravity."""
        self.motions = motions
        self.hand = dyn_core.compile(model, [dyn_core.frame_placement.request(HAND)])
        self.free = Model.with_gravity(model, (0.0, 0.0, 0.0))
        """As the arm moves while its weight is compensated."""

    def distance(self) -> float:
        """Distance of the hand from its goal, m."""
        return float(np.linalg.norm(self.hand(self.q)[:3, 3] - GOAL))

    def predict(self, controls: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States of all rollouts, (B, steps + 1, nq) and (B, steps + 1, nv)."""
        dynamics, steps = Dynamics(self.free), controls.shape[1]
        return rollout(
            self.free, semi_implicit_euler, dynamics, self.q, self.v, DT, steps, controls, THREADS
        )

    def advance(self) -> None:
        """Improve the plan, apply its first step, and shift it."""
        limits = self.model.effort_limit
        steps, joints = self.plan.shape
        drawn = self.random.normal(size=(self.motions, -(-steps // HELD), joints)) * NOISE * limits
        noise = drawn.repeat(HELD, axis=1)[:, :steps]
        controls = np.clip(self.plan + noise, -limits, limits)
        q, v = self.predict(controls)
        costs = self.cost(q[:, 1:], v[:, 1:])
        weights = np.exp(-(costs - np.nanmin(costs)) / TEMPERATURE)
        weights = np.where(np.isfinite(weights), weights, 0.0)  # a motion that broke off
        self.plan = np.tensordot(weights / weights.sum(), controls, 1)
        (self.q,), (self.v,) = (x[:, 1] for x in self.predict(self.plan[None]))
        self.plan = np.concatenate([self.plan[1:], np.zeros((1, len(limits)))])

    def cost(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Cost of each rollout: mean squared distance of the hand and speed of the joints."""
        places = self.hand.batch(q.reshape(-1, q.shape[-1]), threads=THREADS).reshape(
            *q.shape[:2], 4, 4
        )
        away = ((places[..., :3, 3] - GOAL) ** 2).sum(axis=-1)
        return (away + SLOW * (v**2).sum(axis=-1)).mean(axis=1)


def arm(urdf: Path) -> Model:
    """The panda with its fingers locked."""
    whole = Model.from_urdf(urdf, mimic=False)
    fingers = [name for name in whole.names[1:] if "finger" in name]
    return whole.reduced(fingers, dyn_core.neutral(whole))


def main() -> None:
    """Reach the goal, and print the time of the rollouts."""
    reacher = Reacher(Path(sys.argv[1]) if len(sys.argv) > 1 else found())
    predicting, taken = [], []
    controls = np.zeros((reacher.motions, *reacher.plan.shape))
    for step in range(150):
        if step % 30 == 0:
            print(f"{step * DT:4.1f} s: {100.0 * reacher.distance():5.1f} cm from the goal")
        start = time.perf_counter()
        reacher.predict(controls)
        predicting.append(time.perf_counter() - start)
        reacher.advance()
        taken.append(time.perf_counter() - start - predicting[-1])
    print(f" 1.5 s: {100.0 * reacher.distance():5.1f} cm from the goal")
    print(
        f"1024 motions of 50 steps: {1e3 * np.median(predicting):.1f} ms; "
        f"a control, with noise and costs: {1e3 * np.median(taken):.1f} ms"
    )


def found() -> Path:
    """The panda of the example-robot-data wheel."""
    name = Path("share", "example-robot-data", "robots", "panda_description", "urdf", "panda.urdf")
    for folder in map(Path, sys.path):
        for file in folder.glob(f"cmeel.prefix/{name}"):
            return file
    sys.exit("give the path of a panda's URDF, or install example-robot-data")


def picture(motions: int = 1024, controls: int = 150) -> Any:
    """The arm moving to the goal, and the distance of its hand."""
    from matplotlib.figure import Figure

    reacher, path, distances = Reacher(found(), motions), [], []
    for _ in range(controls):
        path.append(reacher.q)
        distances.append(100.0 * reacher.distance())
        reacher.advance()
    figure = Figure(layout="constrained")
    robot, curve = figure.subplots(1, 2)
    seen = draw_sticks(robot, reacher.model, np.array(path[:: controls // 4]), (HAND,))
    robot.plot(*seen(GOAL), "*", ms=14, color="tab:red")
    curve.plot(DT * np.arange(controls), distances)
    curve.set(xlabel="time [s]", title="hand to goal [cm]", ylim=(0.0, None))
    return figure


if __name__ == "__main__":
    main()
