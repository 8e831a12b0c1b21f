# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
r"""Plain data as XML text.

An element is named by its field (``item`` in a list); its attribute ``is`` has the type:
``map``, ``list``, ``text``, ``number``, or ``numbers`` for a list of nothing but numbers. In texts
the backslash and what XML cannot hold are written ``\uXXXX``.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

from dyn_core.errors import ModelError
from dyn_core.readers.json.plain_values import (
    KEY,
    MAX_DEPTH,
    WORDS,
    Plain,
    check_depth,
    check_size,
    is_number,
    parse_number,
    too_deep,
)

ROOT, ITEM = "dyn_core", "item"
KINDS = ("map", "list", "text", "number", "numbers")
UNWRITABLE = re.compile("[^\t\n -\\[\\]-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The backslash, which escapes; characters that XML does not allow; and CR, which XML changes."""
ESCAPED = re.compile(r"\\u([0-9a-f]{4})")


def encode(document: Plain) -> str:
    """XML text, indented."""
    root = _element(ROOT, document)
    ET.indent(root, " ")
    text = '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, "unicode") + "\n"
    check_size(text)
    return text


def decode(text: str) -> object:
    """The plain data of an XML text.

    Raises:
        ModelError: it is not such XML, too long or nested too deeply. A document type is refused,
            and with it all entities but the five of XML.
    """
    check_size(text)
    if "<!DOCTYPE" in text:
        raise ModelError(
            "the XML has a document type (<!DOCTYPE>), which could hold anything; remove it"
        )
    try:
        document: object = ET.XML(text, ET.XMLParser(target=_XmlReader()))
    except (ET.ParseError, ValueError, LookupError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"this is not XML: {error}; the text is damaged or foreign") from error
    check_depth(document)
    return document


def _element(tag: str, value: Plain) -> ET.Element:
    element = ET.Element(tag)
    if isinstance(value, dict):
        kind = "map"
        element.extend(_element(key, item) for key, item in value.items())
    elif isinstance(value, list) and value and all(map(is_number, value)):
        kind, element.text = "numbers", " ".join(map(str, value))
    elif isinstance(value, list):
        kind = "list"
        element.extend(_element(ITEM, item) for item in value)
    elif isinstance(value, str):
        kind, element.text = "text", UNWRITABLE.sub(lambda m: f"\\u{ord(m[0]):04x}", value)
    else:
        kind, element.text = "number", str(value)
    element.set("is", kind)
    return element


@dataclass
class _Open:
    """An open element."""

    tag: str
    kind: str
    text: list[str] = field(default_factory=list)
    children: list[tuple[str, object]] = field(default_factory=list)


class _XmlReader:
    """Receives elements from the parser, and refuses a wrong one at its begin."""

    def __init__(self) -> None:
        self.open = [_Open("", "list")]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        kind, parent = attributes.get("is", ""), self.open[-1]
        if kind not in KINDS or len(attributes) != 1:
            raise ModelError(
                f"<{tag:.100}> needs the attribute is='...', one of {', '.join(KINDS)}"
            )
        if parent.kind not in ("map", "list"):
            raise ModelError(f"<{parent.tag}> is a {parent.kind}; it cannot hold <{tag:.100}>")
        if len(self.open) > MAX_DEPTH + 2:
            raise too_deep()
        expected = ITEM if len(self.open) > 1 else ROOT
        if not KEY.fullmatch(tag) or (parent.kind == "list" and tag != expected):
            raise ModelError(f"<{tag:.100}> cannot be in <{parent.tag}>; use <{expected}>")
        self.open.append(_Open(tag, kind))

    def data(self, text: str) -> None:
        """Add text to the innermost element."""
        self.open[-1].text.append(text)

    def end(self, tag: str) -> None:
        """Close an element."""
        element = self.open.pop()
        self.open[-1].children.append((tag, _value(element)))

    def close(self) -> object:
        """The value of the root, at the end of the document."""
        ((_, document),) = self.open[0].children
        return document


def _value(element: _Open) -> object:
    text = "".join(element.text)
    if element.kind == "text":
        return _unescaped(text)
    if element.kind == "number":
        return parse_number(text)
    if element.kind == "numbers":
        return [token if token in WORDS else parse_number(token) for token in text.split()]
    if text.strip():
        raise ModelError(
            f"<{element.tag}> is a {element.kind}; it cannot hold '{text.strip():.50}'"
        )
    if element.kind == "list":
        return [value for _, value in element.children]
    result = dict(element.children)
    if len(result) != len(element.children):
        raise ModelError(f"a field of <{element.tag}> is there more than once; keep one")
    return result


def _unescaped(text: str) -> str:
    if "\\" in ESCAPED.sub("", text):
        raise ModelError(f"'{text:.50}' holds a backslash; write it as \\u005c")
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
