# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The part of a URDF that concerns dynamics, selected by the schema."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from dyn_core.errors import ModelError
from dyn_core.readers.parsing import read_numbers
from dyn_core.readers.urdf.ignored_elements import note_on_setting, notes_within
from dyn_core.readers.urdf.rotors import add_rotors
from dyn_core.readers.urdf.schema import (
    DRAKE,
    DRAKE_LIMITS,
    DYNAMIC_TAGS,
    HINTS,
    SCHEMA,
    Element,
    is_drakes,
    is_foreign,
    local_name,
)

NAMED_ELEMENTS = ("link", "joint")
"""Elements that may be repeated, distinguished by their names."""
MAX_LISTED = 3
"""The number of owners that a note names."""
SYMMETRIC_ENTRIES = {"iyx": "ixy", "izx": "ixz", "izy": "iyz"}
"""Products of inertia that some files give twice."""
MIN_NAME_SIMILARITY = 0.65
"""How much two names must have in common for the one to be suggested for the other."""
VERSIONS = "1.0", "1.1", "1.2"
"""The versions of URDF that there are."""
QUATERNIONS_SINCE = "1.1"
"""The version of URDF whose origins may have quat_xyzw."""


class Relevant:
    """Copies the elements of dynamics, refuses unknown ones, and reports those ignored.

    Args:
        ignore: names of elements and attributes to pass over although they are unknown, or change
            the dynamics.
    """

    def __init__(self, ignore: Collection[str] = ()) -> None:
        self.ignore = frozenset([ignore] if isinstance(ignore, str) else ignore)
        self._passed: dict[str, list[str]] = {}
        self._refused: dict[str, str] = {}
        """Unknown names, each with where it is first and a hint."""
        self._version = VERSIONS[0]

    def copy_of(self, root: ET.Element) -> ET.Element:
        """The robot with the elements of dynamics alone.

        Raises:
            ModelError: it has unknown elements or attributes; the message names each with the first
                link or joint that has it.
        """
        if "version" not in self.ignore:
            self._version = root.get("version", VERSIONS[0])
        if self._version not in VERSIONS:
            raise ModelError(
                f"<robot version='{self._version:.100}'> is none of the versions of URDF, "
                f"{', '.join(VERSIONS)}, and ROS refuses it too; correct it "
                f"({to_ignore('version')})"
            )
        copy = ET.Element("robot")
        self._copy(root, copy, "the robot")
        copy.set("name", root.get("name") or "robot")
        if self._refused:
            names = tuple(self._refused)
            raise ModelError(f"{'; '.join(self._refused.values())} ({to_ignore(*names)})")
        for owner, what in add_rotors(root, copy):
            self._note(what, owner)
        for what, owners in self._passed.items():
            owners = list(dict.fromkeys(owners))
            more = f" and {len(owners) - MAX_LISTED} more" if len(owners) > MAX_LISTED else ""
            warnings.warn(f"URDF: {', '.join(owners[:MAX_LISTED])}{more}: {what}", stacklevel=2)
        return copy

    def _copy(self, element: ET.Element, copy: ET.Element, owner: str) -> None:
        schema = SCHEMA[element.tag]
        for name, text in element.attrib.items():
            own = local_name(name)
            of_drake = element.tag == "limit" and is_drakes(name) and own in DRAKE_LIMITS
            if name in schema.attributes or (of_drake and own not in element.attrib):
                self._check_attribute(element, own, text, owner)
                copy.set(own, text)
            else:
                self._pass_attribute(element, name, owner)
        self._check_text(element, owner)
        if missing := [name for name in schema.zero_if_missing.split() if name not in copy.attrib]:
            self._note(f"<{element.tag}> has no {', '.join(missing)}, read as 0", owner)
            copy.attrib.update(dict.fromkeys(missing, "0"))
        counts = Counter(child.tag for child in element)
        for child in element:
            inner = f"{child.tag} '{child.get('name')}'" if child.tag in NAMED_ELEMENTS else owner
            if child.tag in schema.children.split():
                if counts[child.tag] > 1 and child.tag not in NAMED_ELEMENTS:
                    raise ModelError(
                        f"{owner} has {counts[child.tag]} <{child.tag}> elements; keep one"
                    )
                self._copy(child, ET.SubElement(copy, child.tag), inner)
            else:
                self._pass_element(child, element.tag, owner)

    def _note(self, what: str, owner: str) -> None:
        self._passed.setdefault(what, []).append(owner)

    def _pass_attribute(self, element: ET.Element, name: str, owner: str) -> None:
        schema = SCHEMA[element.tag]
        if name in schema.ignored.split():
            if note := note_on_setting(name, element.attrib[name], element.tag):
                self._note(note, owner)
            return
        where = f"{owner}: {name}='{element.attrib[name]:.100}' of <{element.tag}>"
        if name in SYMMETRIC_ENTRIES and _is_equal(
            element.attrib[name], element.get(SYMMETRIC_ENTRIES[name])
        ):
            return
        if name not in self.ignore and name in schema.only_zero.split():
            _check_zero(name, [element.attrib[name]], where)
        elif name not in {*self.ignore, *schema.reported.split()} and not is_foreign(name):
            self._refuse(where, name, schema)
            return
        self._note(f"{local_name(name)}= of <{element.tag}> is ignored", owner)

    def _pass_element(self, element: ET.Element, parent: str, owner: str) -> None:
        """Pass over an element, or refuse it if it may mean something."""
        tag, schema = element.tag, SCHEMA[parent]
        name = local_name(tag)
        where, note = f"{owner}: <{tag}> in <{parent}>", f"<{name}> in <{parent}> is ignored"
        if name in self.ignore or tag in schema.reported.split():
            self._note(note, owner)
        elif tag in schema.only_zero.split():
            moved = {"xyz"} if parent == "robot" else set()  # gravity stays where it is
            numbers = [pair for e in element.iter() for pair in e.attrib.items()]
            _check_zero(tag, [text for key, text in numbers if key not in moved], where)
            self._note(note, owner)
        elif is_foreign(tag):
            if name in DYNAMIC_TAGS:
                raise ModelError(
                    f"{owner}: the extension <{name}> changes the dynamics, and is not read; "
                    f"{DYNAMIC_TAGS[name]}, and remove it, or leave it out ({to_ignore(name)})"
                )
            if not is_drakes(tag) or name not in DRAKE.split():
                self._note(f"the extension <{name}> is ignored", owner)
        elif tag in schema.ignored.split():
            named = element.get("name", element.get("reference"))
            inside = owner if named is None or owner != "the robot" else f"{tag} '{named}'"
            for whose, what in notes_within(element, inside):
                self._note(what, whose)
        else:
            self._refuse(where, tag, schema)

    def _refuse(self, where: str, name: str, schema: Element) -> None:
        near = get_close_matches(name, schema.names(), 1, MIN_NAME_SIMILARITY)
        hint = f"do you mean '{near[0]}'?" if near else "correct its name or remove it"
        self._refused.setdefault(name, f"{where} is unknown to URDF; {HINTS.get(name, hint)}")

    def _check_attribute(self, element: ET.Element, name: str, text: str, owner: str) -> None:
        schema = SCHEMA[element.tag]
        if name in schema.words.split():
            return
        where = f"{owner}: {name}='{text:.100}' of <{element.tag}>"
        numbers = read_numbers(text, where, schema.count(name), infinite=schema.may_be_infinite)
        if name != "quat_xyzw":
            return
        if "rpy" in element.attrib:
            raise ModelError(f"{where}: there is an rpy too; keep one of them")
        if not any(numbers):
            raise ModelError(f"{where} is no orientation; give it unit length")
        if self._version < QUATERNIONS_SINCE:
            raise ModelError(
                f"{where} belongs to URDF 1.1 and later, and readers of older versions drop it; "
                'write <robot version="1.1">, or give the orientation as rpy'
            )

    def _check_text(self, element: ET.Element, owner: str) -> None:
        """Text beside elements is a slip; text instead of them may be a number that was meant."""
        texts = [element.text, *(child.tail for child in element)]
        for text in filter(None, (text.strip() for text in texts if text)):
            if not SCHEMA[element.tag].children:
                raise ModelError(
                    f"{owner}: <{element.tag}> holds the text '{text:.100}', which means nothing "
                    "in URDF; write it as an attribute, or remove it"
                )
            self._note(f"the text '{text:.100}' in <{element.tag}> is ignored", owner)


def _is_equal(text: str, other: str | None) -> bool:
    try:
        return other is not None and float(text) == float(other)
    except ValueError:
        return False


def _check_zero(name: str, texts: Iterable[str], where: str) -> None:
    texts = [text for text in texts if any(read_numbers(text, where, 3, 1))]
    if texts:
        hint = HINTS.get(name, "move it to where it belongs (an <inertial>, a <visual>, a <joint>)")
        raise ModelError(
            f"{where}: '{texts[0]:.100}' has no meaning there; {hint}, or leave it out "
            f"({to_ignore(name)})"
        )


def to_ignore(*names: str) -> str:
    """How users of Python, of the command line and of nodes leave names out."""
    listed = ", ".join(map(repr, names))
    return (
        f"Python: ignore=({listed},); command line: --ignore {','.join(names)}; nodes: parameter "
        f"ignore: [{', '.join(names)}]"
    )
