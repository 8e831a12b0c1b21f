# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The XML of MJCF: text, included files, default classes, and attributes checked by name."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dyn_core.errors import ModelError
from dyn_core.readers.mjcf.refusals import (
    ACTUATORS,
    KNOWN,
    ORIENTATIONS,
    PARTIAL,
    REFUSED,
    SECTIONS,
)
from dyn_core.readers.parsing import parse_xml, read_numbers, read_text

MAIN = "main"
"""The class of all elements that name none."""
BARE = " "
"""The class of elements that have all attributes themselves."""
Attributes = dict[str, str]


@dataclass(frozen=True)
class ElementFields:
    """The attributes of one element, those of its default class included."""

    where: str
    """The description of the element in errors."""
    values: Mapping[str, str]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def numbers(self, name: str, default: Sequence[float], least: int | None = None) -> list[float]:
        """As many numbers as ``default`` has, or at least ``least``: the rest is the default's."""
        text = self.values.get(name)
        if text is None:
            return list(default)
        found = read_numbers(text, f"{self.where}: {name}='{text}'", len(default), least)
        return found + list(default)[len(found) :]

    def number(self, name: str, default: float) -> float:
        """One number."""
        return self.numbers(name, [default])[0]

    def word(self, name: str, known: Sequence[str], default: str) -> str:
        """One of the words that are ``known``."""
        word = self.values.get(name, default)
        if word not in known:
            words = ", ".join(known)
            raise ModelError(f"{self.where}: {name}='{word}' is unknown; use one of {words}")
        return word

    def flag(self, name: str, default: bool) -> bool:
        """``true`` or ``false``."""
        return self.word(name, ("true", "false"), str(default).lower()) == "true"

    def required(self, name: str) -> str:
        """The text of a required attribute."""
        if not self.values.get(name):
            raise ModelError(f"{self.where} has no {name}; give it one")
        return self.values[name]


class Document:
    """A parsed MJCF file with what it includes.

    Raises:
        ModelError: it cannot be read, or an attribute or class is unknown.
    """

    def __init__(self, source: str | os.PathLike[str], ignore: frozenset[str]) -> None:
        self.ignore = ignore
        text = read_text(source, "MJCF")
        is_text = isinstance(source, str) and text is source
        self.folder = None if is_text else Path(source).parent
        """The folder of the main file; None for a text."""
        self.root = _expanded(parse_xml(text, "MJCF"), self.folder)
        if self.root.tag != "mujoco":
            raise ModelError(f"the XML is a <{self.root.tag}>, not MJCF: its root must be <mujoco>")
        for section in self.root:
            if section.tag not in SECTIONS:
                self.refuse_unknown(section.tag, "the MJCF", "element")
        self._classes = {BARE: {}, **_default_classes(self.sections("default"))}

    def sections(self, tag: str) -> list[ET.Element]:
        """All sections of this name, which count as one."""
        return self.root.findall(tag)

    def in_sections(self, tag: str) -> Iterator[ET.Element]:
        """The elements of all sections of this name."""
        for section in self.sections(tag):
            yield from section

    def refuse(self, key: str, where: str) -> None:
        """Refuse elements that no Model can represent, unless the user chose to leave them out."""
        if key not in self.ignore:
            raise ModelError(
                f"{where}: {REFUSED[key]}; remove it, or leave it out by reading the robot with "
                f"ignore=('{key}',)"
            )

    def refuse_unknown(self, name: str, where: str, what: str) -> None:
        """Refuse an element or attribute that MJCF does not have, unless it is to be ignored."""
        if name not in self.ignore:
            raise ModelError(
                f"{where}: MJCF has no {what} '{name}' there; correct its name, or leave it out by "
                f"reading the robot with ignore=('{name}',)"
            )

    def known_class(self, name: str, where: str) -> str:
        """``name``, checked to be a default class."""
        if name not in self._classes:
            raise ModelError(f"{where}: there is no default class '{name}'; define it or rename it")
        return name

    def fields(
        self, element: ET.Element, where: str, class_: str = MAIN, kind: str | None = None
    ) -> ElementFields:
        """The attributes of an element whose class is ``class_`` unless it names one.

        ``kind`` is its entry in :data:`KNOWN` and in the default classes, by default its tag.
        """
        kind = kind or element.tag
        own = dict(element.attrib)
        for name in own.keys() - KNOWN.get(kind, own.keys()):
            self.refuse_unknown(name, where, "attribute")
            del own[name]
        class_ = self.known_class(own.pop("class", class_), where)
        if sum(name in own for name in ORIENTATIONS) > 1:
            raise ModelError(f"{where} has several orientations; keep one")
        return ElementFields(where, _overlaid(self._classes[class_].get(kind, {}), own))


