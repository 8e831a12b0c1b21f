# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The checks. All files of this package are imported; no list names them.

A check is a generator of lines, tables and pictures under ``@declare(...)``.
"""

import pkgutil
from importlib import import_module

from dyn_core.audit.check_declaration import Check


def _found() -> tuple[Check, ...]:
    """The checks that the files of this package declare, in the order of the report."""
    found: dict[str, Check] = {}
    for file in pkgutil.iter_modules(__path__, f"{__name__}."):
        for thing in vars(import_module(file.name)).values():
            if isinstance(thing, Check) and found.setdefault(thing.name, thing) is not thing:
                raise TypeError(f"two checks are called '{thing.name}'")
    return tuple(sorted(found.values(), key=lambda check: check.order))


CHECKS = _found()
"""All checks, in the order of the report."""

__all__ = ["CHECKS"]
