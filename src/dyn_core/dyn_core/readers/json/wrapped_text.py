# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""JSON text as bytes (gzip, which has a checksum), as base64 of these, and in one XML element."""

from __future__ import annotations

import base64
import binascii
import gzip
import io
import xml.etree.ElementTree as ET
import zlib

from dyn_core.errors import ModelError
from dyn_core.readers.json.plain_values import MAX_SIZE, check_size

GZIP = b"\x1f\x8b"
"""The first bytes of the binary form."""
ROOT = "dyn_core"


def to_bytes(text: str) -> bytes:
    """The text, compressed by gzip."""
    return gzip.compress(text.encode("ascii"), mtime=0)


def of_bytes(encoded: bytes) -> str:
    """The text that was compressed; no more of it is expanded than a text may be long.

    Raises:
        ModelError: the bytes are foreign, truncated or damaged, or the text is too long.
    """
    try:
        content = gzip.GzipFile(fileobj=io.BytesIO(encoded)).read(MAX_SIZE + 1)
        text = content.decode("ascii")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ModelError(
            f"this is not JSON compressed by gzip: {error}; it is damaged or foreign"
        ) from error
    if not text:
        raise ModelError("there are no bytes; it is damaged or foreign")
    check_size(text)
    return text


def to_base64(text: str) -> str:
    """The bytes of the text as base64 of RFC 4648."""
    return base64.b64encode(to_bytes(text)).decode("ascii")


def of_base64(encoded: str) -> str:
    """The text of a base64 text, in which white space does not matter.

    Raises:
        ModelError: it is not base64, or not of bytes that can be read.
    """
    if len(encoded) > 2 * MAX_SIZE:
        raise ModelError(f"a text of {len(encoded)} characters is too long")
    try:
        content = base64.b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ModelError(f"this is not base64: {error}; the text is damaged or foreign") from error
    return of_bytes(content)


def to_xml(text: str) -> str:
    """One element whose text is the JSON."""
    root = ET.Element(ROOT)
    root.text = text
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, "unicode")}\n'


def of_xml(xml: str) -> str:
    """The text of the element.

    Raises:
        ModelError: it is not such XML, or too long. A document type is refused, and with it all
            entities but the five of XML.
    """
    check_size(xml)
    if "<!DOCTYPE" in xml:
        raise ModelError(
            "the XML has a document type (<!DOCTYPE>), which could hold anything; remove it"
        )
    try:
        root = ET.fromstring(xml)
    except (ET.ParseError, ValueError, LookupError) as error:
        raise ModelError(f"this is not XML: {error}; the text is damaged or foreign") from error
    if root.tag != ROOT or root.attrib or len(root):
        raise ModelError(
            f"the XML of a robot is one element <{ROOT}> that holds JSON, not <{root.tag:.50}>; "
            "read a URDF with Model.from_urdf"
        )
    return root.text or ""
