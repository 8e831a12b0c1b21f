# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Control: a trotting quadruped.

examples/quadruped_trot.py for 4 s: how fast and steady the robot is, how long the programs take.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
from parts import table

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "quadruped_trot.py"
DURATION, STEADY, GOAL = 4.0, 2.0, 5.0
"""s, s from which on it counts, and ms for a plan."""


def section() -> str:
    """The table."""
    example = runpy.run_path(str(EXAMPLE))
    trot, steady = _steady(example["trotted"](DURATION))
    _, without = _steady(example["trotted"](DURATION, behind=0.0))
    plans = 1e3 * np.array(trot.plan_times[1:])  # the first one loads the solver
    (tilt, swing), (tilt_without, _) = _tilt(steady), _tilt(without)
    rows = [
        ["mean speed (desired: 1 m/s)", f"{steady[:, 4].mean():.3f} m/s"],
        ["height of the centre of mass", f"{steady[:, 3].mean():.3f} m, within "
         f"{1e3 * np.ptp(steady[:, 3]):.0f} mm"],
        ["largest roll or pitch", f"{np.degrees(np.abs(steady[:, 7:9])).max():.1f} deg"],
        ["a plan of 10 nodes of 50 ms", f"{np.median(plans):.2f} ms, {plans.max():.2f} ms at most "
         f"(goal {GOAL:.0f} ms)"],
    ]  # fmt: skip
    return (
        "A quadruped of 12 kg, with 4 kg in its legs, trots on level ground with a friction "
        f"coefficient of 0.6 in the suite's own simulation, from rest, for {DURATION:.0f} s:\n\n"
        + table(["", "measured"], rows)
        + f"\nThe nose is up by {tilt:.1f} degrees on average, with a standard deviation of "
        f"{swing:.1f}. Two diagonal feet cannot carry a moment about the line between them. So "
        "each push that recovers the speed lost at touchdown tilts the body, and the quadratic "
        "program balances the errors of position and pitch. The reference leads the robot by "
        f"{100 * example['BEHIND']:.0f} cm. Without this lead the nose is up by "
        f"{tilt_without:.1f} degrees, and the speed is {without[:, 4].mean():.3f} m/s."
    )


def _steady(trotted: tuple[Any, np.ndarray]) -> tuple[Any, np.ndarray]:
    """The trot, and the rows of its log that count."""
    trot, log = trotted
    return trot, log[log[:, 0] > STEADY]


def _tilt(steady: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation of the pitch by which the nose is up, degrees."""
    up = -np.degrees(steady[:, 8])
    return float(up.mean()), float(up.std())
