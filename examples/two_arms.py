# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Two arms carry an object together, and do not collide.

While the left hand of a Baxter moves, a relative frame task keeps the right hand at a fixed pose
beside it. Then both hands get the same target, and a barrier between two balls around the hands
keeps them apart. After pink's `yumi_self_collision`. The robot comes from the wheel
example-robot-data.

    python examples/two_arms.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dyn_core import Model, compile, frame_placement, neutral
from dyn_core.control import (
    CollisionBarrier,
    FrameTask,
    InverseKinematics,
    PostureTask,
    RelativeFrameTask,
)
from dyn_core.geometry import CollisionChecker, GeometryModel, GeometryObject, Kind, Sphere
from dyn_core.view import draw_sticks

HANDS = "left_gripper", "right_gripper"
BENT = {"s0": 0.5, "s1": -0.4, "e0": -1.2, "e1": 1.6, "w0": 0.4, "w1": 1.0, "w2": 0.0}
"""rad, of the left arm's joints."""
MIRRORED = ("s0", "e0", "w0", "w2")
DT, RADIUS, APART = 0.01, 0.09, 0.02
"""s; m of the balls about the hands, and between them."""


def baxter() -> Model:
    """The robot, fixed to the ground."""
    name = Path("share", "example-robot-data", "robots", "baxter_description", "urdf")
    for folder in map(Path, sys.path):
        for file in folder.glob(f"cmeel.prefix/{name}/baxter.urdf"):
            return Model.from_urdf(file)
    sys.exit("install example-robot-data")


def bent(model: Model) -> np.ndarray:
    """A configuration (nq) with both hands before the chest, the right arm the left one's image."""
    q = neutral(model)
    for name, angle in BENT.items():
        q[model.idx_q[model.joint_index(f"left_{name}")]] = angle
        turn = -angle if name in MIRRORED else angle
        q[model.idx_q[model.joint_index(f"right_{name}")]] = turn
    return q


def checker(model: Model) -> CollisionChecker:
    """A collision checker of two balls around the hands."""
    frames = [model.frame(hand) for hand in HANDS]
    balls = [GeometryObject(x.name, x.name, x.joint, x.placement, Sphere(RADIUS)) for x in frames]
    return CollisionChecker(model, GeometryModel(Kind.COLLISION, tuple(balls), ((0, 1),)))


Look = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def hands(model: Model) -> Look:
    """Positions of both hands."""
    return compile(model, [frame_placement.request(hand) for hand in HANDS])


def carried(model: Model, way: np.ndarray, seconds: float = 2.0) -> np.ndarray:
    """Configurations (n, nq) while the left hand moves by ``way`` and the right one follows."""
    q, v = bent(model), np.zeros(model.nv)
    left, posture = FrameTask(HANDS[0], gain=3.0), PostureTask(1e-3)
    together = RelativeFrameTask(*HANDS[::-1])
    for task in (left, together, posture):
        task.set_target_from_configuration(model, q)
    target = left.target.copy()
    target[:3, 3] += way
    left.set_target(target)
    ik, path = InverseKinematics(model, [left, posture], constraints=[together]), []
    for _ in range(round(seconds / DT)):
        q, v = ik.step(q, v, DT)
        path.append(q)
    return np.array(path)


def joined(model: Model, apart: CollisionChecker, seconds: float = 3.0) -> np.ndarray:
    """Configurations (n, nq) while both hands have the same target."""
    q, v = bent(model), np.zeros(model.nv)
    places = hands(model)(q)
    middle = np.mean([place[:3, 3] for place in places], axis=0)
    tasks = [FrameTask(hand, 1.0, 0.1, gain=3.0) for hand in HANDS]
    for task, place in zip(tasks, places, strict=True):
        target = place.copy()
        target[:3, 3] = middle
        task.set_target(target)
    posture = PostureTask(1e-2)
    posture.set_target(q)
    barrier = CollisionBarrier(apart, least=APART)
    ik, path = InverseKinematics(model, [*tasks, posture], barriers=[barrier]), []
    for _ in range(round(seconds / DT)):
        q, v = ik.step(q, v, DT)
        path.append(q)
    return np.array(path)


def main() -> None:
    """Print the errors of the hands."""
    model = baxter()
    look = hands(model)
    before = [place.copy() for place in look(bent(model))]
    path = carried(model, np.array([0.1, 0.1, 0.15]))
    left, _ = look(path[-1])
    grip = np.linalg.solve(before[0], before[1])
    off = [np.abs(np.linalg.solve(*look(q)) - grip)[:3, 3].max() for q in path]
    print(f"the left hand moved by {100 * np.linalg.norm((left - before[0])[:3, 3]):.1f} cm,")
    print(f"  the distance of the hands changed by {1e3 * max(off):.2f} mm at most")
    apart = checker(model)
    distances = []
    for q in joined(model, apart):
        apart.update(q)
        distances.append(apart.distances()[0])
    print(f"distance of the balls for a common target: {1e3 * distances[0]:.0f} mm at first,")
    print(f"  {1e3 * distances[-1]:.1f} mm at the end, {1e3 * min(distances):.1f} mm at least")


def picture() -> Any:
    """Both arms lift an object; the distance of the hands stays above its minimum."""
    from matplotlib.figure import Figure

    model = baxter()
    figure = Figure(layout="constrained")
    above, below = figure.subplots(1, 2)
    path = carried(model, np.array([0.1, 0.1, 0.15]))
    look, seen = hands(model), draw_sticks(above, model, path[[0, -1]], HANDS, azimuth=60.0)
    for q in path[[0, -1]]:
        above.plot(*seen(np.array(look(q))[:, :3, 3]).T, color="tab:orange", lw=5)
    above.set_title("carried together")
    path = joined(model, checker(model))
    draw_sticks(below, model, path[[0, -1]], HANDS, azimuth=60.0)
    below.set_title("common target")
    return figure


if __name__ == "__main__":
    main()
