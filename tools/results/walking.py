# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Walking: the dynamic filter.

The walks of examples/walking.py, and the time of one step of the filter and of the inverse dynamics
of its window, beside Pinocchio's C++ doing the same.
"""

from __future__ import annotations

import runpy
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pinocchio as pin
from matplotlib.figure import Figure
from parts import table

from dyn_core import Model, integrate, neutral
from dyn_core.configuration import with_positions
from dyn_core.walking import (
    Biped,
    DynamicFilter,
    FootstepPlan,
    exceeded,
    filtered,
    pattern,
    revised,
    straight,
)
from dyn_core.walking.walk_figure import figure

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "benchmarks"), str(ROOT / "src" / "dyn_core" / "test")]

from pinocchio_walk import with_pinocchio  # noqa: E402
from robots import example_robots  # noqa: E402
from timing import Side, in_turns  # noqa: E402

FIGURES = ROOT / "docs" / "figures"
OTHERS = {
    "G1": (
        "g1_description/urdf/g1_29dof_rev_1_0.urdf",
        ("left_ankle_roll_link", "right_ankle_roll_link"),
        0.035,
        "left_hip_pitch_joint=-0.4 left_knee_joint=0.8 left_ankle_pitch_joint=-0.4 "
        "right_hip_pitch_joint=-0.4 right_knee_joint=0.8 right_ankle_pitch_joint=-0.4 "
        "left_elbow_joint=0.9 right_elbow_joint=0.9",
        0.15,
        0.07,
    ),
    "Romeo": (
        "romeo_description/urdf/romeo_small.urdf",
        ("l_sole", "r_sole"),
        0.0,
        "LHipPitch=-0.5 LKneePitch=0.9 LAnklePitch=-0.4 RHipPitch=-0.5 RKneePitch=0.9 "
        "RAnklePitch=-0.4 LElbowYaw=-1.0 RElbowYaw=1.0",
        0.1,
        0.04,
    ),
    "iCub": (
        "icub_description/robots/icub_reduced.urdf",
        ("l_sole", "r_sole"),
        0.0,
        "l_hip_pitch=0.6 l_knee=-1.1 l_ankle_pitch=-0.5 r_hip_pitch=0.6 r_knee=-1.1 "
        "r_ankle_pitch=-0.5 l_elbow=1.0 r_elbow=1.0",
        0.05,
        0.02,
    ),
}
"""URDF, feet, height of the ankles, posture, length of a step, and by which feet are lifted."""
WINDOW = 320
"""Samples: 1.6 s at 200 Hz."""
REPETITIONS = 60
PAPER = """
Naveau et al. (2014, section III) report for HRP-2 on a straight walk a distance of the CoP from the
pattern of at most 15.3 mm (5.7 mm on average) before one step of the filter, and 1.7 mm (0.7 mm)
after it. HRP-2's model is not public. Here OpenHRP's humanoid and TALOS walk with steps of 0.2 m in
0.8 s, and lift a foot by 0.07 m. Stairs rise by 0.1 m a step. The tool weighs 2 kg, half of it in
each hand. Distances are those between the CoP of all bodies, by inverse dynamics, and the CoP of
the pattern, over the whole walk.

