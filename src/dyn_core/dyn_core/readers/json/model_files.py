# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A Model or Data as JSON, or as JSON in bytes, base64 or XML; as text or in files."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, TypeVar, overload

from dyn_core.compiler.runtime import Data
from dyn_core.errors import ModelError
from dyn_core.model import Model
from dyn_core.readers.json import json_text, wrapped_text
from dyn_core.readers.json.model_document import from_document, to_document
from dyn_core.readers.json.plain_values import MAX_SIZE

T = TypeVar("T", str, bytes)
FilePath: TypeAlias = str | os.PathLike[str]


def to_json(thing: Model | Data) -> str:
    """A Model or Data as JSON text; infinities and NaN are the texts "inf", "-inf" and "nan".

    Raises:
        ModelError: a part cannot be stored; the message names it.
    """
    return json_text.encode(to_document(thing))


@overload
def from_json(text: str) -> Model: ...
@overload
def from_json(text: str, model: Model) -> Data: ...
def from_json(text: str, model: Model | None = None) -> Model | Data:
    """The Model that :func:`to_json` wrote, or the Data if its ``model`` is given.

    Numbers are restored bit by bit.

    Raises:
        ModelError: the text is damaged, foreign, newer than this release, or Data of another model.
    """
    return _read(_checked(text, str), model)


def to_xml(thing: Model | Data) -> str:
    """The JSON of a Model or Data in one XML element. Errors as for :func:`to_json`."""
    return wrapped_text.to_xml(to_json(thing))


@overload
def from_xml(text: str) -> Model: ...
@overload
def from_xml(text: str, model: Model) -> Data: ...
def from_xml(text: str, model: Model | None = None) -> Model | Data:
    """The Model that :func:`to_xml` wrote, or the Data. As :func:`from_json`."""
    return _read(wrapped_text.of_xml(_checked(text, str)), model)


def to_binary(thing: Model | Data) -> bytes:
    """The JSON of a Model or Data, compressed by gzip. Errors as for :func:`to_json`."""
    return wrapped_text.to_bytes(to_json(thing))


@overload
def from_binary(encoded: bytes) -> Model: ...
@overload
def from_binary(encoded: bytes, model: Model) -> Data: ...
def from_binary(encoded: bytes, model: Model | None = None) -> Model | Data:
    """The Model that :func:`to_binary` wrote, or the Data. As :func:`from_json`."""
    return _read(wrapped_text.of_bytes(_checked(encoded, bytes)), model)


def to_base64(thing: Model | Data) -> str:
    """The binary form as base64 text. Errors as for :func:`to_json`."""
    return wrapped_text.to_base64(to_json(thing))


@overload
def from_base64(text: str) -> Model: ...
@overload
def from_base64(text: str, model: Model) -> Data: ...
def from_base64(text: str, model: Model | None = None) -> Model | Data:
    """The Model that :func:`to_base64` wrote, or the Data. As :func:`from_json`."""
    return _read(wrapped_text.of_base64(_checked(text, str)), model)


FILES: dict[str, Callable[[Model | Data], str | bytes]] = {
    ".json": to_json, ".xml": to_xml, ".bin": to_binary,
}  # fmt: skip
"""The encoders by the suffix of the file."""


def save(thing: Model | Data, path: FilePath) -> None:
    """Write a Model or Data to a file: ``.json``, ``.xml`` or (shortest, with a checksum) ``.bin``.

    The file is replaced at once: a reader or a crash sees either the old file or the new one.

    Raises:
        ModelError: the suffix is unknown, or a part cannot be stored.
        OSError: the file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() not in FILES:
        known = ", ".join(FILES)
        raise ModelError(f"'{path}': the suffix '{path.suffix}' is no known form; use {known}")
    encoded = FILES[path.suffix.lower()](thing)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(encoded if isinstance(encoded, bytes) else encoded.encode())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


@overload
def load(path: FilePath) -> Model: ...
@overload
def load(path: FilePath, model: Model) -> Data: ...
def load(path: FilePath, model: Model | None = None) -> Model | Data:
    """Read the Model of a file, or the Data of one if its ``model`` is given.

    The form is recognized by the content.

    Raises:
        ModelError: the file cannot be read, is damaged or foreign, newer than this release, or
            holds Data of another model; the message names the file.
    """
    path = Path(path)
    try:
        return _read(_text(_content(path)), model)
    except ModelError as error:
        raise ModelError(f"'{path}': {error}") from error


def _content(path: Path) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ModelError("this is not a file; give the path of one")
        if status.st_size > 2 * MAX_SIZE:
            raise ModelError(f"{status.st_size} bytes are too many for a robot")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"cannot be read: {error}; check the path") from error


def _read(text: str, model: Model | None) -> Model | Data:
    return from_document(json_text.decode(text), model)


def _text(content: bytes) -> str:
    if content.startswith(wrapped_text.GZIP):
        return wrapped_text.of_bytes(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(
            "this is neither text nor a binary form; it is damaged or foreign"
        ) from error
    return wrapped_text.of_xml(text) if text.lstrip().startswith("<") else text


def _checked(value: T, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise ModelError(f"give {kind.__name__}, not {type(value).__name__}; load() reads files")
    return value
