"""Models and Data as JSON, XML, bytes and base64."""

from __future__ import annotations

from typing import TypeVar, overload

from dyn_core.errors import ModelError
from dyn_core.execution import Data
from dyn_core.model import Model
from dyn_core.serialize import binary, json_text, xml_text
from dyn_core.serialize.document import from_document, to_document

T = TypeVar("T", str, bytes)


def to_json(thing: Model | Data) -> str:
    """A Model or Data as JSON text; infinities and NaN are the texts "inf", "-inf" and "nan".

    Raises:
        ModelError: it holds something that cannot be stored; the message says what.
    """
    return json_text.encode(to_document(thing))


@overload
def from_json(text: str) -> Model: ...
@overload
def from_json(text: str, model: Model) -> Data: ...
def from_json(text: str, model: Model | None = None) -> Model | Data:
    """The Model that :func:`to_json` wrote, or the Data if its ``model`` is given.

    Every number comes back bit by bit.

    Raises:
        ModelError: the text is damaged, foreign, newer than this release, or Data of another model.
    """
    return from_document(json_text.decode(_checked(text, str)), model)


def to_xml(thing: Model | Data) -> str:
    """A Model or Data as XML text. Errors as for :func:`to_json`."""
    return xml_text.encode(to_document(thing))


@overload
def from_xml(text: str) -> Model: ...
@overload
def from_xml(text: str, model: Model) -> Data: ...
def from_xml(text: str, model: Model | None = None) -> Model | Data:
    """The Model that :func:`to_xml` wrote, or the Data. As :func:`from_json`."""
    return from_document(xml_text.decode(_checked(text, str)), model)


def to_binary(thing: Model | Data) -> bytes:
    """A Model or Data in its shortest form, with a checksum. Errors as for :func:`to_json`."""
    return binary.encode(to_document(thing))


@overload
def from_binary(encoded: bytes) -> Model: ...
@overload
def from_binary(encoded: bytes, model: Model) -> Data: ...
def from_binary(encoded: bytes, model: Model | None = None) -> Model | Data:
    """The Model that :func:`to_binary` wrote, or the Data. As :func:`from_json`."""
    return from_document(binary.decode(_checked(encoded, bytes)), model)


def to_base64(thing: Model | Data) -> str:
    """The binary form as base64 text. Errors as for :func:`to_json`."""
    return binary.encode_base64(to_document(thing))


@overload
def from_base64(text: str) -> Model: ...
@overload
def from_base64(text: str, model: Model) -> Data: ...
def from_base64(text: str, model: Model | None = None) -> Model | Data:
    """The Model that :func:`to_base64` wrote, or the Data. As :func:`from_json`."""
    return from_document(binary.decode_base64(_checked(text, str)), model)


def _checked(value: T, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise ModelError(f"give {kind.__name__}, not {type(value).__name__}; load() reads files")
    return value
