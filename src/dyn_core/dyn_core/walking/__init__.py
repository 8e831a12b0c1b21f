# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Walking patterns of bipeds, and the filter that makes them dynamically consistent.

Footsteps become a reference of the centre of pressure (CoP), preview control of the cart-table
model makes of it a motion of the centre of mass, inverse kinematics of the legs the motion of all
joints. Inverse dynamics gives the CoP of the whole robot; preview control of the difference
corrects the motion (Naveau et al. 2014, section III).
"""

from dyn_core.walking.biped import Biped
from dyn_core.walking.footsteps import (
    LEFT,
    RIGHT,
    FootMotion,
    Footstep,
    FootstepPlan,
    Timing,
    straight,
)
from dyn_core.walking.leg_motion import leg_motion, leg_step
from dyn_core.walking.limit_checks import Excess, efforts, exceeded
from dyn_core.walking.pattern import (
    DynamicFilter,
    Pattern,
    Walked,
    filtered,
    pattern,
    revised,
    walked,
)
from dyn_core.walking.planar_motion import Course
from dyn_core.walking.preview_control import CopResponse, PreviewControl

__all__ = [
    "LEFT",
    "RIGHT",
    "Biped",
    "CopResponse",
    "Course",
    "DynamicFilter",
    "Excess",
    "FootMotion",
    "Footstep",
    "FootstepPlan",
    "Pattern",
    "PreviewControl",
    "Timing",
    "Walked",
    "efforts",
    "exceeded",
    "filtered",
    "leg_motion",
    "leg_step",
    "pattern",
    "revised",
    "straight",
    "walked",
]
