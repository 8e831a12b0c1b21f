# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The robot: a tree of joints and bodies, its parts and its builder."""

from dyn_core.model.builder import ModelBuilder
from dyn_core.model.coordinate_names import coordinate_names, last_body
from dyn_core.model.coupling import Coupling
from dyn_core.model.fluid import Drag, Fluid, FluidHull
from dyn_core.model.frame import Frame, FrameType
from dyn_core.model.gravity_compensator import Lift
from dyn_core.model.loop import Loop
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.tendon import Strand, Tendon
from dyn_core.model.tree_joint import Limits, TreeJoint

__all__ = [
    "Coupling",
    "Drag",
    "FloatArray",
    "Fluid",
    "FluidHull",
    "Frame",
    "FrameType",
    "Lift",
    "Limits",
    "Loop",
    "Model",
    "ModelBuilder",
    "Strand",
    "Tendon",
    "TreeJoint",
    "coordinate_names",
    "last_body",
]
