# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Object code on disk, named by content and verified when it is loaded.

The name of an entry is the hash of all that it was made from. Its file begins with the hash of the
rest of the file, so that a truncated or altered file is noticed and rebuilt. Files are written
elsewhere and renamed, so that any number of processes may share the folder. Only the user may be
able to write to the folder; any other folder is not used.

A fault of the folder or of an entry costs a compilation and a warning, never the result.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import stat
import tempfile
import time
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dyn_core import source_hash as package_files

FOLDER_VARIABLE = "DYN_CORE_CACHE"
"""Environment variable that names the cache folder; empty switches the cache off."""
LIMIT = 256 * 2**20
"""The most bytes of all entries; beyond it, the least recently used entries are removed."""
MAX_UNFINISHED_AGE_S = 3600.0
"""The age in seconds from which an unfinished file is taken for that of a dead process."""
MAGIC = b"dyn_core object code 1\n"
ENTRY_NAME = re.compile(r"([0-9a-f]{64})\.o")
UNFINISHED_NAME = re.compile(r"[0-9a-f]{64}\.\w+\.tmp")

_warned: set[str] = set()
"""Warnings of this process."""


@dataclass(frozen=True)
class CacheEntry:
    """A file of the cache."""

    name: str
    """The hash of all that it was made from."""
    path: Path
    size: int
    """Bytes."""
    used: float
    """When it was written or last loaded, seconds since the epoch."""


def folder() -> Path | None:
    """The cache folder, or None if the cache is switched off or there is no place for it."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen == "":
        return None
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        if chosen is not None:
            return Path(chosen).expanduser()
        if Path(base).is_absolute():  # the XDG specification ignores relative paths
            return Path(base) / "dyn_core"
        return Path.home() / ".cache" / "dyn_core"
    except RuntimeError as error:  # no HOME and no entry in the list of users
        _warn(f"no cache of compiled code: {error} Set {FOLDER_VARIABLE} to a folder, or to ''")
        return None


def key(*parts: str) -> str:
    """The name of an entry made from ``parts`` by this version of the package."""
    digest = hashlib.sha256(VERSION or b"unknown")
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part.encode())
    return digest.hexdigest()


def load(name: str) -> bytes | None:
    """The object code of an entry; None if it is missing or its checksum is wrong."""
    where = _private_folder()
    if where is None:
        return None
    path = _path(where, name)
    try:
        with open(path, "rb", opener=_open_own_file) as file:
            content = file.read(LIMIT)
            with suppress(OSError):  # a disk may be read-only
                os.utime(file.fileno())
    except FileNotFoundError:
        return None
    except OSError as error:
        _warn(f"compiled code in '{path}' is not used: {error.strerror or error}")
        return None
    head, body = content[: len(MAGIC) + 32], content[len(MAGIC) + 32 :]
    if head == MAGIC + _checksum(name, body):
        return body
    _warn(f"compiled code in '{path}' is damaged and compiled anew")
    return None


def store(name: str, object_code: bytes) -> None:
    """Keep the object code of an entry; a failure is a warning."""
    where = _private_folder()
    if where is None:
        return
    if not package_files.unchanged():
        _warn("compiled code is not kept: files of the package have changed since it was imported")
        return
    try:
        _write(_path(where, name), MAGIC + _checksum(name, object_code) + object_code)
        _trim(where)
    except OSError as error:
        _warn(f"compiled code is not kept in '{where}': {error.strerror}")


def entries() -> list[CacheEntry]:
    """The entries of the cache, least recently used first; other files are ignored.

    Raises:
        OSError: the folder cannot be read.
    """
    where = folder()
    return _entries(where) if where is not None and where.is_dir() else []


def clear() -> int:
    """Remove all entries and unfinished files; return the number of entries.

    Running processes keep the code that they have loaded.

    Raises:
        OSError: a file cannot be removed.
    """
    where = folder()
    if where is None or not where.is_dir():
        return 0
    found = _entries(where)
    for entry in found:
        entry.path.unlink(missing_ok=True)
    _sweep(where, math.inf)
    return len(found)


def _path(where: Path, name: str) -> Path:
    return where / f"{name}.o"


def _write(path: Path, content: bytes) -> None:
    """Write a file and rename it to ``path``, so that no process reads a part of it."""
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f"{path.stem}.", suffix=".tmp", delete=False
    ) as file:
        try:
            file.write(content)
            file.flush()
            os.replace(file.name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(file.name)
            raise


def _entries(where: Path) -> list[CacheEntry]:
    """Regular files with names of entries, least recently used first."""
    found = []
    for path in where.iterdir():
        if (match := ENTRY_NAME.fullmatch(path.name)) is not None:
            with suppress(FileNotFoundError):  # another process was faster
                state = path.lstat()
                if stat.S_ISREG(state.st_mode):
                    found.append(CacheEntry(match[1], path, state.st_size, state.st_mtime))
    return sorted(found, key=lambda entry: entry.used)


def _trim(where: Path) -> None:
    """Remove the least recently used entries until the rest is within the limit."""
    found = _entries(where)
    total = sum(entry.size for entry in found)
    for entry in found:
        if total <= LIMIT:
            break
        entry.path.unlink(missing_ok=True)
        total -= entry.size
    _sweep(where, time.time() - MAX_UNFINISHED_AGE_S)


def _sweep(where: Path, before: float) -> None:
    """Remove unfinished files that were last written to before this time."""
    for path in where.iterdir():
        if UNFINISHED_NAME.fullmatch(path.name):
            with suppress(FileNotFoundError):
                if path.lstat().st_mtime < before:
                    path.unlink()


def _private_folder() -> Path | None:
    """The cache folder, created if it is missing; None if it is not private."""
    where = folder()
    if where is None:
        return None
    if VERSION is None:
        _warn(
            "no cache of compiled code: files of the package cannot be read, or have changed since "
            "the import, so its version is unknown. Start the process anew, or set "
            f"{FOLDER_VARIABLE} to ''"
        )
        return None
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = where.lstat()
    except OSError as error:
        _warn(f"no cache of compiled code in '{where}': {error.strerror}")
        return None
    others_write = state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid() or others_write:
        _warn(
            f"no cache of compiled code in '{where}': it must be a folder of this user that no "
            f"other user can write to (chmod 700), or choose another one with {FOLDER_VARIABLE}"
        )
        return None
    return where


def _open_own_file(path: str, flags: int) -> int:
    """Open a regular file of this user, without following links or waiting for pipes."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    state = os.fstat(descriptor)
    if stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid():
        return descriptor
    os.close(descriptor)
    raise PermissionError("it is not a file of this user; remove it")


def _warn(text: str) -> None:
    """Warn once per process and text."""
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, stacklevel=3)


def _checksum(name: str, object_code: bytes) -> bytes:
    return hashlib.sha256(name.encode() + object_code).digest()


VERSION = package_files.digest()
"""The hash of the package's files as this process has loaded them."""
