# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Plots of the results, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

mpl.rcParams.update(
    {
        "svg.hashsalt": "dyn_core",
        "svg.fonttype": "none",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
)
TITLE = {"family": "monospace", "weight": "bold"}  # else rnea reads as mea
OURS, PEER, LIGHT, DARK, WARM = "#1f6f8b", "#c0c0c0", "#99c2d0", "#808080", "#d9a066"
Row = dict[str, Any]


def draw(section: str, rows: Any, folder: Path) -> None:
    """The plot of a section, if it has one."""
    if section not in PLOTS:
        return
    figure = PLOTS[section](rows)
    for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
        figure.savefig(folder / f"{section}.{kind}", dpi=110, metadata=metadata)
    plt.close(figure)


def kernels(rows: list[Row]) -> Figure:
    """Bars for each robot, a panel for each function."""
    functions = list(dict.fromkeys(row["function"] for row in rows))
    figure, panels = plt.subplots(2, 3, figsize=(9.5, 5.2), layout="constrained")
    for panel, function in zip(panels.flat, functions, strict=False):
        own = [row for row in rows if row["function"] == function]
        _bars(panel, own, (("dyn_core", OURS), ("generated", DARK), ("pinocchio_cpp", PEER)))
        for k, row in enumerate(own):
            if row["ratio"] is not None:
                top = row["ns"]["pinocchio_cpp"]["min"] / 1e3
                panel.annotate(f"{1 / row['ratio']:.0f}x", (k, top), ha="center", va="bottom")
        panel.set_title(function, **TITLE)
        panel.margins(y=0.12)
    panels[0, 0].legend(frameon=False)
    panels[0, 0].set_ylabel("us, one state")
    panels[1, 0].set_ylabel("us, one state")
    return figure


def growth(rows: list[Row]) -> Figure:
    """Time over joints, both as logarithms."""
    measured = [row for row in rows if "joints" in row]
    kinds = list(dict.fromkeys(row["kind"] for row in measured))
    figure, panels = plt.subplots(
        1, len(kinds), figsize=(8, 3.4), layout="constrained", sharey=True
    )
    for panel, kind in zip(panels, kinds, strict=True):
        for function, mark in (("rnea", "o"), ("aba", "s")):
            own = [row for row in measured if (row["kind"], row["function"]) == (kind, function)]
            for side, color in (("dyn_core", OURS), ("pinocchio_cpp", PEER)):
                there = [row for row in own if side in row["ns"]]
                sizes = [row["joints"] for row in there]
                times = [row["ns"][side]["min"] / 1e3 for row in there]
                panel.loglog(
                    sizes, times, f"{mark}-", color=color, label=f"{LABELS[side]}, {function}"
                )
        panel.set_title(f"{kind}s")
        panel.set_xlabel("joints")
    panels[0].set_ylabel("us, one state")
    panels[0].legend(frameon=False)
    return figure


def batch(rows: list[Row]) -> Figure:
    """Throughput in states per second, each function a panel."""
    own = [row for row in rows if "ns" in row]
    functions = list(dict.fromkeys(row["function"] for row in own))
    sides = (("dyn_core", OURS), ("floats", LIGHT), ("pinocchio_cpp", PEER))
    figure, panels = plt.subplots(1, len(functions), figsize=(11, 3.2), layout="constrained")
    for panel, function in zip(panels, functions, strict=True):
        bars = [row for row in own if row["function"] == function]
        _bars(panel, bars, sides, height=lambda ns: 1e3 / ns)
        panel.set_title(function, **TITLE)
    panels[0].set_ylabel("million states per second, one core")
    panels[0].legend(frameon=False)
    return figure


def calls(rows: list[Row]) -> Figure:
    """Bars for each robot, a panel for each function that all peers have."""
    functions = ("rnea", "crba", "aba")
    sides = (("dyn_core", OURS), ("pinocchio", PEER), ("mujoco", DARK), ("drake", WARM))
    figure, panels = plt.subplots(1, 3, figsize=(9.5, 3.2), layout="constrained")
    for panel, function in zip(panels, functions, strict=True):
        _points(panel, [row for row in rows if row["function"] == function], sides)
        panel.set_yscale("log")
        panel.set_title(function, **TITLE)
    panels[0].set_ylabel("us, one call from Python")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def ik(rows: list[Row]) -> Figure:
    """Points for each side: seconds for all poses, and microseconds of a step."""
    figure, panels = plt.subplots(1, 2, figsize=(7.5, 2.6), layout="constrained")
    poses = {row["side"]: row["s"] for row in rows if row["kind"] == "poses"}
    steps = {row["side"]: row["us"]["min"] for row in rows if row["kind"] == "step"}
    words = "s, a thousand poses of a panda", "us, one step"
    for panel, found, label in zip(panels, (poses, steps), words, strict=True):
        for k, (side, value) in enumerate(found.items()):
            panel.plot(k, value, "o", color=OURS if side == "dyn_core" else DARK)
            panel.annotate(f"  {value:.3g}", (k, value), va="center")
        panel.set_xticks(range(len(found)), found)
        panel.set_xlim(-0.4, len(found) - 0.3)
        panel.set_yscale("log")
        panel.margins(y=0.2)
        panel.grid(axis="y", alpha=0.3)
        panel.set_ylabel(label)
    return figure


def _bars(
    panel: Axes,
    rows: list[Row],
    sides: Sequence[tuple[str, str]],
    height: Callable[[float], float] = lambda ns: ns / 1e3,
) -> None:
    """A group for each row, of a bar for each side that was measured anywhere."""
    there = [(side, color) for side, color in sides if any(_least(row, side) for row in rows)]
    width = 0.8 / len(there)
    for s, (side, color) in enumerate(there):
        places = [k + width * (s - (len(there) - 1) / 2) for k in range(len(rows))]
        heights = [height(ns) if (ns := _least(row, side)) else 0.0 for row in rows]
        panel.bar(places, heights, 0.95 * width, color=color, label=LABELS[side])
    panel.set_xticks(range(len(rows)), [row["robot"].replace("_", "\n") for row in rows])


def _points(panel: Axes, rows: list[Row], sides: Sequence[tuple[str, str]]) -> None:
    """A point for each row and side: on a logarithmic axis a bar would have no origin."""
    for (side, color), mark in zip(sides, "osD^", strict=True):
        times = [(k, ns / 1e3) for k, row in enumerate(rows) if (ns := _least(row, side))]
        panel.plot(*zip(*times, strict=True), mark, color=color, label=LABELS[side])
    panel.set_xticks(range(len(rows)), [row["robot"].replace("_", "\n") for row in rows])
    panel.grid(axis="y", alpha=0.3)


def _least(row: Row, side: str) -> float | None:
    """The shortest time of a side; generated code is that of the better compiler."""
    names = [name for name in row["ns"] if name == side or name.startswith(f"{side}_by_")]
    return min((row["ns"][name]["min"] for name in names), default=None)


PLOTS: dict[str, Callable[[Any], Figure]] = {
    "kernels": kernels, "growth": growth, "batch": batch, "calls": calls, "ik": ik,
}  # fmt: skip
LABELS = {
    "dyn_core": "dyn_core", "floats": "dyn_core, floats", "generated": "Pinocchio, generated",
    "pinocchio_cpp": "Pinocchio, C++", "pinocchio": "Pinocchio", "mujoco": "MuJoCo",
    "drake": "Drake",
}  # fmt: skip
