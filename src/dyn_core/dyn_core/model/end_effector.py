# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The default tool frame of a robot."""

from __future__ import annotations

from dyn_core.model.frame import FrameType
from dyn_core.model.model import Model


def last_body(model: Model) -> str:
    """The link at the end of the longest chain, where a tool is usually mounted."""
    bodies = [frame for frame in model.frames if frame.type is FrameType.BODY]
    depths = [len(model.supports[frame.joint]) for frame in bodies]
    deepest = max(depths, default=0)
    names = [f.name for f, depth in zip(bodies, depths, strict=True) if depth == deepest]
    return names[-1] if names else model.frames[-1].name
