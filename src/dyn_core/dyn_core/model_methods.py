"""Model with the methods that read well on it, though rooms above it do the work.

A robot knows nothing of file formats, editing or compiled code. So the functions of those rooms are
attached to its class here: those that make a model as static methods, the others, which take a
model first, as methods. Their types are in the stub of the package, which `make docs` writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dyn_core import editing
from dyn_core.execution import Data
from dyn_core.formats.mjcf import model_from_mjcf
from dyn_core.formats.srdf import with_srdf
from dyn_core.formats.urdf import model_from_urdf
from dyn_core.model.model import Model


def create_data(model: Model) -> Data:
    """Preallocated results of this model's computations."""
    return Data(model)


MAKERS: dict[str, Callable[..., Any]] = {"from_urdf": model_from_urdf, "from_mjcf": model_from_mjcf}
"""Functions that make a model, by the names of the methods that they become."""
METHODS: dict[str, Callable[..., Any]] = {
    method.__name__: method
    for method in (
        with_srdf,
        editing.reduced,
        editing.append,
        editing.with_payload,
        editing.with_frame,
        editing.with_loop,
        editing.with_coupling,
        editing.with_gravity,
        editing.with_rotor,
        create_data,
    )
}
"""Functions of a model, by the names of the methods that they become."""

for name, maker in MAKERS.items():
    setattr(Model, name, staticmethod(maker))
for name, method in METHODS.items():
    setattr(Model, name, method)

__all__ = ["MAKERS", "METHODS", "Model"]
