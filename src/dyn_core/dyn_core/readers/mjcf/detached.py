# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Parts of a document made independent of it: prefixed names, no defaults, no own units."""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from dyn_core.readers.mjcf.document import BARE, Document, ElementFields
from dyn_core.readers.mjcf.refusals import ACTUATORS, ORIENTATIONS
from dyn_core.readers.mjcf.settings import MjcfSettings
from dyn_core.readers.parsing import read_numbers
from dyn_core.spatial import quaternion

BROUGHT = ("equality", "tendon", "actuator")
"""Sections whose elements are inserted too if they refer to attached parts alone."""
CONTAINERS = ("body", "frame")
SHOWN = ("camera", "light")
REFERENCES = {
    "body1": "body", "body2": "body", "joint1": "joint", "joint2": "joint", "site1": "site",
    "site2": "site", "tendon1": "tendon", "tendon2": "tendon", "joint": "joint", "site": "site",
    "jointinparent": "joint", "tendon": "tendon", "geom": "geom", "sidesite": "site",
    "body": "body", "refsite": "site", "cranksite": "site", "slidersite": "site",
}  # fmt: skip
"""Attributes by which elements of :data:`BROUGHT` refer to others, and the kinds of these."""


class Detached:
    """Takes parts out of a document, each name of which gets a prefix.

    Defaults become attributes of the elements themselves, orientations quaternions, angles those
    of the other document (whose unit is ``angle_unit`` rad), mesh files absolute paths.
    """

    def __init__(
        self, document: Document, settings: MjcfSettings, angle_unit: float, prefix: str
    ) -> None:
        self.document = document
        self.settings = settings
        self.angle_factor = settings.angle_unit / angle_unit
        self.prefix = prefix
        self.taken: set[tuple[str, str]] = set()
        """Kind and name of all that was taken."""

    def part(self, element: ET.Element, class_: str) -> ET.Element:
        """A body or frame with all that is in it, or another part of a body."""
        if element.tag in CONTAINERS:
            inside = element.get("childclass", class_)
            self.document.known_class(inside, f"a <{element.tag}> to attach")
            values = {k: v for k, v in element.attrib.items() if k != "childclass"}
            made = self._made(element, values)
            made.extend(self.part(child, inside) for child in element if child.tag not in SHOWN)
            return made
        if element.tag in ("joint", "geom", "site"):
            where = f"a <{element.tag}> to attach"
            fields = self.document.fields(element, where, class_)
            made = self._made(element, dict(fields.values), BARE)
        else:  # such as an <inertial>, which has no defaults
            made = self._made(element, dict(element.attrib))
        made.extend(copy.deepcopy(child) for child in element)
        return made

    def sections(self, section: str) -> Iterator[ET.Element]:
        """The elements of a section that refer to taken parts alone."""
        for element in self.document.in_sections(section):
            if section == "asset":
                if element.tag == "mesh":
                    yield self._mesh(element)
                continue
            kind = "actuator" if element.tag in ACTUATORS else section
            fields = self.document.fields(element, f"a <{element.tag}> to attach", kind=kind)
            made = ET.Element(element.tag, {**fields.values, "class": BARE})
            made.extend(copy.deepcopy(child) for child in element)
            if self._refers_to_taken(made):
                if made.get("name"):
                    self.taken.add((section, made.attrib["name"]))
                    made.set("name", self.prefix + made.attrib["name"])
                yield made

    def _made(
        self, element: ET.Element, values: dict[str, str], class_: str | None = None
    ) -> ET.Element:
        """An element with the same meaning in the other document."""
        fields = ElementFields(f"a <{element.tag}> to attach", values)
        if any(name in values for name in ORIENTATIONS[1:]):
            x, y, z, w = quaternion.of_matrix(self.settings.rotation(fields))
            values = {k: v for k, v in values.items() if k not in ORIENTATIONS}
            values["quat"] = _text([float(n) for n in (w, x, y, z)])
        if element.tag == "joint" and values.get("type", "hinge") in ("hinge", "ball"):
            for name in {"range", "ref", "springref"} & values.keys():
                numbers = read_numbers(values[name], f"{fields.where}: {name}", 2, 1)
                values[name] = _text([x * self.angle_factor for x in numbers])
        if values.get("name"):
            kind = "joint" if element.tag == "freejoint" else element.tag
            self.taken.add((kind, values["name"]))
            values["name"] = self.prefix + values["name"]
        if values.get("mesh"):
            values["mesh"] = self.prefix + values["mesh"]
        if class_ is not None:
            values["class"] = class_
        return ET.Element(element.tag, values)

    def _mesh(self, element: ET.Element) -> ET.Element:
        values = dict(self.document.fields(element, "a <mesh> to attach").values)
        file = Path(values.get("file", "").replace("\\", "/"))
        values["name"] = self.prefix + (values.get("name") or file.stem)
        if "file" in values and self.document.folder is not None:
            name = file.name if self.settings.strippath else file
            path = (self.document.folder / self.settings.meshdir / name).resolve()
            values["file"] = str(path)
        made = ET.Element("mesh", {**values, "class": BARE})
        made.extend(copy.deepcopy(child) for child in element)
        return made

    def _refers_to_taken(self, element: ET.Element) -> bool:
        """Whether all that it refers to was taken; then it refers to the new names."""
        pairs = [
            (inner, attribute, kind)
            for inner in element.iter()
            for attribute, kind in REFERENCES.items()
            if inner.get(attribute)
        ]
        if not all(
            (kind, inner.attrib[attribute]) in self.taken for inner, attribute, kind in pairs
        ):
            return False
        for inner, attribute, _ in pairs:
            inner.set(attribute, self.prefix + inner.attrib[attribute])
        return bool(pairs)


def _text(numbers: list[float]) -> str:
    return " ".join(map(repr, numbers))
