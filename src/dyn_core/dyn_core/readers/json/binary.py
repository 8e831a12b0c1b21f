# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
r"""Plain data in a binary form: short, quick to read, with a checksum.

A header (magic bytes, version of this layout, length and SHA-256 of what follows), then one value.
A value is a letter for its kind and, all little-endian:

====  ==========================================================================================
``s``  text: length in bytes (u32), UTF-8 (surrogates that stand alone in the same manner)
``i``  integer (i64)
``d``  number (f64)
``v``  list of numbers that are no integers: their count (u32), f64 each; infinities and NaN native
``l``  list: count of items (u32), the items
``m``  map: count of fields (u32); for each the key, as a text without its letter, and the value
====  ==========================================================================================
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct

from dyn_core.errors import ModelError
from dyn_core.readers.json.plain_values import (
    KEY,
    MAX_DEPTH,
    MAX_SIZE,
    WORDS,
    Plain,
    check_depth,
    check_size,
    number_or_word,
    too_deep,
)

MAGIC = b"\x93dyncore"
LAYOUT = 1
HEADER = struct.Struct("<8sHQ32s")
COUNT, INTEGER, NUMBER = struct.Struct("<I"), struct.Struct("<q"), struct.Struct("<d")


def encode(document: Plain) -> bytes:
    """The binary form."""
    pieces: list[bytes] = []
    _write(document, pieces)
    payload = b"".join(pieces)
    check_size(payload)
    digest = hashlib.sha256(payload).digest()
    return HEADER.pack(MAGIC, LAYOUT, len(payload), digest) + payload


def decode(encoded: bytes) -> object:
    """The plain data of a binary form.

    Raises:
        ModelError: it is foreign, of a newer layout, truncated or damaged.
    """
    if not encoded.startswith(MAGIC):
        raise ModelError("this is not a binary file of dyn_core: its first bytes are others")
    if len(encoded) < HEADER.size:
        raise ModelError("the header is truncated; write the file anew")
    _, layout, length, digest = HEADER.unpack_from(encoded)
    if layout != LAYOUT:
        raise ModelError(
            f"layout {layout} is unknown; this dyn_core reads layout {LAYOUT}, update it"
        )
    payload = encoded[HEADER.size :]
    if len(payload) != length or length > MAX_SIZE:
        raise ModelError(
            f"there are {len(payload)} bytes where {length} were written; write it anew"
        )
    if hashlib.sha256(payload).digest() != digest:
        raise ModelError("the checksum is wrong: the file is damaged, so write it anew")
    reader = _BinaryReader(payload)
    document = reader.value(0)
    if reader.at != len(payload):
        raise ModelError("something follows the end of the data; write the file anew")
    check_depth(document)
    return document


def encode_base64(document: Plain) -> str:
    """The binary form as base64 text of RFC 4648."""
    return base64.b64encode(encode(document)).decode("ascii")


def decode_base64(text: str) -> object:
    """The plain data of a base64 text; white space does not matter.

    Raises:
        ModelError: it is not base64, or not of a binary form that can be read.
    """
    if len(text) > 2 * MAX_SIZE:
        raise ModelError(f"a text of {len(text)} characters is too long")
    try:
        encoded = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ModelError(f"this is not base64: {error}; the text is damaged or foreign") from error
    return decode(encoded)


def _write(value: Plain, pieces: list[bytes]) -> None:
    if isinstance(value, str):
        pieces += (b"s", _text(value))
    elif isinstance(value, int):
        pieces += (b"i", INTEGER.pack(value))
    elif isinstance(value, float):
        pieces += (b"d", NUMBER.pack(value))
    elif isinstance(value, dict):
        pieces += (b"m", COUNT.pack(len(value)))
        for key, item in value.items():
            pieces.append(_text(key))
            _write(item, pieces)
    elif value and all(isinstance(x, float) or (isinstance(x, str) and x in WORDS) for x in value):
        numbers = [WORDS[x] if isinstance(x, str) else x for x in value]
        pieces += (b"v", COUNT.pack(len(value)), struct.pack(f"<{len(value)}d", *numbers))
    else:
        pieces += (b"l", COUNT.pack(len(value)))
        for item in value:
            _write(item, pieces)


def _text(text: str) -> bytes:
    encoded = text.encode("utf-8", "surrogatepass")
    return COUNT.pack(len(encoded)) + encoded


class _BinaryReader:
    """Reads values from untrusted bytes."""

    def __init__(self, payload: bytes) -> None:
        self.payload = payload
        self.at = 0

    def value(self, depth: int) -> object:
        """The next value."""
        if depth > MAX_DEPTH:
            raise too_deep()
        kind = self._take(1)
        if kind == b"s":
            return self._text()
        if kind == b"i":
            return INTEGER.unpack(self._take(8))[0]
        if kind == b"d":
            return number_or_word(NUMBER.unpack(self._take(8))[0])
        if kind == b"v":
            count = self._count(8)
            return [number_or_word(x) for x in struct.unpack(f"<{count}d", self._take(8 * count))]
        if kind == b"l":
            return [self.value(depth + 1) for _ in range(self._count(2))]
        if kind == b"m":
            return self._map(depth)
        raise ModelError(f"{kind!r} is no kind of value; the file is damaged, so write it anew")

    def _map(self, depth: int) -> dict[str, object]:
        result: dict[str, object] = {}
        for _ in range(self._count(6)):
            key = self._text()
            if key in result or not KEY.fullmatch(key):
                raise ModelError(f"field '{key:.100}' is there twice or has no proper name")
            result[key] = self.value(depth + 1)
        return result

    def _take(self, count: int) -> bytes:
        taken = self.payload[self.at : self.at + count]
        if len(taken) != count:
            raise ModelError("the data ends too early; the file is damaged, so write it anew")
        self.at += count
        return taken

    def _count(self, size: int) -> int:
        """A count of items of at least ``size`` bytes, all of which must fit into the rest."""
        count: int = COUNT.unpack(self._take(4))[0]
        if count * size > len(self.payload) - self.at:
            raise ModelError(f"{count} values do not fit in; the file is damaged, so write it anew")
        return count

    def _text(self) -> str:
        try:
            return self._take(self._count(1)).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise ModelError(f"a text is damaged: {error}; write the file anew") from error
