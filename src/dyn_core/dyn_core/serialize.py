# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Store a Model or Data as JSON, as text or in files, and read them back.

There is one form, JSON: a document of plain data with a ``format`` and a ``version``, whose parts
:mod:`~dyn_core.readers.json.model_document` lists. ``binary`` is that text compressed by gzip,
``base64`` these bytes as text, ``xml`` an element ``<dyn_core>`` that holds it. All numbers come
back bit by bit, so a model has the same fingerprint and the same dynamics. What is read is checked
field by field; nothing in it is executed.
"""

from __future__ import annotations

import base64
import gzip
import io
import os
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, overload

from dyn_core.compiler.runtime import Data
from dyn_core.errors import ModelError
from dyn_core.model import Model
from dyn_core.readers.json.model_document import from_document, to_document
from dyn_core.readers.json.plain_values import decode, encode

__all__ = [
    "from_base64",
    "from_binary",
    "from_json",
    "from_xml",
    "load",
    "save",
    "to_base64",
    "to_binary",
    "to_json",
    "to_xml",
]

FilePath: TypeAlias = str | os.PathLike[str]
MAX_BYTES = 64 * 2**20
"""The longest file, and the longest text that is expanded from a binary form."""
GZIP = b"\x1f\x8b"
"""The first bytes of the binary form."""
ROOT = "dyn_core"
"""The element that holds the JSON of an XML form."""


def to_json(thing: Model | Data) -> str:
    """A Model or Data as JSON text; infinities and NaN are the texts "inf", "-inf" and "nan".

    Raises:
        ModelError: a part cannot be stored; the message names it.
    """
    return encode(to_document(thing))


@overload
def from_json(text: str) -> Model: ...
@overload
def from_json(text: str, model: Model) -> Data: ...
def from_json(text: str, model: Model | None = None) -> Model | Data:
    """Read the Model that :func:`to_json` wrote, or the Data if its ``model`` is given.

    Numbers are restored bit by bit.

    Raises:
        ModelError: the text is damaged, foreign, newer than this release, or Data of another model.
    """
    _check_type(text, str)
    try:
        return from_document(decode(text), model)
    except RecursionError as error:
        raise ModelError("lists and maps are nested too deeply") from error


def to_xml(thing: Model | Data) -> str:
    """The JSON of a Model or Data in one XML element. Errors as for :func:`to_json`."""
    root = ET.Element(ROOT)
    root.text = to_json(thing)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, "unicode")}\n'


@overload
def from_xml(text: str) -> Model: ...
@overload
def from_xml(text: str, model: Model) -> Data: ...
def from_xml(text: str, model: Model | None = None) -> Model | Data:
    """Read the Model or Data that :func:`to_xml` wrote; otherwise as :func:`from_json`."""
    _check_type(text, str)
    if "<!DOCTYPE" in text:
        raise ModelError(
            "the XML has a document type (<!DOCTYPE>), which could hold anything; remove it"
        )
    try:
        root = ET.fromstring(text)
    except (ET.ParseError, ValueError, LookupError) as error:
        raise ModelError(f"this is not XML: {error}; the text is damaged or foreign") from error
    if root.tag != ROOT or root.attrib or len(root):
        raise ModelError(
            f"the XML of a robot is one element <{ROOT}> that holds JSON, not <{root.tag:.50}>; "
            "read a URDF with Model.from_urdf"
        )
    return from_json(root.text or "", model)  # type: ignore[arg-type]


def to_binary(thing: Model | Data) -> bytes:
    """The JSON of a Model or Data, compressed by gzip. Errors as for :func:`to_json`."""
    return gzip.compress(to_json(thing).encode("ascii"), mtime=0)


@overload
def from_binary(encoded: bytes) -> Model: ...
@overload
def from_binary(encoded: bytes, model: Model) -> Data: ...
def from_binary(encoded: bytes, model: Model | None = None) -> Model | Data:
    """Read the Model or Data that :func:`to_binary` wrote; otherwise as :func:`from_json`."""
    _check_type(encoded, bytes)
    try:
        content = gzip.GzipFile(fileobj=io.BytesIO(encoded)).read(MAX_BYTES + 1)
        text = content.decode("ascii")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ModelError(
            f"this is not JSON compressed by gzip: {error}; it is damaged or foreign"
        ) from error
    if len(text) > MAX_BYTES:
        raise ModelError(f"the text has more than the {MAX_BYTES} bytes that are allowed")
    return from_json(text, model)  # type: ignore[arg-type]


def to_base64(thing: Model | Data) -> str:
    """The binary form as base64 text. Errors as for :func:`to_json`."""
    return base64.b64encode(to_binary(thing)).decode("ascii")


@overload
def from_base64(text: str) -> Model: ...
@overload
def from_base64(text: str, model: Model) -> Data: ...
def from_base64(text: str, model: Model | None = None) -> Model | Data:
    """Read the Model or Data that :func:`to_base64` wrote; otherwise as :func:`from_json`."""
    _check_type(text, str)
    try:
        content = base64.b64decode("".join(text.split()), validate=True)
    except ValueError as error:
        raise ModelError(f"this is not base64: {error}; the text is damaged or foreign") from error
    return from_binary(content, model)  # type: ignore[arg-type]


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
    try:
        content = _content(Path(path))
        if content.startswith(GZIP):
            return from_binary(content, model)  # type: ignore[arg-type]
        text = content.decode("utf-8-sig")
        read = from_xml if text.lstrip().startswith("<") else from_json
        return read(text, model)  # type: ignore[arg-type]
    except UnicodeDecodeError as error:
        raise ModelError(
            f"'{path}': this is neither text nor a binary form; it is damaged or foreign"
        ) from error
    except ModelError as error:
        raise ModelError(f"'{path}': {error}") from error


def _content(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # reading a pipe would wait
            raise ModelError("this is not a file; give the path of one")
        if (size := path.stat().st_size) > MAX_BYTES:
            raise ModelError(f"{size} bytes are too many for a robot")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"cannot be read: {error}; check the path") from error


def _check_type(value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise ModelError(f"give {kind.__name__}, not {type(value).__name__}; load() reads files")
