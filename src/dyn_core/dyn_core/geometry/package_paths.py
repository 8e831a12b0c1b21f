# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Resolution of the paths in descriptions: ``package://``, ``file://`` and relative paths."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from dyn_core.errors import MissingFileError, ModelError

PACKAGE_SCHEMES = ("package://", "model://")
FILE_SCHEME = "file://"
Folder = str | os.PathLike[str]


def find_file(uri: str, folders: Sequence[Folder], here: Path | None, where: str) -> Path:
    """The file that a description names.

    ``package://name/path`` is looked for as ``name/path`` in ``folders``, then in the folders of
    ``ROS_PACKAGE_PATH``, then in ``share`` of each folder of ``AMENT_PREFIX_PATH``. A folder that
    is the package itself counts too. Any other path is relative to ``here``, the folder of the
    description.

    Raises:
        ModelError: no such file; the message begins with ``where`` and lists the searched places.
    """
    scheme = next((scheme for scheme in PACKAGE_SCHEMES if uri.startswith(scheme)), None)
    if scheme is not None:
        places = list(_in_packages(uri.removeprefix(scheme).lstrip("/"), folders))
    elif uri.startswith(FILE_SCHEME) or Path(uri).is_absolute():
        places = [Path(uri.removeprefix(FILE_SCHEME))]
    elif here is None:
        raise ModelError(
            f"{where}: '{uri}' is relative, but a text has no folder; give the path of the file "
            "that holds the description"
        )
    else:
        places = [here / uri]
    for place in places:
        if place.is_file():
            return place
    looked = ", ".join(dict.fromkeys(map(str, places))) or "no folder: there is none to look in"
    hint = "; give the folders of its package as package_dirs (--package-dir)" if scheme else ""
    raise MissingFileError(f"{where}: the file '{uri}' is not there (looked for {looked}){hint}")


def _in_packages(path: str, folders: Sequence[Folder]) -> Iterator[Path]:
    name, _, inner = path.partition("/")
    for folder in (*map(Path, folders), *_of_environment()):
        yield folder / path
        if folder.name == name:
            yield folder / inner


def _of_environment() -> Iterator[Path]:
    yield from _listed("ROS_PACKAGE_PATH")
    for prefix in _listed("AMENT_PREFIX_PATH"):
        yield prefix / "share"


def _listed(variable: str) -> list[Path]:
    return [Path(entry) for entry in os.environ.get(variable, "").split(os.pathsep) if entry]
