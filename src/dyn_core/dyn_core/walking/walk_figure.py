# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A picture of a walk before and after the filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dyn_core.extras import optional
from dyn_core.walking.pattern import Walked

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure(before: Walked, after: Walked) -> Figure:
    """CoP over time, forward and sideways: of the pattern, of the robot, and after correction.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    drawn = optional("matplotlib.figure", "a picture of a walk", "plots")
    times = before.pattern.times
    picture: Figure = drawn.Figure(figsize=(10, 7), layout="constrained")
    axes = picture.subplots(3, 1, sharex=True)
    for k, (plot, direction) in enumerate(zip(axes[:2], "xy", strict=True)):
        plot.plot(times, before.pattern.cop[:, k], color="black", label="pattern")
        plot.plot(times, before.cop[:, k], color="tab:red", label="whole robot")
        plot.plot(times, after.cop[:, k], color="tab:blue", ls="--", label="corrected")
        plot.set_ylabel(f"CoP {direction} [m]")
    axes[0].legend()
    axes[2].plot(times, 1e3 * before.distances, color="tab:red")
    axes[2].plot(times, 1e3 * after.distances, color="tab:blue", ls="--")
    axes[2].set_ylabel("distance [mm]")
    axes[2].set_xlabel("time [s]")
    return picture
