# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Which version of the package this process runs, by the hash of what its modules are loaded from.

Any change to an algorithm or a printer is another version. Modules come from files (sources, or
compiled ones where the sources were removed), from a zip archive, or from a loader that hands out
their code, as those of frozen programs do.

Files may be replaced while a process runs that has imported some of them and will import others:
what it then compiles is of no version. So their state is noted when the package is imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import all_suffixes
from typing import Any

PACKAGE = __name__.split(".")[0]
ROOT = os.path.dirname(__file__)
COMPILED = "__pycache__"


def _files() -> dict[str, tuple[int, int]]:
    """Each file that modules are loaded from, with what changes when it does."""
    suffixes, found = tuple(all_suffixes()), {}
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name != COMPILED]
        for name in names:
            if name.endswith(suffixes):
                path = os.path.join(folder, name)
                state = os.stat(path)
                found[path] = state.st_ctime_ns, state.st_size
    return found


_IMPORTED = _files()


def unchanged() -> bool:
    """Whether all files are those that were there when the package was imported."""
    return _files() == _IMPORTED


def digest() -> bytes | None:
    """The hash of all modules; None if they cannot be read, or have changed since the import."""
    if __file__ in _IMPORTED:
        parts = [(os.path.relpath(path, ROOT), _content(path)) for path in sorted(_IMPORTED)]
        return _digest(parts) if unchanged() else None
    package = sys.modules[PACKAGE]
    archive = getattr(package.__loader__, "archive", None)
    try:
        if archive is not None:
            return _digest([("", _content(archive))])
        modules = dict(_modules(package.__path__, f"{PACKAGE}."))
    except Exception:  # whatever a loader does that is not one of Python's own
        return None
    return _digest(sorted(modules.items())) if __name__ in modules else None


def pyinstaller_hooks() -> list[str]:
    """The folder of hooks of PyInstaller for this package: an entry point of the distribution.

    It follows import statements, and most modules are imported by name when they are first needed.
    """
    return [os.path.join(ROOT, "pyinstaller")]


def _modules(where: Iterable[str], prefix: str) -> Iterator[tuple[str, bytes]]:
    """The modules of a package by name, none of which is imported, as their loaders have them."""
    import marshal
    import pkgutil

    for found in pkgutil.iter_modules(where, prefix):
        finder: Any = found.module_finder
        spec = finder.find_spec(found.name)
        yield found.name, marshal.dumps(spec.loader.get_code(found.name))
        yield from _modules(spec.submodule_search_locations or (), f"{found.name}.")


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _digest(parts: Iterable[tuple[str, bytes]]) -> bytes:
    import hashlib

    total = hashlib.sha256()
    for name, content in parts:
        total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.digest()
