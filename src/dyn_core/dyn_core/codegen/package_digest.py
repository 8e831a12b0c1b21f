"""Which version of the package this process runs, by the hash of what its modules are loaded from.

Any change to an algorithm or a printer is another version. Modules come from files (sources, or
compiled ones where the sources were removed), from a zip archive, or from a loader that hands out
their code, as those of frozen programs do.
"""

from __future__ import annotations

import hashlib
import marshal
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import all_suffixes
from pathlib import Path
from typing import Any

PACKAGE = __name__.split(".")[0]
COMPILED = "__pycache__"


def package_digest() -> bytes | None:
    """The hash of all modules of the package; None if they cannot be read."""
    root = Path(__file__).parents[1]
    if Path(__file__).is_file():
        suffixes = tuple(all_suffixes())
        paths = sorted(
            path
            for path in root.rglob("*")
            if path.name.endswith(suffixes) and path.parent.name != COMPILED
        )
        return _digest((str(path.relative_to(root)), path.read_bytes()) for path in paths)
    package = sys.modules[PACKAGE]
    archive = getattr(package.__loader__, "archive", None)
    try:
        if archive is not None:
            return _digest([("", Path(archive).read_bytes())])
        modules = dict(_modules(package.__path__, f"{PACKAGE}."))
    except Exception:  # whatever a loader does that is not one of Python's own
        return None
    return _digest(sorted(modules.items())) if __name__ in modules else None


def _modules(where: Iterable[str], prefix: str) -> Iterator[tuple[str, bytes]]:
    """The modules of a package by name, none of which is imported, as their loaders have them."""
    for found in pkgutil.iter_modules(where, prefix):
        finder: Any = found.module_finder
        spec = finder.find_spec(found.name)
        yield found.name, marshal.dumps(spec.loader.get_code(found.name))
        yield from _modules(spec.submodule_search_locations or (), f"{found.name}.")


def _digest(parts: Iterable[tuple[str, bytes]]) -> bytes:
    digest = hashlib.sha256()
    for name, content in parts:
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.digest()
