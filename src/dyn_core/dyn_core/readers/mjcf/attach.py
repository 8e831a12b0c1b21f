# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF's ``<attach>``: parts of this or other files, inserted under new names."""

from __future__ import annotations

import copy
import os
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from dyn_core.errors import ModelError
from dyn_core.readers.mjcf.detached import BROUGHT, Detached
from dyn_core.readers.mjcf.document import MAIN, Document, ElementFields
from dyn_core.readers.mjcf.replicate import expand_replicas
from dyn_core.readers.mjcf.settings import MjcfSettings, read_settings

SHARED = (
    "autolimits", "inertiafromgeom", "inertiagrouprange", "balanceinertia", "boundmass",
    "boundinertia", "alignfree", "fitaabb", "discardvisual", "fusestatic",
)  # fmt: skip
"""Settings of the compiler that the parts of both files must have in common."""
ACTING = ("stiffness", "damping", "frictionloss", "armature")
Loaded = tuple[Document, MjcfSettings]


def read_document(source: str | os.PathLike[str], ignore: frozenset[str]) -> Loaded:
    """A document with attached and replicated elements inserted, and its settings.

    Raises:
        ModelError: it is broken, or a part cannot be attached.
    """
    return _loaded(Document(source, ignore), ())


def _loaded(document: Document, around: tuple[Path, ...]) -> Loaded:
    settings = read_settings(document)
    if "attach" not in document.ignore:
        _Attachments(document, settings, around).expand()
    settings = read_settings(document)
    expand_replicas(document, settings)
    return document, settings


class _Attachments:
    """Puts the parts that a document attaches in place."""

    def __init__(
        self, document: Document, settings: MjcfSettings, around: tuple[Path, ...]
    ) -> None:
        self.document = document
        self.settings = settings
        self.around = around
        """The files in which this one is attached."""
        self.itself = copy.deepcopy(document.root)
        self._documents: dict[str, Loaded] = {}

    def expand(self) -> None:
        """Replace each ``<attach>`` by the part that it names.

        Raises:
            ModelError: there is no part of that name, or it cannot be attached.
        """
        for section in self.document.sections("worldbody"):
            stack = [(section, False)]
            while stack:
                parent, copied = stack.pop()
                copied = copied or parent.tag == "replicate"
                parent[:] = [
                    inner
                    for child in parent
                    for inner in (self._parts(child, copied) if child.tag == "attach" else [child])
                ]
                stack.extend((child, copied) for child in parent)

    def _parts(self, element: ET.Element, copied: bool) -> list[ET.Element]:
        where = f"<attach prefix='{element.get('prefix', '')}'>"
        unknown = element.attrib.keys() - {"model", "body", "frame", "prefix"}
        for name in sorted(unknown):
            self.document.refuse_unknown(name, where, "attribute")
        if "prefix" not in element.attrib:
            raise ModelError(f"{where} has no prefix; give it one, which may be empty")
        kind = next((kind for kind in ("body", "frame") if kind in element.attrib), None)
        if "model" in element.attrib:
            document, settings = self._document(element.attrib["model"], where)
            root = document.root
        elif kind is None:
            raise ModelError(f"{where} names no model, body or frame; give it one")
        else:
            document, settings, root = self.document, self.settings, self.itself
        detached = Detached(document, settings, self.settings.angle_unit, element.attrib["prefix"])
        parts = self._taken(detached, root, kind, element, where)
        if document is not self.document:
            self._bring(detached, copied, where)
        return parts

    def _taken(
        self,
        detached: Detached,
        root: ET.Element,
        kind: str | None,
        element: ET.Element,
        where: str,
    ) -> list[ET.Element]:
        """The body, the frame or all that is in the world."""
        worlds = root.findall("worldbody")
        if kind is None:
            return [detached.part(child, MAIN) for world in worlds for child in world]
        name = element.attrib[kind]
        for world in worlds:
            for found, class_ in _with_class(world):
                if found.tag == kind and found.get("name") == name:
                    return [detached.part(found, class_)]
        raise ModelError(f"{where}: there is no {kind} '{name}' to attach; correct the name")

    def _bring(self, detached: Detached, copied: bool, where: str) -> None:
        """Add elements of other sections that refer to attached parts alone, such as meshes."""
        for section, tag in (("asset", "mesh"), *((section, None) for section in BROUGHT)):
            elements = [e for e in detached.sections(section) if tag in (None, e.tag)]
            if copied and any(_acts(section, e) for e in elements):
                self.document.refuse(
                    "attach", f"{where} in a <replicate>, whose {section} would be copied"
                )
                continue
            if elements:
                ET.SubElement(self.document.root, section).extend(elements)

    def _document(self, model: str, where: str) -> Loaded:
        """The document of a model asset, which must have the settings that both share.

        Raises:
            ModelError: there is none, it attaches itself, or it differs in a setting.
        """
        if model in self._documents:
            return self._documents[model]
        assets = [e for e in self.document.in_sections("asset") if e.tag == "model"]
        asset = next((e for e in assets if self._name(e) == model), None)
        if asset is None:
            raise ModelError(f"{where}: there is no model '{model}' in <asset>; correct the name")
        path = self._path(asset, where)
        if path in self.around:
            raise ModelError(f"{where}: the file '{path}' attaches itself in the end")
        loaded = _loaded(Document(path, self.document.ignore), (*self.around, path))
        for name in SHARED:
            own, other = getattr(self.settings, name), getattr(loaded[1], name)
            if own != other:
                what = f"the file '{path}', which has {name} {other}, not {own}"
                self.document.refuse("attach", f"{where}: {what}")
        if self.settings.strippath:
            self.document.refuse("attach", f"{where}: <compiler strippath> loses its meshes")
        self._adopt_options(loaded[0])
        self._documents[model] = loaded
        return loaded

    def _adopt_options(self, other: Document) -> None:
        """Take options that this document does not say; else its own count, as MuJoCo warns."""
        compilers = self.document.sections("compiler")
        policies = [c.attrib["conflict"] for c in compilers if "conflict" in c.attrib]
        if policies[-1:] == ["merge"]:
            self.document.root[:0] = [copy.deepcopy(option) for option in other.sections("option")]

    def _path(self, element: ET.Element, where: str) -> Path:
        folder, file = self.document.folder, element.get("file")
        if not file:
            raise ModelError(f"{where}: its <model> names no file; give it one")
        if folder is None:
            words = f"the file '{file}', but a text has no folder where to look for it"
            self.document.refuse("attach", f"{where}: {words}")
        return ((folder or Path()) / file).resolve()

    def _name(self, element: ET.Element) -> str:
        """The name of a model asset: its attribute, or the name within its file."""
        if element.get("name"):
            return element.attrib["name"]
        path = self._path(element, "<model> of <asset>")
        return Document(path, self.document.ignore).root.get("model") or "MuJoCo Model"


def _with_class(world: ET.Element) -> Iterator[tuple[ET.Element, str]]:
    """All elements in the world, each with the default class around it."""
    stack = [(child, MAIN) for child in reversed(world)]
    while stack:
        element, class_ = stack.pop()
        yield element, class_
        inside = element.get("childclass", class_)
        stack.extend((child, inside) for child in reversed(element))


def _acts(section: str, element: ET.Element) -> bool:
    """Whether motion depends on something that a document brings."""
    if section == "equality":
        return element.get("active", "true") != "false"
    fields = ElementFields(f"a <{element.tag}> to attach", element.attrib)
    return section in BROUGHT and any(
        any(fields.numbers(name, [0.0] * 3, least=1)) for name in ACTING
    )
