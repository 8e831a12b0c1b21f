"""The definitions, one file each: what can be computed of a robot.

Every file is found by itself; a new one need not be named anywhere.
"""

import pkgutil
from importlib import import_module

from dyn_core.quantities import Quantity


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


QUANTITIES = _found()
"""All quantities, by the name of their definition."""

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
