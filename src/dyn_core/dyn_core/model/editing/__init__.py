# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""New models from a model: locked joints, payloads, mounted robots, other roots."""

from dyn_core.model.editing.body_graph import ModelGraph
from dyn_core.model.editing.parameter_edits import (
    with_inertia,
    with_joint_values,
    with_placement,
)
from dyn_core.model.editing.state_converter import Converter
from dyn_core.model.editing.structure_edits import (
    append,
    reduced,
    with_coupling,
    with_frame,
    with_gravity,
    with_loop,
    with_payload,
    with_rotor,
)

__all__ = [
    "Converter",
    "ModelGraph",
    "append",
    "reduced",
    "with_coupling",
    "with_frame",
    "with_gravity",
    "with_inertia",
    "with_joint_values",
    "with_loop",
    "with_payload",
    "with_placement",
    "with_rotor",
]
