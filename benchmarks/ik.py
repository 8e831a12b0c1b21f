# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of a panda beside pink, mink and placo.

A thousand poses of the hand that random configurations within limits have. A pose is solved where
position and orientation are within 1e-6 (m, rad) of it and all joints within their limits; every
side makes the same random starts, up to 100 for a pose. pink and mink step by their `solve_ik` with
a gain of 1 and the limits of the joints' positions alone, up to 30 steps from a start, with the
solver that is fastest there on the first poses. placo does the same with its own solver, in a
process of its own (see placo_side.py), where the environment variable PLACO names the folder that
it is installed in.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from robots import ROBOT_FILES, example_robots
from timing import in_turns, summary

import dyn_core
from dyn_core import Model
from dyn_core.control import FrameTask, InverseKinematics, solve_ik

FRAME, ENOUGH = "panda_hand", 1e-6
POSES, TRIED = 1000, 25
"""Poses, and how many of them choose the peers' solver."""
STARTS, STEPS = 100, 30
SOLVERS = ("daqp", "quadprog", "proxqp", "piqp", "osqp")
Step = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From a configuration towards a pose."""


def measure(repetitions: int) -> list[dict[str, Any]]:
    """Rows of two kinds: who solves how many poses, and one step."""
    model = arm()
    random = np.random.default_rng(1)
    drawn = np.array([dyn_core.random_configuration(model, random) for _ in range(POSES)])
    placement = dyn_core.compile(model, [dyn_core.frame_placement.request(FRAME)])
    poses = placement.batch(drawn)
    steps = drawn[:50], poses[1:51]
    return [
        *solved(model, poses, placement, max(1, repetitions // 10)),
        *stepped(model, *steps, repetitions),
        *by_placo(model, poses, placement, *steps, repetitions),
    ]


def arm() -> Model:
    """The panda with its fingers locked."""
    whole = Model.from_urdf(example_robots() / ROBOT_FILES["panda"], mimic=False)
    fingers = [name for name in whole.names[1:] if "finger" in name]
    return whole.reduced(fingers, dyn_core.neutral(whole))


def solved(model: Model, poses: np.ndarray, placement: Any, turns: int) -> list[dict[str, Any]]:
    """How many poses each side solves, and how long that takes."""
    solve_ik(model, {FRAME: poses[:10]})
    times, found = [], None
    for _ in range(max(10, turns)):  # it takes little, and others may interrupt
        begin = time.perf_counter()
        found = solve_ik(model, {FRAME: poses})
        times.append(time.perf_counter() - begin)
    rows = [solved_row("dyn_core", "", model, poses, placement, found.q, min(times))]
    for name, make in PEERS.items():
        try:
            tried = {solver: timed(model, poses[:TRIED], make(model, solver)) for solver in SOLVERS}
        except ImportError:
            continue
        best = min(tried, key=lambda solver: tried[solver][1])
        q, seconds = timed(model, poses, make(model, best))
        rows.append(solved_row(name, best, model, poses, placement, q, seconds))
    return rows


def solved_row(
    side: str, solver: str, model: Model, poses: np.ndarray, placement: Any, q: np.ndarray,
    seconds: float,
) -> dict[str, Any]:  # fmt: skip
    """Judged by one function for all sides."""
    within = (q >= model.lower_position_limit).all(1) & (q <= model.upper_position_limit).all(1)
    right = (largest_error(placement.batch(q), poses) <= ENOUGH) & within
    return {
        "kind": "poses", "side": side, "solver": solver, "poses": len(poses),
        "solved": int(right.sum()), "s": round(seconds, 4),
    }  # fmt: skip


def largest_error(places: np.ndarray, poses: np.ndarray) -> np.ndarray:
    """(N) of position, m, and angle, rad, by the chord, which near zero is the angle."""
    away = np.linalg.norm(places[:, :3, 3] - poses[:, :3, 3], axis=1)
    chord = np.linalg.norm(places[:, :3, :3] - poses[:, :3, :3], axis=(1, 2)) / np.sqrt(2.0)
    return np.maximum(away, chord)


def timed(model: Model, poses: np.ndarray, step: Step) -> tuple[np.ndarray, float]:
    """Pose by pose from random starts, which are drawn beforehand and cost nothing."""
    starts = random_starts(model, len(poses))
    compute = dyn_core.compile(model, [dyn_core.frame_placement.request(FRAME)]).bind(
        dyn_core.Data(model)
    )
    found = np.empty((len(poses), model.nq))
    begin = time.perf_counter()
    for k, pose in enumerate(poses):
        found[k] = attempts(step, pose, starts[k], compute)
    return found, time.perf_counter() - begin


def random_starts(model: Model, count: int) -> np.ndarray:
    """(count, STARTS, nq), the same for all peers."""
    limits = model.lower_position_limit, model.upper_position_limit
    return np.random.default_rng(0).uniform(*limits, size=(count, STARTS, model.nq))


def attempts(step: Step, pose: np.ndarray, starts: np.ndarray, placement: Any) -> np.ndarray:
    """The first configuration that has the pose, else the last."""
    for start in starts:
        q = start
        for _ in range(STEPS):
            if largest_error(placement(q)[None], pose[None])[0] <= ENOUGH:
                return q
            q = step(q, pose)
        if largest_error(placement(q)[None], pose[None])[0] <= ENOUGH:
            return q
    return q


def pinks(model: Model, solver: str) -> Step:
    """A step of pink: all of the way, within the limits of positions."""
    import pink
    import pinocchio as pin

    whole = pin.buildModelFromUrdf(str(example_robots() / ROBOT_FILES["panda"]))
    fingers = [i for i, name in enumerate(whole.names) if "finger" in name]
    theirs = pin.buildReducedModel(whole, fingers, pin.neutral(whole))
    configuration = pink.Configuration(theirs, theirs.createData(), pin.neutral(theirs))
    task = pink.FrameTask(FRAME, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)
    limits = [pink.limits.ConfigurationLimit(theirs, config_limit_gain=0.95)]

    def step(q: np.ndarray, pose: np.ndarray) -> np.ndarray:
        configuration.update(q)
        task.set_target(pin.SE3(pose))
        v = pink.solve_ik(configuration, [task], 1.0, solver, limits=limits, safety_break=False)
        return np.clip(q + v, model.lower_position_limit, model.upper_position_limit)

    return step


def minks(model: Model, solver: str) -> Step:
    """The same of mink, whose robot is MuJoCo's."""
    import mink
    import mujoco

    tree = without_shapes()
    extension = ElementTree.SubElement(tree, "mujoco")  # links of fixed joints stay bodies
    ElementTree.SubElement(extension, "compiler", fusestatic="false", balanceinertia="true")
    theirs = mujoco.MjModel.from_xml_string(ElementTree.tostring(tree, encoding="unicode"))
    joints = [theirs.joint(name) for name in model.names[1:]]
    at_q, at_v = (np.array([int(x[0]) for x in column]) for column in zip(
        *((joint.qposadr, joint.dofadr) for joint in joints), strict=True
    ))  # fmt: skip
    configuration = mink.Configuration(theirs)
    task = mink.FrameTask(FRAME, "body", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)
    limits = [mink.ConfigurationLimit(theirs, gain=0.95)]
    whole = np.zeros(theirs.nq)

    def step(q: np.ndarray, pose: np.ndarray) -> np.ndarray:
        whole[at_q] = q
        configuration.update(whole)
        task.set_target(mink.SE3.from_matrix(pose))
        v = mink.solve_ik(configuration, [task], 1.0, solver, 1e-12, limits=limits)[at_v]
        return np.clip(q + v, model.lower_position_limit, model.upper_position_limit)

    return step


