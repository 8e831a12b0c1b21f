# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF's ``<replicate>``: copies of elements, each placed relative to the previous one."""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET
from collections.abc import Iterable

from dyn_core.errors import ModelError
from dyn_core.readers.mjcf.document import Document, ElementFields
from dyn_core.readers.mjcf.settings import MjcfSettings
from dyn_core.spatial import Vector3

MOST_COPIES = 10_000


def expand_replicas(document: Document, settings: MjcfSettings) -> None:
    """Put the copies in place of each ``<replicate>``, as MuJoCo's compiler does.

    Copy k is turned by k times the angles ``euler`` and moved by ``offset`` from copy k - 1, in the
    axes of that one. Names get ``sep`` and k appended, with as many digits as the count has.
    References to these names from elsewhere are not copied.

    Raises:
        ModelError: a count that is none, or an unknown attribute.
    """
    for section in document.sections("worldbody"):
        parents = [section]
        for element in section.iter():
            if element is not section:
                parents.append(element)
        for parent in reversed(parents):  # inner ones first
            parent[:] = [
                inner
                for child in parent
                for inner in (
                    _copies(document, settings, child) if child.tag == "replicate" else [child]
                )
            ]


def _copies(document: Document, settings: MjcfSettings, element: ET.Element) -> list[ET.Element]:
    if "replicate" in document.ignore:
        return []
    fields = document.fields(element, "a <replicate>")
    count = fields.number("count", -1.0)
    if count != int(count) or not 0 <= count <= MOST_COPIES:
        raise ModelError(f"{fields.where}: its count must be an integer from 0 to {MOST_COPIES}")
    common = {"childclass": fields.values["childclass"]} if "childclass" in fields else {}
    offset = Vector3(*fields.numbers("offset", (0.0, 0.0, 0.0)))
    angles = fields.numbers("euler", (0.0, 0.0, 0.0))
    position, copies = Vector3.zero(), []
    for number in range(int(count)):
        euler = _words(number * angle for angle in angles)
        frame = ET.Element("frame", {"pos": _words(position), "euler": euler, **common})
        suffix = f"{fields.values.get('sep', '')}{number:0{len(str(int(count)))}d}"
        frame.extend(_renamed(child, suffix) for child in element)
        copies.append(frame)
        turned = settings.rotation(ElementFields(fields.where, {"euler": euler}))
        position = position + turned.apply(offset)
    return copies


def _words(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def _renamed(element: ET.Element, suffix: str) -> ET.Element:
    result = copy.deepcopy(element)
    for inner in result.iter():
        if inner.get("name"):
            inner.set("name", f"{inner.get('name')}{suffix}")
    return result
