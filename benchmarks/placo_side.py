# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""placo's side of the benchmark of inverse kinematics, in a process of its own.

placo's wheel brings another Pinocchio than this suite is tested with, so that no process can have
both. Reads a job, an npz file, and writes what it found beside it: see `by_placo` in ik.py.
"""

from __future__ import annotations

import sys
import time
from importlib.metadata import version

import numpy as np
import placo

DAMPING = (1e-8, 1e-6, 1e-4)
"""Costs of joints' steps, of which the first poses choose."""


class Arm:
    """A robot that steps to poses of a frame."""

    def __init__(self, job: dict[str, np.ndarray], damping: float) -> None:
        self.robot = placo.RobotWrapper("", int(placo.Flags.ignore_collisions), str(job["urdf"]))
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(True)
        names = [str(name) for name in job["names"]]
        for name in self.robot.joint_names():
            if name not in names:
                self.solver.mask_dof(name)
        self.solver.enable_joint_limits(True)
        self.solver.enable_velocity_limits(False)
        self.solver.dt = 1.0
        self.frame = str(job["frame"])
        self.task = self.solver.add_frame_task(self.frame, np.eye(4))
        self.task.configure("hand", "soft", 1.0, 1.0)
        self.solver.add_regularization_task(damping)
        self.at = [self.robot.get_joint_offset(name) for name in names]
        self.lower, self.upper = job["lower"], job["upper"]
        self.enough, self.steps = float(job["enough"]), int(job["steps"])

    def put(self, q: np.ndarray) -> None:
        """Be at a configuration."""
        self.robot.state.q[self.at] = q
        self.robot.update_kinematics()

    def step(self, q: np.ndarray, pose: np.ndarray) -> np.ndarray:
        """From a configuration towards a pose."""
        self.put(q)
        self.task.T_world_frame = pose
        self.solver.solve(True)
        return np.clip(self.robot.state.q[self.at], self.lower, self.upper)

    def off(self, q: np.ndarray, pose: np.ndarray) -> float:
        """m or rad."""
        self.put(q)
        place = self.robot.get_T_world_frame(self.frame)
        away = np.linalg.norm(place[:3, 3] - pose[:3, 3])
        chord = np.linalg.norm(place[:3, :3] - pose[:3, :3]) / np.sqrt(2.0)
        return max(away, chord)

    def attempts(self, pose: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """The first configuration that has the pose, else the last."""
        for start in starts:
            q = start
            for _ in range(self.steps):
                if self.off(q, pose) <= self.enough:
                    return q
                try:
                    q = self.step(q, pose)
                except RuntimeError:  # its program was not solved: another start
                    break
            if self.off(q, pose) <= self.enough:
                return q
        return q


def timed(arm: Arm, poses: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, float]:
    """Configurations, and the seconds for all of them."""
    begin = time.perf_counter()
    found = [arm.attempts(pose, starts[k]) for k, pose in enumerate(poses)]
    return np.array(found), time.perf_counter() - begin


def main(path: str) -> None:
    """Do the job."""
    with np.load(path) as file:
        job = dict(file)
    poses, starts, few = job["poses"], job["starts"], int(job["tried"])
    tried = {x: timed(Arm(job, x), poses[:few], starts)[1] for x in DAMPING}
    best = min(tried, key=tried.get)
    arm = Arm(job, best)
    q, seconds = timed(arm, poses, starts)
    taken = []
    for _ in range(int(job["repetitions"])):
        once = []
        for at, pose in zip(job["step_from"], job["step_to"], strict=True):
            begin = time.perf_counter()
            arm.step(at, pose)
            once.append(time.perf_counter() - begin)
        taken.append(1e6 * float(np.median(once)))
    np.savez(path, q=q, seconds=seconds, us=taken, version=version("placo"))


if __name__ == "__main__":
    main(sys.argv[1])
