# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Cartesian impedance with MuJoCo as the plant: it arrives, holds its elbow, pushes a wall."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from mujoco_plant import Plant, without_shapes
from robots import ROBOT_FILES, example_robots

import dyn_core
from dyn_core import Model
from dyn_core.control.pose_error import pose_error

PERIOD = 1e-3
FRAMES = {"panda": "panda_hand_tcp", "ur5": "tool0"}
STARTS = {
    "panda": np.array([0.2, -0.5, 0.1, -1.8, 0.3, 1.7, 0.5]),
    "ur5": np.array([0.3, -1.2, 1.4, -0.8, -1.2, 0.2]),
}
STIFFNESS = np.array([400.0, 400.0, 400.0, 10.0, 10.0, 10.0])
MAX_ERROR = np.array([0.1, 0.1, 0.1, 0.3, 0.3, 0.3])
TIP = 0.02
"""m, radius of the ball at the tool."""
Law = Callable[[np.ndarray, np.ndarray], np.ndarray]


class WalledPlant(Plant):
    """An arm with a ball at its tool, before a wall that begins at ``x``, m."""

    def __init__(self, urdf: Path, model: Model, frame: str, x: float) -> None:
        tree = without_shapes(urdf)
        ElementTree.SubElement(
            ElementTree.SubElement(tree, "mujoco"), "compiler", fusestatic="false"
        )
        spec = mujoco.MjSpec.from_string(ElementTree.tostring(tree, encoding="unicode"))
        sphere, box = mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_BOX
        ball = spec.body(frame).add_geom(type=sphere, size=[TIP, 0, 0])
        ball.mass = 0.0
        wall = spec.worldbody.add_geom(type=box, size=[0.1, 2.0, 2.0], pos=[x + 0.1, 0.0, 0.0])
        for geom in (ball, wall):
            geom.friction, geom.solref = [0.3, 0.0, 0.0], [0.005, 1.0]
        self._take(spec.compile(), model.names[1:], PERIOD)
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT

    def force(self) -> float:
        """What the ball exerts on the wall, N."""
        total, force = 0.0, np.zeros(6)
        for k in range(self.data.ncon):
            mujoco.mj_contactForce(self.model, self.data, k, force)
            total += force[0]
        return total


@cache
def arm(name: str) -> Model:
    model = Model.from_urdf(example_robots() / ROBOT_FILES[name])
    fingers = [x for x in model.names if "finger" in x]
    return model.reduced(fingers, dyn_core.neutral(model)) if fingers else model


def place(name: str, q: np.ndarray) -> np.ndarray:
    return np.array(dyn_core.frame_placement(arm(name), q, frame=FRAMES[name]))


def impedance(
    name: str, target: np.ndarray, posture: np.ndarray, wrench: np.ndarray | None = None
) -> Law:
    model = arm(name)
    kernel = dyn_core.compile(model, [dyn_core.impedance_efforts.request(frame=FRAMES[name])])
    push = np.zeros(6) if wrench is None else wrench
    fixed = target, np.zeros(6), push, STIFFNESS, MAX_ERROR, np.array([1.0]), posture
    limit, gains = model.effort_limit, (np.array([5.0]), np.array([0.26 / PERIOD]))
    return lambda q, v: np.clip(kernel(q, v, *fixed, *gains), -limit, limit)


def plant(name: str) -> Plant:
    return Plant(example_robots() / ROBOT_FILES[name], arm(name).names[1:], PERIOD)


@pytest.mark.parametrize("name", FRAMES)
def test_told_to_move_it_arrives_and_rests(name: str) -> None:
    start = STARTS[name]
    target = place(name, start)
    target[:3, 3] += [0.1, 0.15, -0.1]
    path, speeds = plant(name).run(start, impedance(name, target, start), 3.0)
    assert np.abs(pose_error(place(name, path[-1]), target)).max() < 1e-3
    assert np.abs(speeds[-1]).max() < 0.05  # of the elbow, on its way to the posture
    assert np.abs(speeds).max() < 3.0


def test_the_elbow_goes_to_its_posture_while_the_hand_stays() -> None:
    start, posture = STARTS["panda"], STARTS["panda"].copy()
    posture[2] += 0.6
    target = place("panda", start)
    path, _ = plant("panda").run(start, impedance("panda", target, posture), 3.0)
    errors = np.array([pose_error(place("panda", q), target) for q in path[::20]])
    assert np.abs(errors[:, :3]).max() < 2e-3
    assert path[-1][2] - start[2] > 0.2
    elbow = arm("panda").names.index("panda_joint4")
    way = [dyn_core.forward_kinematics(arm("panda"), q)[elbow][:3, 3] for q in (start, path[-1])]
    assert np.linalg.norm(way[1] - way[0]) > 0.05


@pytest.mark.parametrize("name", FRAMES)
def test_stretched_to_its_singularity_and_back_it_is_calm(name: str) -> None:
    """The target is out of reach, then where the arm began."""
    start = STARTS[name]
    home, base = place(name, start), np.array([0.0, 0.0, 0.333 if name == "panda" else 0.089])
    far = home.copy()
    far[:3, 3] = base + 1.3 * (home[:3, 3] - base) / np.linalg.norm(home[:3, 3] - base)
    out, speeds = plant(name).run(start, impedance(name, far, start), 4.0)
    assert np.linalg.norm(place(name, out[-1])[:3, 3] - base) > 0.8
    assert np.abs(speeds[-500:]).max() < 0.05
    back, speeds = plant(name).run(out[-1], impedance(name, home, start), 4.0)
    assert np.abs(pose_error(place(name, back[-1]), home)[:3]).max() < 5e-3
    assert np.abs(speeds).max() < 10.0  # of the wrist, as the spring lets go


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("pushed", [0.0, 12.0])
def test_a_wall_feels_stiffness_times_what_the_target_is_behind_it(
    name: str, pushed: float
) -> None:
    """And the commanded force beside it, to within 5 %."""
    start = STARTS[name]
    target = place(name, start)
    x = target[0, 3] + 0.03 + TIP
    target[0, 3] += 0.03 + 0.05
    wrench = np.array([pushed, 0.0, 0.0, 0.0, 0.0, 0.0])
    walled = WalledPlant(example_robots() / ROBOT_FILES[name], arm(name), FRAMES[name], x)
    path, speeds = walled.run(start, impedance(name, target, start, wrench), 3.0)
    error = target[0, 3] - place(name, path[-1])[0, 3]
    assert 0.04 < error < 0.06
    assert np.abs(speeds[-200:]).max() < 0.02
    assert walled.force() == pytest.approx(STIFFNESS[0] * error + pushed, rel=0.05)
