# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The humanoid that walks in the tests."""

from __future__ import annotations

import numpy as np
from robots import example_robots, load

from dyn_core.walking import Biped, Timing

FEET = ("l_ankle", "r_ankle")
SHORT = Timing(single_support=0.7, double_support=0.1, rest=1.7, dt=0.02)


def standing(turned: float = 0.0) -> Biped:
    """The humanoid, whose base is turned about the vertical in its posture."""
    model = load("simple_humanoid").model
    srdf = example_robots() / "simple_humanoid_description/srdf/simple_humanoid.srdf"
    posture = np.array(model.with_srdf(srdf).reference_configurations["half_sitting"])
    if turned:
        posture[3:7] = 0.0, 0.0, np.sin(0.5 * turned), np.cos(0.5 * turned)
    return Biped.standing(model, FEET, posture, ankle_height=0.1)
