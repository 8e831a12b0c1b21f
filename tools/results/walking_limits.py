# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Walking: the limits of joints.

The walks of examples/walking.py after one step of the filter, and a slower, shorter one.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from parts import table

from dyn_core.walking import FootstepPlan, Timing, exceeded, filtered, pattern, straight

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "src" / "dyn_core" / "test"))

SLOW = Timing(single_support=1.0, double_support=0.2)
WALKS = {"0.2 m in 0.8 s": (0.2, Timing()), "0.1 m in 1.2 s": (0.1, SLOW)}
WORDS = """What eight steps straight on need beyond the limits of the descriptions, by
`dyn_core.walking.exceeded`. Efforts are those of inverse dynamics with the ground's push taken off:
a foot that stands alone bears all of it, two feet share it by where the CoP is between them. The
humanoid of OpenHRP cannot walk so, its SRDF's posture alone is beyond limits; TALOS can. So can
Apptronik's Apollo, an MJCF of MuJoCo's Menagerie that was not at hand when this was built
(`--feet l_foot_link,r_foot_link --posture stand --ankle-height 0.0215`):
eight steps of 0.2 m exceed nothing, the CoP is off by 43.3 mm before a step of the filter (13.6 mm
on average) and by 2.7 mm (0.3 mm) after it."""


def section() -> str:
    """The table."""
    from robots import example_robots

    example = runpy.run_path(str(ROOT / "examples" / "walking.py"))
    rows = []
    for name, humanoid in example["HUMANOIDS"].items():
        biped = humanoid.standing(example_robots())
        for words, (length, timing) in WALKS.items():
            steps = FootstepPlan(biped.start, straight(biped.start, 8, length), timing).sampled()
            walk = filtered(biped, pattern(biped, steps))[-1]
            told = "; ".join(
                f"{one.joint} {one.what} {one.most:.3g} (limit {one.limit:.3g})"
                for one in exceeded(biped, walk)
            )
            rows.append([name, words, told or "none"])
    return f"{WORDS}\n\n{table(['robot', 'walk', 'joints beyond their limits'], rows)}"
