"""From a URDF file to compiled functions: parse, trace, compile; with and without the cache."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from robots import FLOATING, ROBOT_FILES, example_robots

GOALS = {"ur5": 1.0, "panda": 1.0, "talos": 3.0}
"""Seconds without the cache."""
CACHED_GOAL = 0.2
QUANTITIES = ["inverse_dynamics", "gravity", "nonlinear_effects", "mass_matrix", "forward_dynamics"]
PROGRAM = """
import json, sys, time
import numpy, dyn_core
path, root_joint, quantities = json.loads(sys.argv[1])
start = time.perf_counter()
model = dyn_core.Model.from_urdf(path, root_joint=root_joint, mimic=False)
data = model.create_data()
for quantity in quantities:
    dyn_core.compile(model, [quantity]).bind(data)
print(time.perf_counter() - start)
"""


def measure(repetitions: int) -> list[dict[str, Any]]:
    """Median seconds per robot, each taken in a new process."""
    return [_measure(robot, repetitions) for robot in GOALS]


def _measure(robot: str, repetitions: int) -> dict[str, Any]:
    path = str(example_robots() / ROBOT_FILES[robot])
    work = json.dumps([path, "free_flyer" if robot in FLOATING else None, QUANTITIES])
    with tempfile.TemporaryDirectory() as cache:
        without = [_seconds(work, "") for _ in range(repetitions)]
        _seconds(work, cache)
        cached = [_seconds(work, cache) for _ in range(repetitions)]
    return {
        "robot": robot,
        "goal_s": GOALS[robot],
        "without_cache_s": round(statistics.median(without), 3),
        "cached_goal_s": CACHED_GOAL,
        "cached_s": round(statistics.median(cached), 4),
    }


def _seconds(work: str, cache: str) -> float:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, work],
        env={**os.environ, "DYN_CORE_CACHE": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(run.stdout)
