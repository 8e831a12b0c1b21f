# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The gravity compensation node at 1 kHz: the demo's processes, live on DDS, on two cores."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

SECONDS = 20
CORES = 2
GOAL = {"rate_hz": 1000.0, "lost": 0}
SUMMARY = re.compile(
    r"samples in (?P<samples_in>\d+), samples out (?P<samples_out>\d+), refused (?P<refused>\d+), "
    r"lost (?P<lost>\d+), rate (?P<rate_hz>[\d.]+) Hz, .*median (?P<median_us>[\d.]+) us, "
    r"99th percentile (?P<p99_us>[\d.]+) us, largest deviation (?P<deviation_rad>\S+) rad"
)


def measure(repetitions: int) -> dict[str, Any]:
    """What the demo says of itself after some seconds, restricted to two cores."""
    del repetitions
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    run = subprocess.run(
        [sys.executable, "-m", "dyn_ros.executables", "demo"],
        env={**os.environ, "DEMO_SECONDS": str(SECONDS)},
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
        capture_output=True,
        text=True,
        check=True,
    )
    found = SUMMARY.search(run.stdout)
    if found is None:
        raise RuntimeError(f"the demo ended without a summary: {run.stdout}{run.stderr}")
    return {
        "goal": GOAL,
        "cores": len(cores),
        **{k: float(v) for k, v in found.groupdict().items()},
    }
