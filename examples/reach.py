# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A UR5 reaches for a pose: all inverse-kinematics solutions, then a motion to one.

`solve_ik` finds all configurations of the pose. Differential inverse kinematics moves the tool
there within limits of position, velocity and acceleration. The posture has second priority, and a
barrier keeps the hand away from a box in its path.

    python examples/reach.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dyn_core import Model, frame_placement
from dyn_core.control import (
    CollisionBarrier,
    FrameTask,
    InverseKinematics,
    JointLimits,
    PostureTask,
    solve_ik,
)
from dyn_core.geometry import Box, CollisionChecker, GeometryModel, GeometryObject, Kind, Sphere
from dyn_core.spatial import SE3, Matrix3, Vector3
from dyn_core.view import draw_sticks

FILE = Path(__file__).parents[1] / "src" / "dyn_ros" / "config" / "robots" / "ur5.urdf"
TOOL, DT = "tool0", 0.01
START = np.array([0.2, -1.2, 1.5, -1.0, -1.4, 0.3])
LOWER = np.array([0.0, 0.0, 0.1])
WAY = np.array([0.0, 0.3, 0.1])
"""m from the start to the goal."""


def postures(model: Model, target: np.ndarray) -> np.ndarray:
    """Different configurations (k, nq) in which the tool is at the target."""
    found = solve_ik(model, {TOOL: np.repeat(target[None], 200, axis=0)})
    within_a_turn = (found.q[found.solved] + np.pi) % (2.0 * np.pi) - np.pi
    return np.unique(np.round(within_a_turn, 2), axis=0)


def guarded(model: Model, box: np.ndarray) -> CollisionBarrier:
    """A barrier that keeps a ball around the tool 2 cm away from a box."""
    frame = model.frame(TOOL)
    ball = GeometryObject("hand", TOOL, frame.joint, frame.placement, Sphere(0.05))
    place = SE3(Matrix3.identity(), Vector3(*box))
    wall = GeometryObject("box", "world", 0, place, Box(0.2, 0.06, 0.1))
    geometry = GeometryModel(Kind.COLLISION, (ball, wall), ((0, 1),))
    return CollisionBarrier(CollisionChecker(model, geometry), least=0.02)


def reach(
    model: Model, target: np.ndarray, box: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The path (n, nq) and velocities (n, nv) of 5 s."""
    tool, posture = FrameTask(TOOL, gain=3.0), PostureTask(gain=1.0, priority=1)
    tool.set_target(target)
    posture.set_target(START)
    ik = InverseKinematics(
        model,
        [tool, posture],
        limits=JointLimits(model, acceleration=5.0, velocity_scale=0.3),
        barriers=[] if box is None else [guarded(model, box)],
    )
    q, v, path = START, np.zeros(model.nv), []
    for _ in range(500):
        q, v = ik.step(q, v, DT)
        path.append((q, v))
    return tuple(map(np.array, zip(*path, strict=True)))


def main() -> None:
    """Print the postures, and the motions with and without the box."""
    model = Model.from_urdf(FILE)
    start = np.array(frame_placement(model, START, frame=TOOL))
    target = start.copy()
    target[:3, 3] += WAY
    print(f"{len(postures(model, target))} postures, but for whole turns")
    way = start[:3, 3] + 0.5 * WAY
    for name, box in {"free": None, "beside a box": way - LOWER}.items():
        path, speeds = reach(model, target, box)
        tools = np.array([frame_placement(model, q, frame=TOOL)[:3, 3] for q in path])
        along = WAY / np.linalg.norm(WAY)
        aside = tools - start[:3, 3] - np.outer((tools - start[:3, 3]) @ along, along)
        print(f"{name}: {1e3 * np.linalg.norm(tools[-1] - target[:3, 3]):.3f} mm left,")
        print(
            f"  {1e3 * np.linalg.norm(aside, axis=1).max():.1f} mm off the straight line at most,"
        )
        print(f"  {np.abs(speeds).max():.2f} rad/s at most")


def picture() -> Any:
    """The motion around the box, and the motion without it."""
    from matplotlib.figure import Figure

    model = Model.from_urdf(FILE)
    target = np.array(frame_placement(model, START, frame=TOOL))
    box = target[:3, 3] + 0.5 * WAY - LOWER
    target[:3, 3] += WAY
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    for name, wall, color in (("free", None, "0.6"), ("beside the box", box, "tab:blue")):
        path, _ = reach(model, target, wall)
        seen = draw_sticks(axes, model, path[::60], (TOOL,), azimuth=-20.0, color=color)
        tools = np.array([frame_placement(model, q, frame=TOOL)[:3, 3] for q in path])
        axes.plot(*seen(tools).T, color="tab:red" if wall is not None else color, lw=2, label=name)
    corners = np.array(
        [[x, y, z] for x in (-0.1, 0.1) for y in (-0.03, 0.03) for z in (-0.05, 0.05)]
    )
    for a in corners:
        for b in corners[np.isclose(corners, a).sum(axis=1) == 2]:
            axes.plot(*seen(box + np.array([a, b])).T, color="tab:orange", lw=1)
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
