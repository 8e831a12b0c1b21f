"""Walking: the dynamic filter.

The walks of examples/walking.py, and the time of one step of the filter and of the inverse dynamics
of its window, beside the same number of calls of Pinocchio from Python.
"""

from __future__ import annotations

import runpy
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin
from parts import table

from dyn_core.execution import compile
from dyn_core.walking import DynamicFilter, Steps, pattern, straight
from dyn_core.walking.figure import figure

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures"
WINDOW = 320
"""Samples: 1.6 s at 200 Hz."""
REPETITIONS = 60
PAPER = """
Naveau et al. (2014, section III) report of HRP-2 on a straight walk 15.3 mm at most and 5.7 mm on
average before one step of the filter, 1.7 mm and 0.7 mm after it. HRP-2's model is not public;
these are the humanoid of OpenHRP and TALOS, with steps of 0.2 m in 0.8 s, lifted by 0.07 m; stairs
rise by 0.1 m a step, and the tool weighs 2 kg, half of it in each hand. Distances are those of the
CoP of all bodies, by inverse dynamics, from the CoP of the pattern. What is left on a straight walk
is largest where a foot is lifted and set down: there the legs' share of the inertia, which the
cart-table model does not have, changes fastest, and it takes part in the correction too. A second
step of the filter removes that. On stairs the centre of mass rises, which the cart-table model with
its constant height does not know either.
"""


def section() -> str:
    """The tables; pictures go to docs/figures."""
    example = runpy.run_path(str(ROOT / "examples" / "walking.py"))
    sys.path.insert(0, str(ROOT / "src" / "dyn_core" / "test"))
    from robots import example_robots

    robots = example_robots()
    FIGURES.mkdir(exist_ok=True)
    rows = []
    for name, humanoid in example["HUMANOIDS"].items():
        for kind, (rise, tool) in example["WALKS"].items():
            biped = humanoid.standing(robots, tool)
            steps = Steps.of(biped.start, straight(biped.start, 8, 0.2, rise))
            walks = example["filtered"](biped, pattern(biped, steps), 2)
            numbers = [f"{1e3 * f(w.distances):.2f}" for w in walks for f in (np.max, np.mean)]
            rows.append([name, kind, *numbers])
            if kind == "straight":
                for suffix in ("png", "svg"):
                    figure(*walks[:2]).savefig(FIGURES / f"walk_{name}.{suffix}")
    heads = ["robot", "walk", "before: max mm", "mean", "1 step: max mm", "mean", "2 steps: max mm",
             "mean"]  # fmt: skip
    pictures = [f"![CoP of {name}](figures/walk_{name}.svg)" for name in example["HUMANOIDS"]]
    return "\n\n".join([PAPER.strip(), table(heads, rows), *pictures, _times(example, robots)])


def _times(example: dict, robots: Path) -> str:
    rows = []
    for name, humanoid in example["HUMANOIDS"].items():
        biped = humanoid.standing(robots)
        walk = pattern(biped, Steps.of(biped.start, straight(biped.start, 8)))
        online = DynamicFilter(biped, walk)
        step = _fastest(online.step)
        q, v, a = (np.tile(x, (WINDOW, 1)) for x in (biped.posture, *np.zeros((2, biped.model.nv))))
        kernel = compile(biped.model, ["inverse_dynamics"]).batch
        out = kernel(q, v, a)
        ours = _fastest(lambda args=(q, v, a), out=out, kernel=kernel: kernel(*args, out=out))
        model = pin.buildModelFromUrdf(str(robots / humanoid.urdf), pin.JointModelFreeFlyer())
        theirs = _fastest(_pinocchio(model, q, v, a))
        filter_ms = f"{1e3 * step[0]:.2f} ({1e3 * step[1]:.2f})"
        ours_us = f"{1e6 * ours[0]:.0f} ({1e6 * ours[1]:.0f})"
        rows.append([name, filter_ms, ours_us, f"{1e6 * theirs[0]:.0f}"])
    heads = ["robot", "a step of the filter, ms", f"{WINDOW} RNEA, us", "Pinocchio from Python, us"]
    words = (
        f"One core, minimum (median) of {REPETITIONS}. A step of the filter is the inverse "
        f"kinematics, velocities, accelerations and inverse dynamics of all {WINDOW + 1} samples "
        "of the window, preview control, and the same again for the corrected sample. The paper "
        "has 3 ms for it, and computes 32 RNEA, every tenth sample."
    )
    return f"{words}\n\n{table(heads, rows)}"


def _pinocchio(model: pin.Model, *arrays: np.ndarray) -> Callable[[], None]:
    data, states = model.createData(), list(zip(*arrays, strict=True))

    def run() -> None:
        for q, v, a in states:
            pin.rnea(model, data, q, v, a)

    return run


def _fastest(call: Callable[[], object]) -> tuple[float, float]:
    """Minimum and median time, s."""
    times = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times), float(np.median(times))