def _expanded(root: ET.Element, folder: Path | None) -> ET.Element:
    """The document with each ``<include>`` replaced by the elements of its file."""
    included: set[Path] = set()
    stack = [(root, folder)]
    while stack:
        parent, here = stack.pop()
        pending = deque((child, here) for child in parent)
        children: list[ET.Element] = []
        while pending:
            child, where = pending.popleft()
            if child.tag != "include":
                children.append(child)
                stack.append((child, where))
                continue
            path = _included_path(child, [folder, where])
            if path in included:
                raise ModelError(f"the file '{path}' is included twice; include it once")
            included.add(path)
            inner = parse_xml(read_text(path, "MJCF"), f"MJCF file '{path}'")
            pending.extendleft((element, path.parent) for element in reversed(inner))
        parent[:] = children
    return root


def _included_path(include: ET.Element, folders: Sequence[Path | None]) -> Path:
    """The path of an included file: relative to the main file, else to the including file."""
    file = include.get("file")
    if not file:
        raise ModelError("an <include> names no file; give it file='...' or remove it")
    known = [folder for folder in folders if folder is not None]
    if not known:
        raise ModelError(
            f"the MJCF text includes '{file}', but a text has no folder where to look for it; give "
            "the path of the MJCF file instead"
        )
    paths = [folder / file for folder in known]
    try:
        return next((path for path in paths if path.is_file()), paths[0]).resolve()
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot include '{file}': {error}; correct its path") from error


def _default_classes(sections: Sequence[ET.Element]) -> dict[str, dict[str, Attributes]]:
    """For each class the attributes by kind of element, including those of its parent classes."""
    classes: dict[str, dict[str, Attributes]] = {MAIN: {}}
    for section in sections:
        if section.get("class", MAIN) != MAIN:
            raise ModelError(
                f"the outermost default class is called '{section.get('class')}'; put it into a "
                "<default> without class"
            )
        stack = [(section, MAIN)]
        while stack:
            element, name = stack.pop()
            for entry in element:
                if entry.tag != "default":
                    _set_default(classes[name], entry, name)
            for inner in element.findall("default"):
                inner_name = inner.get("class")
                if not inner_name:
                    raise ModelError(f"a class in the default class '{name}' has no name")
                if inner_name in classes:
                    raise ModelError(f"the default class '{inner_name}' is defined twice")
                classes[inner_name] = dict(classes[name])
                stack.append((inner, inner_name))
    return classes


def _set_default(entries: dict[str, Attributes], entry: ET.Element, name: str) -> None:
    kind = "actuator" if entry.tag in ACTUATORS else entry.tag
    for attribute in entry.attrib.keys() - KNOWN.get(kind, entry.attrib.keys()):
        raise ModelError(
            f"default class '{name}': a {kind} has no attribute '{attribute}'; correct its name"
        )
    entries[kind] = _overlaid(entries.get(kind, {}), entry.attrib)


def _overlaid(base: Attributes, own: Attributes) -> Attributes:
    """``own`` attributes before those of ``base``."""
    if any(name in own for name in ORIENTATIONS):
        base = {name: text for name, text in base.items() if name not in ORIENTATIONS}
    merged = {**base, **own}
    for name in PARTIAL & base.keys() & own.keys():
        first, rest = own[name].split(), base[name].split()
        merged[name] = " ".join(first + rest[len(first) :])
    return merged
