# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Control by tasks: a humanoid on one leg, a stretched elbow.

They are examples/humanoid_on_one_leg.py and examples/stretched_elbow.py.
"""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from parts import table

from dyn_core import Model

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures"
PUSHES = {"none": (0.0, 0.0), "forwards": (1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
AT, DURATION = 4.0, 6.0
"""s, of the push and of the whole."""
KINEMATICS = (
    "Inverse kinematics beside pink, mink and placo: "
    "[benchmarks](benchmarks.md#inverse-kinematics)."
)
SHOWN = 3.5
"""s from which the picture shows the push."""


def section() -> str:
    """The tables; pictures go to docs/figures."""
    mpl.rcParams.update({"svg.hashsalt": "dyn_core", "svg.fonttype": "none", "font.size": 9})
    FIGURES.mkdir(exist_ok=True)
    return "\n\n".join([KINEMATICS, _one_leg(), _elbow()])


def _example(name: str) -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(ROOT / "examples" / f"{name}.py")))


def _saved(picture: Figure, name: str) -> None:
    picture.savefig(FIGURES / f"{name}.svg", metadata={"Date": None})


def _one_leg() -> str:
    """Pushes of 50 N."""
    example = _example("humanoid_on_one_leg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fixed joints of the grippers that mimic others
        runs = {name: example.run(push, DURATION, AT) for name, push in PUSHES.items()}
    picture = Figure(figsize=(8.0, 3.0), layout="constrained")
    axes = picture.subplots(1, 2, sharey=True)
    rows = []
    for name, seen in runs.items():
        late = seen.time >= SHOWN
        before = seen.com[seen.time < AT][-1]
        moved = 1e3 * (seen.com[late] - before)
        for axis, k in zip(axes, (0, 1), strict=True):
            axis.plot(seen.time[late], moved[:, k], label=name)
        rows.append([
            name, f"{np.linalg.norm(moved, axis=1).max():.1f} mm",
            f"{np.linalg.norm(moved[-1]):.1f} mm", f"{np.degrees(seen.tilt).max():.1f} deg",
            f"{100 * seen.load.max():.0f} %",
        ])  # fmt: skip
    for axis, direction in zip(axes, ("forwards", "to the left"), strict=True):
        axis.axvspan(AT, AT + example.PUSHED, color="0.9")
        axis.set(xlabel="time [s]", title=f"centre of mass {direction} [mm]")
    axes[0].legend(frameon=False, title="push")
    _saved(picture, "one_leg")
    head = ["push", "centre of mass moves by", "offset at the end", "trunk tilts by",
            "largest effort, share of its limit"]  # fmt: skip
    return (
        "TALOS (simulated by MuJoCo, 500 quadratic programs a second) stands on two soles, shifts "
        f"its weight, lifts the right foot by {100 * example.HIGH:.0f} cm and is pushed at the "
        f"chest by {example.PUSH:.0f} N for {example.PUSHED:g} s:\n\n{table(head, rows)}\n"
        "![The centre of mass under pushes](figures/one_leg.svg)"
    )


def _elbow() -> str:
    """Out of reach and back."""
    example = _example("stretched_elbow")
    model = Model.from_urdf(example.FILE)
    picture = Figure(figsize=(8.0, 2.8), layout="constrained")
    angle, speed = picture.subplots(1, 2)
    fastest: dict[str, Any] = {}
    for name, damping in (("damped by the error", 0.05), ("without", 0.0)):
        q, v = example.stretched(model, damping)
        time = example.DT * np.arange(len(q))
        angle.plot(time, np.degrees(q[:, example.ELBOW]), label=name)
        speed.plot(time, np.abs(v).max(axis=1))
        half = len(q) // 2
        fastest[name] = np.abs(v[half - 100 : half]).max()
    angle.set(xlabel="time [s]", title="elbow [deg]")
    speed.set(xlabel="time [s]", title="fastest joint [rad/s]")
    angle.legend(frameon=False)
    _saved(picture, "stretched_elbow")
    calm, wild = fastest.values()
    return (
        f"The target of a UR5 is out of its reach for {example.SECONDS:g} s, then returns. With "
        "the Levenberg-Marquardt damping of a frame task the stretched arm rests: its fastest "
        f"joint moves at {calm:.1g} rad/s, without damping at {wild:.1f} rad/s.\n\n"
        "![A stretched elbow](figures/stretched_elbow.svg)"
    )
