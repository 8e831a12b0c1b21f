# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics: where every joint frame is (Featherstone 2008, section 4.6)."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import joint_kinematics, placements
from dyn_core.model.model import Model
from dyn_core.spatial import SE3


@quantity(
    "oMi",
    "placements of the joints as homogeneous matrices, the universe's first",
    unit="1, m",
    shape=("njoints", 4, 4),
    frame="world",
    pinocchio="forwardKinematics",
    source="Featherstone 2008, section 4.6",
)
def forward_kinematics(model: Model, q: Configuration) -> list[SE3]:
    """The placement of every joint frame in the world."""
    return placements(model, joint_kinematics(model, q))
