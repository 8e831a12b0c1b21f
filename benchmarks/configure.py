# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
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

GOALS = {"ur5": 0.3, "panda": None, "talos": 1.5}
"""Seconds without the cache, of all functions of the nodes together."""
CACHED_GOAL = 0.05
DERIVATIVES_GOAL = 3.0
"""Of rnea_derivatives of talos, without the cache."""
REPETITIONS = 5
"""Of what takes seconds; each is a process of its own."""
QUANTITIES = ["inverse_dynamics", "gravity", "nonlinear_effects", "mass_matrix", "forward_dynamics"]
PROGRAM = """
import json, sys, time
import numpy, dyn_core, dyn_core.readers.urdf
path, root_joint, quantities = json.loads(sys.argv[1])
start = time.perf_counter()
model = dyn_core.Model.from_urdf(path, root_joint=root_joint, mimic=False)
data = model.create_data()
for quantity in quantities:
    dyn_core.compile(model, [quantity]).bind(data)
print(time.perf_counter() - start)
"""


def measure(repetitions: int) -> list[dict[str, Any]]:
    """One row per robot, and one of a long function."""
    del repetitions
    rows = [_measure(robot, QUANTITIES, goal) for robot, goal in GOALS.items()]
    return [*rows, _measure("talos", ["rnea_derivatives"], DERIVATIVES_GOAL)]


def _measure(robot: str, quantities: list[str], goal: float | None) -> dict[str, Any]:
    path = str(example_robots() / ROBOT_FILES[robot])
    work = json.dumps([path, "free_flyer" if robot in FLOATING else None, quantities])
    with tempfile.TemporaryDirectory() as cache:
        without = [_seconds(work, "") for _ in range(REPETITIONS)]
        _seconds(work, cache)
        cached = [_seconds(work, cache) for _ in range(REPETITIONS)]
    return {
        "robot": robot,
        "functions": quantities,
        "without_cache_s": round(statistics.median(without), 3),
        "goal_s": goal,
        "cached_s": round(statistics.median(cached), 4),
        "cached_goal_s": CACHED_GOAL,
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
