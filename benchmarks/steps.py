# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A step of the simulated robot beside MuJoCo's mj_step, in one process, in turn.

Both have the same bodies, joints, damping, dry friction, limits and contact points, 1 ms, and are
called from Python. Arms swing under gravity; robots on feet stand, held at a posture by the same
gains. Of blocks of steps taken in turn the shortest of each side counts. Robots on feet then fall
without efforts, with a ball at each joint: the slowest step of this fall is compared with the
median.
"""

from __future__ import annotations

import time
import warnings
import xml.etree.ElementTree as ET
from typing import Any

import mujoco
import numpy as np
from contact_problems import robot_with_feet
from mjcf_writer import write_mjcf
from robots import load

import dyn_core
from dyn_core import Model, compile
from dyn_core.configuration import position_limits
from dyn_core.simulation import ContactPoint, Ground, TimeStepper

ARMS, QUADRUPEDS, HUMANOIDS = ("ur5", "panda", "kinova"), ("hyq", "go2"), ("talos",)
GOALS = {**dict.fromkeys(ARMS, 1.0), **dict.fromkeys(QUADRUPEDS, 1.5), "talos": 2.0}
DT, BLOCK, FRICTION = 1e-3, 100, 0.7
FALL = 3000
"""Steps of a fall."""
SETTLING = 1500
"""Steps before those that are measured, of robots that stand."""
SIZE = 1e-3
"""Radius of MuJoCo's balls that stand for points, m."""
GAINS = {"hyq": (1500.0, 40.0), "go2": (60.0, 2.0), "talos": (1500.0, 40.0)}


def measure(repetitions: int) -> list[dict[str, Any]]:
    """A row per robot."""
    warnings.simplefilter("ignore")
    return [row(name, max(20, repetitions)) for name in GOALS]


def row(name: str, repetitions: int) -> dict[str, Any]:
    """Times of a step of both sides."""
    feet: list[str] = []
    model = load(name).model if name in ARMS else None
    if model is None:
        model, feet = robot_with_feet(name)
    ours, theirs = Ours(name, model, feet), Theirs(name, model, feet)
    for side in (ours, theirs) if feet else ():
        side.advance(SETTLING)
    best = {"ours_us": np.inf, "mujoco_us": np.inf}
    for _ in range(repetitions):
        for side, advance in (("ours_us", ours.advance), ("mujoco_us", theirs.advance)):
            taken = advance(BLOCK)
            best[side] = min(best[side], 1e6 * taken / BLOCK)
    found = {side: round(us, 2) for side, us in best.items()}
    ratio = round(best["ours_us"] / best["mujoco_us"], 2)
    return {
        "robot": name, "points": len(feet), **found, "ratio": ratio, "goal": GOALS[name],
        "unsolved": ours.stepper.unsolved, "contacts_of_mujoco": theirs.touching,
        **(falling(model) if feet else {}),
    }  # fmt: skip


def falling(model: Model) -> dict[str, Any]:
    """Median and slowest step of a passive fall from a height of 0.3 m."""
    balls = [ContactPoint(i, (0.0, 0.0, 0.0), 0.04) for i in model.moving_joints]
    ground = Ground(model, balls, FRICTION)
    stepper, none = TimeStepper(model, DT, ground), np.zeros(model.nv)
    stepper.reset(np.clip(none, *position_limits(model)))
    stepper.q[2] += 0.3 - ground.lowest(compile(model, ["forward_kinematics"])(stepper.q))
    taken = []
    for _ in range(FALL):
        begin = time.perf_counter()
        stepper.step(none)
        taken.append(1e6 * (time.perf_counter() - begin))
    median, slowest = float(np.median(taken)), max(taken)
    return {
        "fall_median_us": round(median, 1), "slowest_us": round(slowest, 1),
        "slowest_medians": round(slowest / median, 1), "fall_unsolved": stepper.unsolved,
    }  # fmt: skip


def posture(name: str, model: Model) -> np.ndarray:
    """Where the robot starts (nv)."""
    start = np.clip(0.0, *position_limits(model))
    for leg in range(4 if name in QUADRUPEDS else 0):
        other = -1.0 if name == "hyq" and leg % 2 else 1.0
        start[6 + 3 * leg : 9 + 3 * leg] = 0.0, 0.75 * other, -1.5 * other
    return start


