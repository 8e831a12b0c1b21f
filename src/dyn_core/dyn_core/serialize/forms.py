"""The forms of a Model or Data: JSON, XML, bytes and base64, as text or in files."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar, overload

from dyn_core.errors import ModelError
from dyn_core.execution import Data
from dyn_core.model import Model
from dyn_core.serialize import binary, json_text, xml_text
from dyn_core.serialize.document import from_document, to_document
from dyn_core.serialize.plain import MAX_SIZE, Plain

T = TypeVar("T", str, bytes)
FilePath: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class Form(Generic[T]):
    """A printer of documents and its reader."""

    kind: type[T]
    encode: Callable[[dict[str, Plain]], T]
    decode: Callable[[T], object]

    def write(self, thing: Model | Data) -> T:
        """A Model or Data in this form.

        JSON writes infinities and NaN as the texts "inf", "-inf" and "nan"; the binary form is the
        shortest and has a checksum.

        Raises:
            ModelError: it holds something that cannot be stored; the message says what.
        """
        return self.encode(to_document(thing))

    @overload
    def read(self, content: T) -> Model: ...
    @overload
    def read(self, content: T, model: Model) -> Data: ...
    def read(self, content: T, model: Model | None = None) -> Model | Data:
        """The Model that was written in this form, or the Data if its ``model`` is given.

        Every number comes back bit by bit.

        Raises:
            ModelError: the content is damaged, foreign, newer than this release, or Data of another
                model.
        """
        if not isinstance(content, self.kind):
            name = self.kind.__name__
            raise ModelError(f"give {name}, not {type(content).__name__}; load() reads files")
        return from_document(self.decode(content), model)


JSON = Form(str, json_text.encode, json_text.decode)
XML = Form(str, xml_text.encode, xml_text.decode)
BINARY = Form(bytes, binary.encode, binary.decode)
BASE64 = Form(str, binary.encode_base64, binary.decode_base64)
FILES: dict[str, Form[str] | Form[bytes]] = {".json": JSON, ".xml": XML, ".bin": BINARY}
"""Forms of files by their suffixes."""


def save(thing: Model | Data, path: FilePath) -> None:
    """Write a Model or Data to a file: ``.json``, ``.xml`` or (shortest, checksummed) ``.bin``.

    The file appears at once and whole: a reader, or a crash half-way, leaves the one before.

    Raises:
        ModelError: another suffix, or something that cannot be stored.
        OSError: the file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() not in FILES:
        known = ", ".join(FILES)
        raise ModelError(f"'{path}': the suffix '{path.suffix}' is no known form; use {known}")
    encoded = FILES[path.suffix.lower()].write(thing)
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

    The content says which form it is in.

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
    return (XML if text.lstrip().startswith("<") else JSON).decode(text)
