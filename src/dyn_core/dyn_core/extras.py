"""Packages that only a part of this one needs: extras, as pip calls them."""

from __future__ import annotations

import importlib
from types import ModuleType

from dyn_core.errors import MissingExtraError

DISTRIBUTION = "dyn-suite-core"
"""What pip calls this package: the name ``dyn_core`` there belongs to others."""


def optional(name: str, why: str, extra: str) -> ModuleType:
    """A module of an extra of this package.

    Args:
        name: of the module.
        why: what it is needed for, which begins the message.
        extra: what pip installs it with.

    Raises:
        MissingExtraError: it is not installed; the message says how to get it.
    """
    package = name.partition(".")[0]
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            f"{why} needs the package '{package}', which is not installed ({error}); "
            f"install it with: pip install '{DISTRIBUTION}[{extra}]'"
        ) from error
