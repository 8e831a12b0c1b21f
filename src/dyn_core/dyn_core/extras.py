# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Packages that only a part of this one needs: extras, as pip calls them."""

from __future__ import annotations

import importlib
import re
import sys
from importlib.metadata import PackageNotFoundError, requires
from types import ModuleType

from dyn_core.errors import MissingExtraError

DISTRIBUTION = "dyn-suite"
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
        return sys.modules.get(name) or importlib.import_module(name)  # the first is faster
    except ImportError as error:
        raise MissingExtraError(
            f"{why} needs the package '{package}', which is not installed ({error}); "
            f"install it with: {command(extra, package)}"
        ) from error


def command(extra: str, package: str) -> str:
    """What installs the packages of an extra, wherever this one came from; the index lacks it.

    Args:
        extra: of this package.
        package: the one that is missed, where nothing says what the extra brings.
    """
    try:
        declared = requires(DISTRIBUTION) or []
    except PackageNotFoundError:  # a folder of sources on the path
        declared = []
    pattern = re.compile(rf"""([^;]+?)\s*;.*\bextra == ['"]{re.escape(extra)}['"]""")
    found = [match[1].strip() for line in declared if (match := pattern.fullmatch(line))]
    names = " ".join(f"'{name}'" if re.search(r"[<>\[]", name) else name for name in found)
    return f"pip install {names or package} (the extra '{extra}' of {DISTRIBUTION})"
