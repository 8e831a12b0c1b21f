"""Model with the methods that read well on it, though rooms above it do the work.

A robot knows nothing of file formats, editing or compiled code. So the functions of those rooms are
attached to its class here: those that make a model as static methods, the others, which take a
model first, as methods. Their types are in the stub of the package, which `make docs` writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from typing import Any

from dyn_core import editing
from dyn_core.execution import Data
from dyn_core.model.model import Model


def from_urdf(
    source: str | os.PathLike[str],
    root_joint: str | None = None,
    mimic: bool = True,
    massless: bool = False,
    xacro_args: Mapping[str, str] | None = None,
    keep: Collection[str] = (),
    ignore: Collection[str] = (),
) -> Model:
    """Read a URDF or xacro; see :func:`dyn_core.formats.urdf.model_from_urdf`."""
    from dyn_core.formats.urdf import model_from_urdf  # which takes as long as the whole package

    return model_from_urdf(source, root_joint, mimic, massless, xacro_args, keep, ignore)


def from_mjcf(
    source: str | os.PathLike[str],
    mimic: bool = True,
    massless: bool = False,
    ignore: Collection[str] = (),
) -> Model:
    """Read MuJoCo's MJCF; see :func:`dyn_core.formats.mjcf.model_from_mjcf`."""
    from dyn_core.formats.mjcf import model_from_mjcf

    return model_from_mjcf(source, mimic, massless, ignore)


def with_srdf(model: Model, source: str | os.PathLike[str], rotors: bool = True) -> Model:
    """With what an SRDF says; see :func:`dyn_core.formats.srdf.with_srdf`."""
    from dyn_core.formats.srdf import with_srdf

    return with_srdf(model, source, rotors)


def create_data(model: Model) -> Data:
    """Preallocated results of this model's computations."""
    return Data(model)


MAKERS: tuple[Callable[..., Any], ...] = (from_urdf, from_mjcf)
"""Functions that make a model."""
METHODS: tuple[Callable[..., Any], ...] = (
    with_srdf,
    editing.reduced,
    editing.append,
    editing.with_inertia,
    editing.with_placement,
    editing.with_limits,
    editing.with_friction,
    editing.with_spring,
    editing.with_payload,
    editing.with_frame,
    editing.with_loop,
    editing.with_coupling,
    editing.with_gravity,
    editing.with_rotor,
    create_data,
)
"""Functions of a model."""

for maker in MAKERS:
    setattr(Model, maker.__name__, staticmethod(maker))
for method in METHODS:
    setattr(Model, method.__name__, method)

__all__ = ["MAKERS", "METHODS", "Model"]
