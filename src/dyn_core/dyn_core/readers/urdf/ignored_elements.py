# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Notes on elements of a URDF that do not concern dynamics, and on what they hold."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

from dyn_core.readers.urdf.schema import (
    ALLOWED_NAMES,
    DRAKE,
    REPLACEMENTS,
    is_drakes,
    is_foreign,
    local_name,
)

INACTIVE_VALUES = frozenset({"", "0", "false", "auto"})
"""Values with which a setting of another tool has no effect."""


def note_on_setting(name: str, value: str, tag: str) -> str:
    """What a setting that is ignored changes in other tools; empty if nothing."""
    advice = _advice(name, value)
    return f"{name} in <{tag}> is for other tools, and not read; {advice}" if advice else ""


def notes_within(element: ET.Element, owner: str) -> Iterator[tuple[str, str]]:
    """Reports unknown names, and what changes the dynamics in other tools: owner and note of each.

    Args:
        element: in a URDF, ignored by the reader.
        owner: the link or other part that has the element, in words.
    """
    for what in _unknown(element):
        yield owner, what
    top = local_name(element.tag)
    for inner in element.iter():
        # Drake's elements in a transmission are read, or reported where they are.
        is_read = top == "transmission" and is_drakes(inner.tag)
        is_read = is_read and local_name(inner.tag) in DRAKE.split()
        for name, value in _settings(inner):
            if (note := note_on_setting(name, value, top)) and not is_read:
                yield owner, note
        if inner.find("parent") is not None and inner.find("child") is not None:
            what = f"a joint in <{top}> is not read; close loops with Model.with_loop"
            yield f"joint '{inner.get('name')}'", what


def _settings(element: ET.Element) -> Iterator[tuple[str, str]]:
    """Names with their values: of the element itself, its attributes, and ros2_control's param."""
    inside = "any" if len(element) else element.text or ""
    value = element.get("value", inside)
    yield local_name(element.tag), value
    for name, text in element.attrib.items():
        yield local_name(name), text
    if element.tag == "param":
        yield element.get("name", ""), value


def _advice(name: str, value: str) -> str:
    """What to do about a setting that changes the dynamics; empty if it does not."""
    key = _letters(name)
    if key == "gravity":  # false, or a vector of zeros: no weight
        key = "turngravityoff" if _is_off(value) else key
        return REPLACEMENTS[key] if key != "gravity" or _is_tilted(value) else ""
    try:
        acts = float(value) != 0.0
    except ValueError:
        acts = value.strip().lower() not in INACTIVE_VALUES
    return REPLACEMENTS.get(key, "") if acts else ""


def _is_off(value: str) -> bool:
    """Whether a setting is false, or all its numbers are 0."""
    try:
        return not any(float(x) for x in value.split()) and bool(value.strip())
    except ValueError:
        return value.strip().lower() == "false"


def _is_tilted(value: str) -> bool:
    """Whether it is a vector that is not straight down in the model's axes, or not the earth's."""
    try:
        x, y, z = map(float, value.split())
    except ValueError:
        return False
    return abs(x) > 0.1 or abs(y) > 0.1 or abs(z + 9.81) > 0.1


def _unknown(element: ET.Element) -> Iterator[str]:
    """Names that are not in the list of their element, down to formats of other tools."""
    tag = local_name(element.tag)
    for name in (
        [*element.attrib, *(child.tag for child in element)] if tag in ALLOWED_NAMES else ()
    ):
        known = DRAKE if is_drakes(name) else "" if is_foreign(name) else ALLOWED_NAMES[tag]
        own = local_name(name)
        if own not in known.split() and _letters(own) not in REPLACEMENTS:
            yield f"{own} in <{tag}> is unknown, and ignored"
    for child in element if tag in ALLOWED_NAMES else ():
        if not is_foreign(child.tag):
            yield from _unknown(child)


def _letters(name: str) -> str:
    return "".join(filter(str.isalpha, name)).lower()
