# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Texts and bytes that are no proper JSON, XML, binary form or base64, some of them hostile."""

from __future__ import annotations

import base64
import hashlib

import pytest
from serialized import model

from dyn_core import ModelError, serialize
from dyn_core.readers.json import binary
from dyn_core.readers.json.plain_values import MAX_SIZE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("hello", "not JSON"),
        ("null", "a map with named fields was expected"),
        ("[]", "a map with named fields was expected"),
        ('{"format": NaN}', "NaN is not JSON; write it as one of the texts"),
        ('{"format": -Infinity}', "-Infinity is not JSON"),
        ('{"format": 1e999}', "the number 1e999 is too large"),
        ('{"format": ' + "9" * 100_000 + "}", "is too large"),
        ('{"format": 9007199254740993}', "is too large"),
        ('{"format": "a", "format": "b"}', "field 'format' is there 2 times"),
        ("{" + ",".join(f'"{k}": 1' for k in range(300_000)) + ', "7": 1}', "field '7' is there 2"),
        ("[" * 1_000_000, "nested more than 64 deep|not JSON"),
        ("[" * 100 + "]" * 100, "nested more than 64 deep"),
        ('{"a":' * 100_000, "nested more than 64 deep|not JSON"),
        (" " * (MAX_SIZE + 1), "are more than the"),
    ],
)
def test_json_is_refused(text: str, words: str) -> None:
    """At once, however long it is."""
    with pytest.raises(ModelError, match=words):
        serialize.from_json(text)


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 30))
BOMB = f'<!DOCTYPE dyn_core [<!ENTITY l0 "ha">{LAUGHS}]><dyn_core is="text">&l29;</dyn_core>'
THIEF = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><dyn_core is="text">&x;</dyn_core>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not XML"),
        ("hello", "not XML"),
        ("<robot/>", "<robot> needs the attribute is="),
        ('<robot is="map"/>', "use <dyn_core>"),
        ('<dyn_core is="map"/>', "field 'format' is missing"),
        ('<dyn_core is="map" x="1"/>', "needs the attribute is="),
        ('<dyn_core is="bytes"/>', "one of map, list, text, number, numbers"),
        ('<dyn_core is="map">text</dyn_core>', "a map; it cannot hold 'text'"),
        ('<dyn_core is="text"><b is="text"/></dyn_core>', "a text; it cannot hold <b>"),
        (
            '<dyn_core is="list"><b is="text"/></dyn_core>',
            "<b> cannot be in <dyn_core>; use <item>",
        ),
        ('<dyn_core is="map"><a is="text"/><a is="text"/></dyn_core>', "more than once"),
        ('<dyn_core is="number">one</dyn_core>', "'one' is not a number"),
        ('<dyn_core is="number">1_0</dyn_core>', "'1_0' is not a number"),
        ('<dyn_core is="number">\u0661</dyn_core>', "is not a number"),
        ('<dyn_core is="number">1e999</dyn_core>', "too large"),
        ('<dyn_core is="numbers">1 0x2</dyn_core>', "'0x2' is not a number"),
        ('<dyn_core is="text">\\n</dyn_core>', "holds a backslash"),
        ('<dyn_core is="text">\ud800</dyn_core>', "not XML"),
        ('<dyn_core is="text">&nose;</dyn_core>', "not XML: undefined entity"),
        (BOMB, "has a document type"),
        (THIEF, "has a document type"),
        ('<dyn_core is="list">' + '<item is="list">' * 200_000, "nested more than 64 deep"),
        (" " * (MAX_SIZE + 1), "are more than the"),
    ],
)
def test_xml_is_refused(text: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        serialize.from_xml(text)


def sealed(payload: bytes, layout: int = binary.LAYOUT) -> bytes:
    """A binary form with a proper header."""
    digest = hashlib.sha256(payload).digest()
    return binary.HEADER.pack(binary.MAGIC, layout, len(payload), digest) + payload


MANY = (2**32 - 1).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("encoded", "words"),
    [
        (b"", "not a binary file of dyn_core"),
        (b"\x89PNG\r\n", "not a binary file of dyn_core"),
        (binary.MAGIC, "the header is truncated"),
        (sealed(b"i" + bytes(8), layout=2), "layout 2 is unknown; .* update it"),
        (sealed(b"i" + bytes(8))[:-1], "8 bytes where 9 were written"),
        (sealed(b"i" + bytes(8)) + b"x", "10 bytes where 9 were written"),
        (sealed(b"i" + bytes(8))[:-1] + b"x", "the checksum is wrong"),
        (sealed(b""), "ends too early"),
        (sealed(b"x"), "b'x' is no kind of value"),
        (sealed(b"i" + bytes(9)), "something follows the end"),
        (sealed(b"i" + bytes(8)), "a map with named fields was expected"),
        (sealed(b"s" + MANY), "4294967295 values do not fit in"),
        (sealed(b"v" + MANY), "4294967295 values do not fit in"),
        (sealed(b"l" + MANY), "4294967295 values do not fit in"),
        (sealed(b"m" + MANY), "4294967295 values do not fit in"),
        (sealed(b"s\1\0\0\0\xff"), "a text is damaged"),
        (sealed(b"m\1\0\0\0\1\0\0\0?i" + bytes(8)), "has no proper name"),
        (sealed(b"l\1\0\0\0" * 100_000), "nested more than 64 deep"),
    ],
)
def test_binary_is_refused(encoded: bytes, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        serialize.from_binary(encoded)
    with pytest.raises(ModelError, match=words):
        serialize.from_base64(base64.b64encode(encoded).decode())


def test_base64_is_refused() -> None:
    for text in ("é", "====", "abc", "<xml/>", serialize.to_base64(model())[:-3]):
        with pytest.raises(ModelError, match="not base64"):
            serialize.from_base64(text)
    folded = "\n".join(serialize.to_base64(model()))
    assert serialize.from_base64(folded).fingerprint == model().fingerprint
