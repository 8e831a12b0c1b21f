# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A robot on wheels keeps its hand at a point while its base drives around it.

The root joint of the base is planar. Two frame tasks conflict, and their costs weigh them: the hand
stays at its point, the base follows a circle and its tangent. After pink's `mobile_stretch`. The
robot, a Tiago, comes from the wheel example-robot-data.

    python examples/mobile_arm.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from dyn_core import Model, compile, frame_placement, neutral
from dyn_core.control import FrameTask, InverseKinematics, PostureTask

BASE, HAND = "base_footprint", "arm_tool_link"
ARM = (0.3, -0.2, -1.2, 1.6, 0.3, 0.3, 0.2)
"""rad, the seven joints of the arm."""
RADIUS, DT, SECONDS = 0.2, 0.01, 6.3
"""m of the circle; s."""


def tiago() -> Model:
    """The robot on a planar joint."""
    name = Path("share", "example-robot-data", "robots", "tiago_description", "robots")
    for folder in map(Path, sys.path):
        for file in folder.glob(f"cmeel.prefix/{name}/tiago_no_hand.urdf"):
            return Model.from_urdf(on_wheels(file))
    sys.exit("install example-robot-data")


def on_wheels(urdf: Path) -> str:
    """The description with a planar root joint."""
    tree = ElementTree.parse(urdf).getroot()
    children = {joint.find("child").get("link") for joint in tree.findall("joint")}
    (base,) = (x.get("name") for x in tree.findall("link") if x.get("name") not in children)
    ElementTree.SubElement(tree, "link", name="floor")
    joint = ElementTree.SubElement(tree, "joint", name="wheels", type="planar")
    ElementTree.SubElement(joint, "parent", link="floor")
    ElementTree.SubElement(joint, "child", link=base)
    ElementTree.SubElement(joint, "axis", xyz="0 0 1")
    return ElementTree.tostring(tree, encoding="unicode")


def start(model: Model) -> np.ndarray:
    """Configuration (nq) with the arm lifted in front of the robot."""
    q = neutral(model)
    for k, angle in enumerate(ARM, 1):
        q[model.idx_q[model.joint_index(f"arm_{k}_joint")]] = angle
    return q


def circled(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Placements (n, 4, 4) of the hand and of the base while the base drives on its circle."""
    q, v = start(model), np.zeros(model.nv)
    hand, base = FrameTask(HAND, 1.0, 1e-3, gain=20.0), FrameTask(BASE, 0.1, 0.1, gain=5.0)
    posture = PostureTask([0.0] * 3 + [1e-3] * (model.nv - 3))
    for task in (hand, base, posture):
        task.set_target_from_configuration(model, q)
    ik = InverseKinematics(model, [hand, base, posture])
    look = compile(model, [frame_placement.request(HAND), frame_placement.request(BASE)])
    seen = []
    for k in range(round(SECONDS / DT)):
        angle = min(k * DT, 2.0 * np.pi)
        c, s = np.cos(angle), np.sin(angle)
        target = np.eye(4)
        target[:2, :2] = [[c, -s], [s, c]]
        target[:2, 3] = RADIUS * s, RADIUS * (1.0 - c)
        base.set_target(target)
        q, v = ik.step(q, v, DT)
        seen.append(look(q))
    hands, bases = zip(*seen, strict=True)
    return np.array(hands), np.array(bases)


def main() -> None:
    """Print how far the hand and the base went."""
    model = tiago()
    hands, bases = circled(model)
    away = np.linalg.norm(hands[:, :3, 3] - hands[0, :3, 3], axis=1)
    turned = np.unwrap(np.arctan2(bases[:, 1, 0], bases[:, 0, 0]))
    wide = np.ptp(bases[:, :2, 3], axis=0)
    print(f"largest deviation of the hand: {1e3 * away.max():.1f} mm")
    print(f"path of the base: {100 * wide[0]:.0f} by {100 * wide[1]:.0f} cm,")
    print(f"  for a target on a circle of {200 * RADIUS:.0f} cm,")
    print(f"  with a turn of {np.degrees(turned[-1] - turned[0]):.0f} degrees")


def picture() -> Any:
    """From above: path of the base, and the hand."""
    from matplotlib.figure import Figure

    hands, bases = circled(tiago())
    figure = Figure(layout="constrained")
    floor = figure.subplots()
    floor.plot(*bases[:, :2, 3].T, label="base")
    floor.quiver(*bases[::60, :2, 3].T, *bases[::60, :2, 0].T, color="tab:blue", width=0.005)
    floor.plot(*hands[:, :2, 3].T, "o", ms=8, color="tab:orange", label="hand")
    for base, hand in zip(bases[::60], hands[::60], strict=True):
        floor.plot(*np.transpose([base[:2, 3], hand[:2, 3]]), color="0.8", lw=1, zorder=0)
    floor.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    floor.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
