# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Texts and bytes that are no proper JSON, XML, gzip or base64, some of them hostile."""

from __future__ import annotations

import base64
import gzip

import pytest
from serialized import model

from dyn_core import ModelError, serialize
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
BOMB = f'<!DOCTYPE dyn_core [<!ENTITY l0 "ha">{LAUGHS}]><dyn_core>&l29;</dyn_core>'
THIEF = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><dyn_core>&x;</dyn_core>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not XML"),
        ("hello", "not XML"),
        ("<robot/>", "one element <dyn_core> that holds JSON, not <robot>; .*from_urdf"),
        ("<dyn_core/>", "not JSON"),
        ('<dyn_core x="1">{}</dyn_core>', "one element <dyn_core>"),
        ("<dyn_core>{}<b/></dyn_core>", "one element <dyn_core>"),
        ("<dyn_core>{}</dyn_core>", "field 'format' is missing"),
        ("<dyn_core>\ud800</dyn_core>", "not XML"),
        ("<dyn_core>&nose;</dyn_core>", "not XML: undefined entity"),
        (BOMB, "has a document type"),
        (THIEF, "has a document type"),
        ("<dyn_core>" * 200_000, "not XML"),
        (" " * (MAX_SIZE + 1), "are more than the"),
    ],
)
def test_xml_is_refused(text: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        serialize.from_xml(text)


WHOLE = serialize.to_binary(model())
FOREIGN = "not JSON compressed by gzip"


@pytest.mark.parametrize(
    ("encoded", "words"),
    [
        (b"", "there are no bytes"),
        (b"\x89PNG\r\n", FOREIGN),
        (WHOLE[:5], FOREIGN),
        (WHOLE[:-1], FOREIGN),
        (WHOLE[:40] + b"\xff" + WHOLE[41:], FOREIGN),
        (WHOLE[:-8] + bytes(4) + WHOLE[-4:], f"{FOREIGN}: CRC check failed"),
        (WHOLE + b"x", FOREIGN),
        (gzip.compress("é".encode(), mtime=0), FOREIGN),
        (gzip.compress(b"hello", mtime=0), "not JSON"),
        (gzip.compress(bytes(MAX_SIZE + 1), mtime=0), "are more than the"),
        (gzip.compress(bytes(10 * MAX_SIZE), mtime=0), "are more than the"),
    ],
)
def test_bytes_are_refused(encoded: bytes, words: str) -> None:
    """Where a few bytes expand without end, too."""
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