def without_shapes() -> ElementTree.Element:
    """The panda's description, whose meshes some readers miss."""
    tree = ElementTree.parse(example_robots() / ROBOT_FILES["panda"]).getroot()
    for link in tree.iter("link"):
        for shape in [x for x in link if x.tag in ("visual", "collision")]:
            link.remove(shape)
    return tree


def by_placo(
    model: Model, poses: np.ndarray, placement: Any, step_from: np.ndarray, step_to: np.ndarray,
    repetitions: int,
) -> list[dict[str, Any]]:  # fmt: skip
    """What placo finds, and its steps; nothing where it is not installed."""
    if not (folder := os.environ.get("PLACO")):
        return []
    job = {
        "urdf": ElementTree.tostring(without_shapes(), encoding="unicode"), "frame": FRAME,
        "names": model.names[1:], "lower": model.lower_position_limit,
        "upper": model.upper_position_limit, "enough": ENOUGH, "steps": STEPS, "poses": poses,
        "starts": random_starts(model, len(poses)), "tried": TRIED, "repetitions": repetitions,
        "step_from": step_from, "step_to": step_to,
    }  # fmt: skip
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    paths = f"{folder}/cmeel.prefix/lib/{python}/site-packages", folder
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "job.npz"
        np.savez(file, **job)
        side = Path(__file__).with_name("placo_side.py")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        subprocess.run([sys.executable, str(side), str(file)], env=environment, check=True)
        with np.load(file) as found:
            q, seconds, us = found["q"], float(found["seconds"]), found["us"].tolist()
            solver = f"its own, {found['version']}"
    return [
        solved_row("placo", solver, model, poses, placement, q, seconds),
        {"kind": "step", "side": "placo", "us": summary(us)},
    ]


PEERS = {"pink": pinks, "mink": minks}


def stepped(
    model: Model, q: np.ndarray, poses: np.ndarray, repetitions: int
) -> list[dict[str, Any]]:
    """One step of differential inverse kinematics, called from Python."""
    task = FrameTask(FRAME, gain=np.inf)
    ours, still = InverseKinematics(model, [task]), np.zeros(model.nv)

    def own(q: np.ndarray, pose: np.ndarray) -> np.ndarray:
        task.set_target(pose)
        return ours.velocity(q, still, 1.0)

    steps: dict[str, Step] = {"dyn_core": own}
    for name, make in PEERS.items():
        try:
            made = make(model, "daqp")
            made(q[0], poses[0])
        except ImportError:
            continue
        steps[name] = made

    def once(step: Step) -> float:
        taken = []
        for at, pose in zip(q, poses, strict=True):
            begin = time.perf_counter()
            step(at, pose)
            taken.append(time.perf_counter() - begin)
        return 1e6 * float(np.median(taken))  # others may interrupt a few of them

    sides = in_turns({side: partial(once, step) for side, step in steps.items()}, repetitions)
    return [{"kind": "step", "side": side, "us": times} for side, times in sides.items()]
