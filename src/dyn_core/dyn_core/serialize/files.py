"""Models and Data in files: the suffix says in which form to write, the content how to read."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import overload

from dyn_core.errors import ModelError
from dyn_core.execution import Data
from dyn_core.model import Model
from dyn_core.serialize import binary, json_text, xml_text
from dyn_core.serialize.document import from_document, to_document
from dyn_core.serialize.plain import MAX_SIZE

ENCODERS = {
    ".json": lambda document: json_text.encode(document).encode(),
    ".xml": lambda document: xml_text.encode(document).encode(),
    ".bin": binary.encode,
}


def save(thing: Model | Data, path: str | os.PathLike[str]) -> None:
    """Write a Model or Data to a file: ``.json``, ``.xml`` or (shortest, checksummed) ``.bin``.

    The file appears at once and whole: a reader, or a crash half-way, leaves the one before.

    Raises:
        ModelError: another suffix, or something that cannot be stored.
        OSError: the file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() not in ENCODERS:
        known = ", ".join(ENCODERS)
        raise ModelError(f"'{path}': the suffix '{path.suffix}' is no known form; use {known}")
    encoded = ENCODERS[path.suffix.lower()](to_document(thing))
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(encoded)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


@overload
def load(path: str | os.PathLike[str]) -> Model: ...
@overload
def load(path: str | os.PathLike[str], model: Model) -> Data: ...
def load(path: str | os.PathLike[str], model: Model | None = None) -> Model | Data:
    """Read the Model of a file, or the Data of one if its ``model`` is given.

    Raises:
        ModelError: the file cannot be read, is damaged or foreign, newer than this release, or
            holds Data of another model; the message names the file.
    """
    path = Path(path)
    try:
        return from_document(_decode(_content(path)), model)
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


def _decode(content: bytes) -> object:
    if content.startswith(binary.MAGIC):
        return binary.decode(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(
            "this is neither text nor a binary form; it is damaged or foreign"
        ) from error
    return xml_text.decode(text) if text.lstrip().startswith("<") else json_text.decode(text)