def gains(name: str, model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Of position and velocity (nv): of legs those of the table, of other joints by inertia."""
    kp, kd = (np.full(model.nv, gain) for gain in GAINS.get(name, (0.0, 0.0)))
    if name in HUMANOIDS:
        light = np.array([not joint.startswith("leg") for joint in model.dof_names])
        M = dyn_core.crba(model, dyn_core.neutral(model)).diagonal()
        kp[light], kd[light] = 400.0 * M[light], 20.0 * M[light]
    if name not in ARMS:
        kp[:6], kd[:6] = 0.0, 0.0
    return kp, kd


class Ours:
    """The robot as dyn_core steps it."""

    def __init__(self, name: str, model: Model, feet: list[str]) -> None:
        frames = [model.frame(foot) for foot in feet]
        points = [ContactPoint(x.joint, tuple(map(float, x.placement.translation)), 0.0) for x in frames]  # fmt: skip  # noqa: E501
        ground = Ground(model, points, FRICTION) if feet else None
        self.stepper, self._hold = TimeStepper(model, DT, ground), posture(name, model)
        self.stepper.reset(self._hold)
        if ground:
            self._hold[2] -= ground.lowest(compile(model, ["forward_kinematics"])(self.stepper.q))
            self.stepper.reset(self._hold)
        self._kp, self._kd = gains(name, model)

    def advance(self, steps: int) -> float:
        """Seconds that some steps took, without those of the gains."""
        stepper, taken = self.stepper, 0.0
        for _ in range(steps):
            effort = self._kp * (self._hold - stepper.position) - self._kd * stepper.velocity
            begin = time.perf_counter()
            stepper.step(effort)
            taken += time.perf_counter() - begin
        return taken


class Theirs:
    """The robot as MuJoCo steps it."""

    def __init__(self, name: str, model: Model, feet: list[str]) -> None:
        self.model = mujoco.MjModel.from_xml_string(with_joints_and_feet(model, feet))
        self.model.opt.timestep = DT
        self.data = mujoco.MjData(self.model)
        ours = Ours(name, model, feet).stepper
        q, base = np.array(ours.position), 0
        if feet:  # (x, y, z, w) to (w, x, y, z), and on the balls
            q, base = np.concatenate([ours.q[[0, 1, 2, 6, 3, 4, 5]], q[6:]]), 7
            q[2] += SIZE
        self.data.qpos[:] = q
        self._base, self._hold = base, q[base:].copy()
        self._kp, self._kd = (x[base and 6 :] for x in gains(name, model))

    def advance(self, steps: int) -> float:
        """Seconds that some steps took, without those of the gains."""
        data, base, taken = self.data, self._base, 0.0
        v = 6 if base else 0
        for _ in range(steps):
            effort = self._kp * (self._hold - data.qpos[base:]) - self._kd * data.qvel[v:]
            data.qfrc_applied[v:] = effort
            begin = time.perf_counter()
            mujoco.mj_step(self.model, data)
            taken += time.perf_counter() - begin
        return taken

    @property
    def touching(self) -> int:
        """Contacts of the last step."""
        return int(self.data.ncon)


def with_joints_and_feet(model: Model, feet: list[str]) -> str:
    """MJCF with damping, dry friction, limits, balls at the feet and ground."""
    root = ET.fromstring(write_mjcf(model))
    lower, upper = position_limits(model)
    for joint in root.iter("joint"):
        i = model.idx_v[model.names.index(joint.get("name", ""))]
        joint.set("damping", repr(float(model.damping[i])))
        joint.set("frictionloss", repr(float(model.friction[i])))
        if np.isfinite(lower[i]) and np.isfinite(upper[i]):
            joint.set("range", f"{float(lower[i])!r} {float(upper[i])!r}")
            joint.set("limited", "true")
    bodies = {
        joint.get("name"): body
        for body in root.iter("body")
        for joint in body
        if joint.tag in ("joint", "freejoint")
    }
    geom = {"type": "sphere", "size": repr(SIZE), "mass": "0", "friction": f"{FRICTION} 0 0"}
    for foot in feet:
        frame = model.frame(foot)
        where = " ".join(repr(float(x)) for x in frame.placement.translation)
        touch = {"contype": "0", "conaffinity": "1", "condim": "3"}
        ET.SubElement(bodies[model.names[frame.joint]], "geom", {**geom, **touch, "pos": where})
    if feet:
        plane = {"type": "plane", "size": "9 9 1", "contype": "1", "conaffinity": "0"}
        world = root.find("worldbody")
        assert world is not None
        ET.SubElement(world, "geom", {**plane, "condim": "3", "friction": f"{FRICTION} 0 0"})
    return ET.tostring(root, encoding="unicode")
