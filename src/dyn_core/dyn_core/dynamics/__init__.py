# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The definitions, one file each: what can be computed of a robot.

Every file is found by itself; a new one need not be named anywhere. All are imported when
:data:`QUANTITIES` is first asked for; until then, those alone whose quantities were.
"""

import pkgutil
from importlib import import_module
from typing import Any

from dyn_core.dynamics.declare import Quantity


def _found() -> dict[str, Quantity]:
    """The quantities that the files of this package declare, by name."""
    found: dict[str, Quantity] = {}
    for file in pkgutil.iter_modules(__path__, f"{__name__}."):
        for thing in vars(import_module(file.name)).values():
            if not isinstance(thing, Quantity) or thing.__module__ != file.name:
                continue
            if found.setdefault(thing.__name__, thing) is not thing:
                raise TypeError(f"two quantities are called '{thing.__name__}': rename one")
    return found


def named(name: str) -> Quantity | None:
    """The quantity of this name; where its file has the name too, no others are imported."""
    if any(file.name == name for file in pkgutil.iter_modules(__path__)):
        thing = getattr(import_module(f"{__name__}.{name}"), name, None)
        if isinstance(thing, Quantity):
            return thing
    quantities: dict[str, Quantity] = __getattr__("QUANTITIES")
    return quantities.get(name)


def __getattr__(name: str) -> Any:
    """All quantities, when they are first asked for."""
    if name != "QUANTITIES":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    if name not in globals():
        globals()[name] = _found()
    return globals()[name]


QUANTITIES: dict[str, Quantity]
"""All quantities, by the name of their definition; found when they are first asked for."""

ALIASES = {
    "constrained_dynamics": "constrained_forward_dynamics",
    "forward_dynamics": "aba",
    "gravity": "generalized_gravity",
    "gravity_derivatives": "generalized_gravity_derivatives",
    "inverse_dynamics": "rnea",
    "inverse_mass_matrix": "minverse",
    "mass_matrix": "crba",
    "placements": "forward_kinematics",
}
"""Other names by which :func:`dyn_core.compile` knows quantities."""

__all__ = ["ALIASES", "QUANTITIES"]
