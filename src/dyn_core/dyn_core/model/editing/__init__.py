# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""New models from a model: locked joints, mounted robots, other roots."""

from dyn_core.model.editing.body_graph import ModelGraph
from dyn_core.model.editing.structure_edits import append, reduced

__all__ = ["ModelGraph", "append", "reduced"]
