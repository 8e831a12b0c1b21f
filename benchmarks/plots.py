"""Plots of the results, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
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
OURS, PEER, LIGHT = "#1f6f8b", "#c0c0c0", "#99c2d0"
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
        for side, shift, color in (("dyn_core", -0.2, OURS), ("pinocchio_cpp", 0.2, PEER)):
            heights = [row["ns"].get(side, {}).get("min", 0.0) / 1e3 for row in own]
            places = [k + shift for k in range(len(own))]
            panel.bar(places, heights, 0.38, color=color, label=LABELS[side])
        for k, row in enumerate(own):
            if row["ratio"] is not None:
                top = row["ns"]["pinocchio_cpp"]["min"] / 1e3
                panel.annotate(f"{1 / row['ratio']:.0f}x", (k, top), ha="center", va="bottom")
        panel.set_xticks(range(len(own)), [row["robot"].replace("_", "\n") for row in own])
        panel.set_title(function)
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
        for s, (side, color) in enumerate(sides):
            heights = [1e3 / row["ns"][side]["min"] if side in row["ns"] else 0.0 for row in bars]
            places = [k + 0.27 * (s - 1) for k in range(len(bars))]
            panel.bar(places, heights, 0.26, color=color, label=LABELS[side])
        panel.set_xticks(range(len(bars)), [row["robot"].replace("_", "\n") for row in bars])
        panel.set_title(function)
    panels[0].set_ylabel("million states per second, one core")
    panels[0].legend(frameon=False)
    return figure


PLOTS: dict[str, Callable[[Any], Figure]] = {"kernels": kernels, "growth": growth, "batch": batch}
SHAPE = (8, 3.4)
LABELS = {"dyn_core": "dyn_core", "pinocchio_cpp": "Pinocchio, C++", "floats": "dyn_core, floats"}
