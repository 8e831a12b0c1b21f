"""One model of another: locked joints, payloads, robots on robots, other roots."""

from dyn_core.editing.converter import Converter
from dyn_core.editing.edit import (
    append,
    reduced,
    with_coupling,
    with_frame,
    with_gravity,
    with_loop,
    with_payload,
    with_rotor,
)
from dyn_core.editing.graph import ModelGraph

__all__ = [
    "Converter",
    "ModelGraph",
    "append",
    "reduced",
    "with_coupling",
    "with_frame",
    "with_gravity",
    "with_loop",
    "with_payload",
    "with_rotor",
]
