"""The definitions, one file each: what can be computed of a robot.

Every file is found by itself; a new one need not be named anywhere.
"""

import pkgutil
from importlib import import_module

from dyn_core.algorithms.quantity import Output, Quantity, Request


def _found() -> dict[str, Quantity]:
    """The quantities that the files of this package declare, by name."""
    found: dict[str, Quantity] = {}
    fields: dict[str, Quantity] = {}
    for file in pkgutil.iter_modules(__path__, f"{__name__}."):
        for thing in vars(import_module(file.name)).values():
            if not isinstance(thing, Quantity) or thing.__module__ != file.name:
                continue
            for taken, name in [(found, thing.__name__), (found, thing.name)]:
                if taken.setdefault(name, thing) is not thing:
                    raise TypeError(f"{thing} and {taken[name]} are both called '{name}'")
            for output in thing.outputs:
                if fields.setdefault(output.field, thing) is not thing:
                    raise TypeError(f"{thing} and {fields[output.field]} fill '{output.field}'")
    return {quantity.__name__: quantity for quantity in found.values()}


QUANTITIES = _found()
"""All quantities, by the name of their definition."""

__all__ = ["QUANTITIES", "Output", "Quantity", "Request"]
