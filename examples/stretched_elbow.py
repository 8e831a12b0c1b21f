# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A UR5 follows a target out of its reach and back: inverse kinematics through a singularity.

A stretched elbow is singular: no velocity along the arm is possible, and a pseudoinverse gives very
large joint velocities. The Levenberg-Marquardt damping of a frame task grows with its error, so the
elbow stretches, rests and bends again.

    python examples/stretched_elbow.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dyn_core import Model, frame_placement
from dyn_core.control import FrameTask, InverseKinematics
from dyn_core.view import draw_sticks

FILE = Path(__file__).parents[1] / "src" / "dyn_ros" / "config" / "robots" / "ur5.urdf"
TOOL, ELBOW, DT = "tool0", 2, 0.01
START = np.array([0.2, -1.2, 1.5, -1.0, -1.4, 0.3])
FAR, SECONDS = 1.3, 4.0
"""m from the shoulder; s that the target is there, and s that it is at home again."""


def stretched(model: Model, lm_damping: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Configurations (n, nq) and velocities (n, nv) of the whole motion."""
    task = FrameTask(TOOL, gain=5.0, lm_damping=lm_damping)
    ik = InverseKinematics(model, [task])
    home = np.array(frame_placement(model, START, frame=TOOL))
    shoulder = np.array(frame_placement(model, START, frame="upper_arm_link"))[:3, 3]
    away = home.copy()
    way = home[:3, 3] - shoulder
    away[:3, 3] = shoulder + FAR * way / np.linalg.norm(way)
    q, v, course = START, np.zeros(model.nv), []
    for target in (away, home):
        task.set_target(target)
        for _ in range(round(SECONDS / DT)):
            q, v = ik.step(q, v, DT)
            course.append((q, v))
    return tuple(map(np.array, zip(*course, strict=True)))


def main() -> None:
    """Print how the elbow moves, with the damping and without."""
    model = Model.from_urdf(FILE)
    for damping in (0.05, 0.0):
        q, v = stretched(model, damping)
        half = len(q) // 2
        print(f"lm_damping {damping}:")
        print(
            f"  the elbow is bent by {np.degrees(q[half - 1, ELBOW]):.1f} degrees when stretched,"
        )
        print(f"  its speed there {np.abs(v[half - 100 : half]).max():.3f} rad/s,")
        print(f"  at home again within {np.abs(q[-1] - START).max():.4f} rad of the start")


def picture() -> Any:
    """The arm stretches; velocity of its fastest joint with and without damping."""
    from matplotlib.figure import Figure

    model = Model.from_urdf(FILE)
    figure = Figure(layout="constrained")
    arm, speed = figure.subplots(1, 2)
    for damping, name in ((0.05, "damped by the error"), (0.0, "without")):
        q, v = stretched(model, damping)
        speed.plot(DT * np.arange(len(v)), np.abs(v).max(axis=1), label=name)
        if damping:
            draw_sticks(arm, model, q[[0, 20, 60, 399]], (TOOL,), azimuth=-80.0)
    speed.set(xlabel="time [s]", title="fastest joint [rad/s]")
    speed.legend(frameon=False, loc="center right")
    return figure


if __name__ == "__main__":
    main()
