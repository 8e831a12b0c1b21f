# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The seal of an object: the last bytes of its file, which show whether the rest is whole.

The system's loader maps a truncated file in full, and the program crashes when it reads beyond the
end; so :mod:`loading` checks the seal first. The seal is no signature: anybody who can write the
file can seal it.
"""

from __future__ import annotations

import struct
from functools import reduce

from dyn_core.errors import ModelError

MAGIC = b"dyn_core object\n"
LAYOUT = struct.Struct("<16sQQ")
"""Of the seal: magic, bytes before it, their checksum."""
OFFSET, PRIME = 0xCBF29CE484222325, 0x100000001B3
"""Of the checksum: FNV-1a of 64 bits over words of eight bytes (Fowler, Noll and Vo 1991)."""


def sealed(content: bytes) -> bytes:
    """The content of a file and its seal."""
    padded = content + bytes(-len(content) % 8)
    return padded + LAYOUT.pack(MAGIC, len(padded), checksum(padded))


def check_seal(file: bytes, name: str) -> None:
    """Refuse a file that differs from the file that was written.

    Raises:
        ModelError: it has no seal, or is truncated or altered; the message begins with ``name``.
    """
    magic, size, expected = LAYOUT.unpack(file[-LAYOUT.size :].rjust(LAYOUT.size, b"\0"))
    if magic != MAGIC:
        raise ModelError(f"{name}: no object of dyn_core, or a truncated one: write it anew")
    if size + LAYOUT.size != len(file) or checksum(file[: -LAYOUT.size]) != expected:
        raise ModelError(f"{name}: the object is damaged: write it anew")


def checksum(content: bytes) -> int:
    """Of bytes whose number is a multiple of eight."""
    words = struct.unpack(f"<{len(content) // 8}Q", content[: len(content) // 8 * 8])
    return reduce(lambda total, word: (total ^ word) * PRIME % 2**64, words, OFFSET)
