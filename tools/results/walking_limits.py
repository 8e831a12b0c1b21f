# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Walking: the limits of joints.

The walks of examples/walking.py after one step of the filter, and a slower, shorter one.
"""

from __future__ import annotations

import os
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path

from parts import part_of, table

from dyn_core import Model
from dyn_core.cli.walk import posture_of
from dyn_core.errors import ModelError
from dyn_core.walking import (
    Biped,
    FootstepPlan,
    Timing,
    Walked,
    exceeded,
    filtered,
    pattern,
    straight,
)
from dyn_core.walking.walk_figure import figure

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "src" / "dyn_core" / "test"))

SLOW = Timing(single_support=1.0, double_support=0.2)
WALKS = {"0.2 m in 0.8 s": (0.2, Timing()), "0.1 m in 1.2 s": (0.1, SLOW)}
WORDS = """Limits of the descriptions that eight steps straight ahead exceed, by
`dyn_core.walking.exceeded`. Efforts are those of inverse dynamics minus those of the ground forces,
which two feet share by the position of the CoP between them. The posture in the SRDF of OpenHRP's
humanoid exceeds limits already; TALOS can walk like this."""
MENAGERIE = """Two robots of MuJoCo's Menagerie, not used in development, by
`dyn-core walk --feet ... --posture ... --ankle-height ...`: Apptronik's Apollo and Booster's T1.
The keyframe of the T1 stands with straight knees, so its walk is refused at the first step out of
reach."""
PICTURE = "walk_apollo.svg"


@dataclass(frozen=True)
class Other:
    """A robot of the Menagerie, and how it walks."""

    name: str
    file: str
    feet: tuple[str, str]
    ankle: float
    posture: str
    """A keyframe, or positions of joints."""
    length: float

    def standing(self, folder: Path) -> Biped:
        """On its feet."""
        model = Model.from_mjcf(folder / self.file)
        q = posture_of(model, self.posture, folder / self.file)
        return Biped.standing(model, self.feet, q, self.ankle)


T1 = "booster_t1/t1.xml", ("left_foot_link", "right_foot_link"), 0.03
BENT = ",".join(
    f"{side}_Hip_Pitch=-0.4,{side}_Knee_Pitch=0.8,{side}_Ankle_Pitch=-0.4"
    for side in ("Left", "Right")
)
OTHERS = (
    Other("Apollo", "apptronik_apollo/apptronik_apollo.xml", ("l_foot_link", "r_foot_link"), 0.0215,
          "stand", 0.2),
    Other("T1, keyframe", *T1, "home", 0.1),
    Other("T1, knees bent by 0.8 rad", *T1, BENT, 0.1),
)  # fmt: skip


def section() -> str:
    """The tables and a picture."""
    from robots import example_robots

    folder = os.environ.get("MJCF_FOLDER")
    if not folder:
        return part_of((ROOT / "docs" / "results.md").read_text(), "walking_limits")
    example = runpy.run_path(str(ROOT / "examples" / "walking.py"))
    rows = []
    for name, humanoid in example["HUMANOIDS"].items():
        biped = humanoid.standing(example_robots())
        for words, (length, timing) in WALKS.items():
            steps = FootstepPlan(biped.start, straight(biped.start, 8, length), timing).sampled()
            walk = filtered(biped, pattern(biped, steps))[-1]
            rows.append([name, words, _beyond(biped, walk)])
    heads = ["robot", "walk", "joints beyond their limits"]
    return f"{WORDS}\n\n{table(heads, rows)}\n\n{MENAGERIE}\n\n{_others(Path(folder))}"


def _others(folder: Path) -> str:
    rows = []
    for one in OTHERS:
        words = f"{one.length:g} m in 0.8 s"
        try:
            biped = one.standing(folder)
            steps = FootstepPlan(biped.start, straight(biped.start, 8, one.length)).sampled()
            before, after = filtered(biped, pattern(biped, steps))
        except ModelError as refusal:
            rows.append([one.name, words, "", "", f"refused: {refusal}"])
            continue
        if one is OTHERS[0]:
            figure(before, after).savefig(ROOT / "docs" / "figures" / PICTURE)
        off = [
            f"{1e3 * x.distances.max():.1f} ({1e3 * x.distances.mean():.1f})"
            for x in (before, after)
        ]
        rows.append([one.name, words, *off, _beyond(biped, after)])
    heads = ["robot", "walk", "CoP off before a step of the filter, mm at most (on average)",
             "after it", "joints beyond their limits"]  # fmt: skip
    picture = f"![CoP of {OTHERS[0].name}, straight on](figures/{PICTURE})"
    return f"{table(heads, rows)}\n\n{picture}"


def _beyond(biped: Biped, walk: Walked) -> str:
    return (
        "; ".join(
            f"{one.joint} {one.what} {one.most:.3g} (limit {one.limit:.3g})"
            for one in exceeded(biped, walk)
        )
        or "none"
    )
