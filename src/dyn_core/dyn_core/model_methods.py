# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Model with the methods that read well on it, though rooms above it do the work.

A robot knows nothing of file formats, editing or compiled code. So the functions of those rooms are
attached to its base class here: those that make a model as static methods, the others, which take a
model first, as methods. A room is imported when one of its methods is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from dyn_core.model.methods import Methods
from dyn_core.model.model import Model


@dataclass(frozen=True)
class Attached:
    """A function of another room in the place of a method, until it is asked for."""

    name: str
    """Of the method."""
    room: str
    function: str = ""
    """Its name there, if that is another."""
    makes: bool = False
    """Whether it makes a model, so that it is a static method."""

    def load(self) -> Callable[..., Any]:
        """The function itself."""
        found: Callable[..., Any] = getattr(import_module(self.room), self.function or self.name)
        return found

    def __get__(self, model: Model | None, owner: type[Model]) -> Callable[..., Any]:
        function = self.load()
        setattr(Methods, self.name, staticmethod(function) if self.makes else function)
        method: Callable[..., Any] = getattr(owner if model is None else model, self.name)
        return method


METHODS = (
    Attached("from_urdf", "dyn_core.readers.urdf", "model_from_urdf", makes=True),
    Attached("from_mjcf", "dyn_core.readers.mjcf", "model_from_mjcf", makes=True),
    Attached("with_srdf", "dyn_core.readers.srdf"),
    Attached("reduced", "dyn_core.model.editing"),
    Attached("append", "dyn_core.model.editing"),
    Attached("with_inertia", "dyn_core.model.editing"),
    Attached("with_placement", "dyn_core.model.editing"),
    Attached("with_limits", "dyn_core.model.editing"),
    Attached("with_friction", "dyn_core.model.editing"),
    Attached("with_spring", "dyn_core.model.editing"),
    Attached("with_payload", "dyn_core.model.editing"),
    Attached("with_frame", "dyn_core.model.editing"),
    Attached("with_loop", "dyn_core.model.editing"),
    Attached("with_coupling", "dyn_core.model.editing"),
    Attached("with_gravity", "dyn_core.model.editing"),
    Attached("with_rotor", "dyn_core.model.editing"),
    Attached("create_data", "dyn_core.compiler.runtime.data"),
)

for method in METHODS:
    setattr(Methods, method.name, method)

__all__ = ["METHODS", "Model"]
