"""Object code on disk, found by content and never trusted blindly.

An entry's name is the hash of everything it was made from. The file begins with the hash of what
follows, so a truncated or altered file is noticed, removed and rebuilt. The folder belongs to its
user alone; a folder that somebody else could write to is not used.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import warnings
from functools import cache
from pathlib import Path

FOLDER_VARIABLE = "DYN_CORE_CACHE"
"""Environment variable that names the cache folder; empty switches the cache off."""
MAGIC = b"dyn_core object code 1\n"


def folder() -> Path | None:
    """The cache folder, or None if the cache is switched off."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen is not None:
        return Path(chosen) if chosen else None
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "dyn_core"


def key(*parts: str) -> str:
    """The name of an entry made from ``parts`` by this version of the package's source."""
    digest = hashlib.sha256(_source_digest())
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part.encode())
    return digest.hexdigest()


def load(name: str) -> bytes | None:
    """The object code of an entry, or None if there is none that can be trusted."""
    path = _path(name)
    if path is None:
        return None
    try:
        content = _read_own_file(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        warnings.warn(f"compiled code in '{path}' is not used: {error}", stacklevel=2)
        return None
    head, body = content[: len(MAGIC) + 32], content[len(MAGIC) + 32 :]
    if head == MAGIC + _checksum(name, body):
        return body
    path.unlink(missing_ok=True)
    return None


def store(name: str, object_code: bytes) -> None:
    """Keep the object code of an entry; failing to is a warning, not an error."""
    path = _path(name)
    if path is None:
        return
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(MAGIC + _checksum(name, object_code) + object_code)
        os.replace(file.name, path)
    except OSError as error:
        warnings.warn(f"compiled code is not kept in '{path}': {error}", stacklevel=2)


def _path(name: str) -> Path | None:
    """Where the entry is, in a folder that exists and is private; None if there is no such."""
    where = folder()
    if where is None:
        return None
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = where.lstat()
    except OSError as error:
        warnings.warn(f"no cache of compiled code in '{where}': {error}", stacklevel=3)
        return None
    others_write = state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid() or others_write:
        warnings.warn(
            f"no cache of compiled code in '{where}': it must be a folder of yours that nobody "
            f"else can write to (chmod 700), or choose another one with {FOLDER_VARIABLE}",
            stacklevel=3,
        )
        return None
    return where / f"{name}.o"


def _read_own_file(path: Path) -> bytes:
    """The content of a regular file of this user; links are not followed."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid():
            raise PermissionError("it is not a file of this user; remove it")
        return file.read()


def _checksum(name: str, object_code: bytes) -> bytes:
    return hashlib.sha256(name.encode() + object_code).digest()


@cache
def _source_digest() -> bytes:
    """Hash of the package's source: any change to an algorithm or a printer rebuilds all."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.digest()