A step of the filter moves the base by the result of preview control of the error. In the paper the
robot's CoP responds like that of a cart on a table ("a step as a cart"), as if all of the mass
moved with the base. But standing feet do not move, and shanks and thighs move in part. So such a
step leaves a share of the error: 11 % in the paper too. This suite computes from inverse dynamics
how the CoP responds along the walk ("a step"): by 0.6 to 1.1 times the base's displacement for
OpenHRP's humanoid, by 0.77 to 0.97 times for TALOS. On stairs the CoP hardly responds to the base
while the rear leg is nearly stretched.
"""


def section() -> str:
    """The tables; pictures go to docs/figures."""
    example = runpy.run_path(str(ROOT / "examples" / "walking.py"))
    robots = example_robots()
    FIGURES.mkdir(exist_ok=True)
    rows = []
    for name, humanoid in example["HUMANOIDS"].items():
        for kind, (rise, tool) in example["WALKS"].items():
            biped = humanoid.standing(robots, tool)
            steps = FootstepPlan(biped.start, straight(biped.start, 8, 0.2, rise)).sampled()
            walk = pattern(biped, steps)
            before, *after = filtered(biped, walk, 2)
            as_cart = filtered(biped, replace(walk, robot=walk.cart))[-1]
            walks = before, as_cart, *after
            numbers = [f"{1e3 * f(w.distances):.2f}" for w in walks for f in (np.max, np.mean)]
            rows.append([name, kind, *numbers])
            if kind == "straight":
                figure(before, after[0]).savefig(FIGURES / f"walk_{name}.svg")
            if kind == "stairs":
                figure(before, after[0]).savefig(FIGURES / f"stairs_{name}.svg")
    heads = ["robot", "walk", "before: max mm", "mean", "a step as a cart: max mm", "mean",
             "a step: max mm", "mean", "two steps: max mm", "mean"]  # fmt: skip
    pictures = [
        f"![CoP of {name}, {what}](figures/{file}_{name}.svg)"
        for what, file in (("straight on", "walk"), ("on stairs", "stairs"))
        for name in example["HUMANOIDS"]
    ]
    return "\n\n".join(
        [
            PAPER.strip(),
            table(heads, rows),
            *pictures,
            _changed(example),
            _arms(example, robots),
            _times(example, robots),
        ]
    )


def _changed(example: dict) -> str:
    """Other footsteps while the robot walks, known only when the step before them ends."""
    rows = []
    for name, humanoid in example["HUMANOIDS"].items():
        biped = humanoid.standing(example_robots())
        plan = FootstepPlan(biped.start, straight(biped.start, 6, 0.2))
        walks = filtered(biped, pattern(biped, plan.sampled()))
        timing = plan.timing
        sample = round((timing.rest + 2 * timing.step) / timing.dt) - 1
        for what, x, y in (("as planned", 0, 0), ("5 cm ahead and 5 cm aside", 0.05, 0.05),
                           ("10 cm aside", 0.0, 0.1), ("30 cm back", -0.3, 0.0)):  # fmt: skip
            there = [
                replace(one, position=tuple(np.add(one.position, (x, y, 0.0))))
                for one in plan.footsteps[2:]
            ]
            try:
                changed = revised(biped, walks, sample, there)
            except ValueError as refusal:
                rows.append([name, what, f"refused: {refusal}", "", ""])
                continue
            off = np.linalg.norm(changed[0].pattern.cop - changed[0].pattern.steps.cop, axis=1)
            numbers = [f"{1e3 * x:.1f}" for x in (off.max(), changed[-1].distances.max())]
            rows.append([name, what, "walked", *numbers])
    heads = ["robot", "the footsteps from the third on", "", "CoP off the footsteps, mm",
             "off the pattern, mm"]  # fmt: skip
    words = (
        "Footsteps that change while the robot walks, by `revised`, one sample before the first "
        "changed step. Position, velocity and acceleration of all joints are continuous. Changes "
        "that would move the CoP more than 30 mm off are refused:"
    )
    return f"{words}\n\n{table(heads, rows)}"


def _arms(example: dict, robots: Path) -> str:
    """Arms that swing, also of robots that they were not built on."""
    rows, drawn = [], []
    picture = Figure(figsize=(10, 8), layout="constrained")
    for name, (biped, length, clearance) in _bipeds(example, robots).items():
        footsteps = straight(biped.start, 6, length)
        steps = FootstepPlan(biped.start, footsteps, clearance=clearance).sampled()
        sides = []
        for one in (biped, biped.with_arms()):
            begun = time.perf_counter()
            walk = filtered(one, pattern(one, steps))[-1]
            seconds = time.perf_counter() - begun
            turning = np.abs(walk.turning)
            peaks = np.ptp(walk.q[:, one.arms.in_q], axis=0)
            joint = one.model.dof_names[one.arms.in_v[int(peaks.argmax())]]
            sides.append((walk, seconds, turning.max(), 1e3 * walk.distances.max()))
        beyond = [{(x.joint, x.what) for x in exceeded(biped, side[0])} for side in sides]
        rows.append([
            name, f"{length:g} m", *(f"{side[2]:.2f}" for side in sides),
            *(f"{side[3]:.2f}" for side in sides), f"{peaks.max():.2f} ({joint})",
            *(str(len(one)) for one in beyond), *(f"{side[1]:.1f}" for side in sides),
        ])  # fmt: skip
        drawn.append((name, *(side[0] for side in sides)))
    for axes, (name, still, swung) in zip(picture.subplots(len(drawn)), drawn, strict=True):
        for walk, what, color in ((still, "at rest", "tab:red"), (swung, "swinging", "tab:blue")):
            axes.plot(walk.pattern.times, walk.turning, color=color, label=f"arms {what}")
        axes.set_ylabel(f"{name}\n[N m]")
        axes.legend(loc="upper right")
    axes.set_xlabel("time [s]")
    picture.savefig(FIGURES / "walk_arms.svg")
    heads = ["robot", "step", "moment at the soles at most, N m: arms at rest", "swinging",
             "CoP off after a step of the filter, mm: at rest", "swinging",
             "joint that swings most, rad", "joints beyond limits: at rest", "swinging",
             "computed in s: at rest", "swinging"]  # fmt: skip
    words = (
        "Arms as tasks (`Biped.with_arms`, `dyn-core walk --swing`): a task cancels the angular "
        "momentum about the vertical, besides the posture. The table has the moment about the "
        "vertical that the soles carry, for six steps of 0.8 s. The trunk contributes most if it "
        "has joints. G1, Romeo and iCub were not used in development:"
    )
    shown = "![moment about the vertical at the soles](figures/walk_arms.svg)"
    return f"{words}\n\n{table(heads, rows)}\n\n{shown}"


def _bipeds(example: dict, robots: Path) -> dict[str, tuple[Biped, float, float]]:
    """Robots, how long their steps are and how high they lift a foot, m."""
    found = {
        name: (humanoid.standing(robots), 0.2, 0.07)
        for name, humanoid in example["HUMANOIDS"].items()
    }
    for name, (urdf, feet, ankle, posture, length, clearance) in OTHERS.items():
        model = Model.from_urdf(robots / urdf, root_joint="free_flyer")
        angles = with_positions(model, posture, np.zeros(model.nv))
        q = integrate(model, neutral(model), angles)
        found[name] = Biped.standing(model, feet, q, ankle), length, clearance
    return found


def _times(example: dict, robots: Path) -> str:
    rows = []
    for name, humanoid in example["HUMANOIDS"].items():
        biped = humanoid.standing(robots)
        model = pin.buildModelFromUrdf(str(robots / humanoid.urdf), pin.JointModelFreeFlyer())
        bipeds = {"dyn_core": biped, "pinocchio": with_pinocchio(biped, model)}
        walk = pattern(biped, FootstepPlan(biped.start, straight(biped.start, 8)).sampled())
        state = [np.tile(x, (WINDOW, 1)) for x in (biped.posture, *np.zeros((2, model.nv)))]
        steps: dict[str, Side] = {}
        rneas: dict[str, Side] = {}
        for side, one in bipeds.items():
            if one is not None:
                steps[side] = _timed(DynamicFilter(one, walk).step)
                rneas[side] = _timed(partial(one._dynamics.batch, *state))
        times = [in_turns(sides, REPETITIONS) for sides in (steps, rneas)]
        cells = [
            f"{unit * found[side]['min']:.{digits}f} ({unit * found[side]['median']:.{digits}f})"
            if side in found else "not built"
            for found, unit, digits in zip(times, (1e3, 1e6), (2, 0), strict=True)
            for side in bipeds
        ]  # fmt: skip
        rows.append([name, *cells])
    heads = ["robot", "a step of the filter, ms", "Pinocchio C++, ms",
             f"{WINDOW} RNEA, us", "Pinocchio C++, us"]  # fmt: skip
    words = (
        f"Processor time, minimum (median) of {REPETITIONS} interleaved runs. A step of the filter "
        "is inverse kinematics, velocities, accelerations and inverse dynamics of all "
        f"{WINDOW + 1} samples of the window, preview control, and the same again for the "
        "corrected sample. The paper reports 3 ms for it, with 32 RNEA, one for every tenth "
        "sample. Pinocchio's C++ (benchmarks/pinocchio_kernels.cpp, compiled for this processor) "
        "replaces the kernels in the same Python program, with the same Gauss-Newton steps."
    )
    return f"{words}\n\n{table(heads, rows)}"


def _timed(call: Callable[[], object]) -> Side:
    def measure() -> float:
        start = time.process_time()
        call()
        return time.process_time() - start

    return measure
