# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Rigid-body dynamics, compiled for the robot at hand. No ROS needed.

A robot comes from URDF as an immutable :class:`Model`; results go to a :class:`Data`::

    model = dyn_core.Model.from_urdf("arm.urdf")
    data = model.create_data()
    tau = dyn_core.rnea(model, data, q, v, a)

Every quantity of :data:`QUANTITIES` is such a function of this package. Without Data the result is
a new array. :func:`compile` and Data take requests, which are quantities with options:
``frame_jacobian.request("tool0")``.

The packages, each importing only those before it: ``spatial`` (numbers, frames, Lie groups);
``model`` (a robot, its joints, edits of it); ``dynamics`` (what can be computed, one file each);
``compiler`` (how it is compiled and run); ``readers`` (URDF, SRDF, MJCF, JSON); ``export`` (C,
objects, CasADi). Above them stand the applications, such as ``control`` and ``identification``.

A name is imported when it is first asked for: the definitions, the compiler and the file formats
take their time, and a program that needs none of them does not wait for them.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dyn_core import source_hash as _noted  # noqa: F401 - what is imported, as it is now

HOMES = {
    "dyn_core.dynamics": ("QUANTITIES",),
    "dyn_core.dynamics.constraints": ("Contact",),
    "dyn_core.dynamics.singular_mass_matrix": ("motions_without_inertia",),
    "dyn_core.configuration": (
        "distance",
        "interpolate",
        "is_normalized",
        "is_same_configuration",
        "neutral",
        "normalize",
        "random_configuration",
        "transport",
    ),
    "dyn_core.model.editing": ("ModelGraph",),
    "dyn_core.errors": ("ModelError",),
    "dyn_core.compiler.runtime": ("Data", "Kernel", "compile"),
    "dyn_core.model": ("Coupling", "Loop", "Model", "ModelBuilder"),
    "dyn_core.dynamics.declare": ("Output", "Quantity", "Request"),
    "dyn_core.dynamics.declare.optional_inputs": ("payload", "wrench"),
    "dyn_core.dynamics.declare.options": ("LOCAL", "LOCAL_WORLD_ALIGNED", "WORLD", "Reference"),
    "dyn_core.dynamics.declare.quantity": ("quantity",),
    "dyn_core.version": ("__version__",),
    "dyn_core.view": ("show",),
}
"""Where the names of the package are, but for the quantities, which are found by themselves."""
_HOME_OF = {name: home for home, names in HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A public name that was not asked for before."""
    if name in _HOME_OF:
        found = getattr(import_module(_HOME_OF[name]), name)
    elif name == "__all__":
        found = sorted({"serialize", *_HOME_OF})
        found += import_module("dyn_core.dynamics").QUANTITIES
    elif name.startswith("_"):  # debuggers and pytest ask for many
        found = None
    elif find_spec(f"dyn_core.{name}") is not None:
        found = import_module(f"dyn_core.{name}")
    else:
        found = import_module("dyn_core.dynamics").named(name)
    if found is None:
        raise AttributeError(f"module 'dyn_core' has no attribute '{name}'{_hint(name)}")
    globals()[name] = found
    return found


def _hint(name: str) -> str:
    """What a name of Pinocchio is called here."""
    ours = import_module("dyn_core.pinocchio_names").counterparts(name)
    return f"; Pinocchio's {name} is {' or '.join(ours)} here" if ours else ""


def __dir__() -> list[str]:
    """All public names."""
    return sorted(set(globals()) | set(__getattr__("__all__")))
