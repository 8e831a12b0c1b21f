# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The bodies of MJCF in their order, with their parts, as plain descriptions."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dyn_core.errors import ModelError
from dyn_core.readers.mjcf.document import MAIN, Document, ElementFields
from dyn_core.readers.mjcf.geom import Geom, between_ends
from dyn_core.readers.mjcf.mjcf_joints import JointDescription, free_joint, read_joint
from dyn_core.readers.mjcf.refusals import BODY_PARTS, INSIDE, REFUSED
from dyn_core.readers.mjcf.settings import MjcfSettings
from dyn_core.readers.parsing import snapped
from dyn_core.spatial import SE3

WORLD = "world"


@dataclass(frozen=True)
class PlacedElement:
    """An element of a body, or of a ``<frame>`` in a body."""

    element: ET.Element
    frame: SE3
    """Placement in the body of the ``<frame>`` elements around it."""
    class_: str
    """The default class of its elements."""


@dataclass
class Body:
    """A body with the elements fixed to it, in its own frame."""

    name: str
    parent: int
    """Index of the body around it; the world is 0."""
    placement: SE3
    """In the frame of the body around it, all joints at rest."""
    is_mocap: bool = False
    """Whether it is a mocap body, which is fixed in dynamics."""
    gravcomp: float = 0.0
    """The part of its weight that something bears."""
    is_aligned: bool = False
    """Whether its free joint moves its principal axes, if nothing is mounted on it."""
    moved: SE3 = field(default_factory=SE3.identity)
    """The frame that its free joint moves: its own, or that of its principal axes."""
    joints: list[JointDescription] = field(default_factory=list)
    inertial: PlacedElement | None = None
    geoms: list[Geom] = field(default_factory=list)
    frames: list[tuple[str, SE3]] = field(default_factory=list)
    """Sites and named frames."""

    @property
    def where(self) -> str:
        """The description of the body in errors."""
        return f"body '{self.name}'"

    @property
    def is_free(self) -> bool:
        """Whether it floats."""
        return any(joint.joint.nv == 6 for joint in self.joints)


class BodyReader:
    """Reads the bodies of a document depth first: the first is the world.

    Raises:
        ModelError: a body that is broken or not supported; the message names it.
    """

    def __init__(self, document: Document, settings: MjcfSettings) -> None:
        self.document = document
        self.settings = settings
        self.bodies: list[Body] = []
        self._joints = 0
        elements = [e for w in document.sections("worldbody") for e in w.iter()]
        self._taken = {
            "body": _names(elements, ("body",), [WORLD]),
            "joint": _names(elements, ("joint", "freejoint")),
            "site": _names(elements, ("site",)),
        }

    def read(self) -> list[Body]:
        """All bodies, parents before children, siblings as the document has them."""
        sections = self.document.sections("worldbody")
        for section in sections:
            self.document.fields(section, "<worldbody>")
        world = Body(WORLD, 0, SE3.identity())
        self.bodies.append(world)
        stack: list[tuple[int, PlacedElement]] = []
        for section in reversed(sections):
            inner = list(self._fill(world, 0, section, MAIN))
            stack.extend((0, part) for part in reversed(inner))
        while stack:
            parent, part = stack.pop()
            index, body, class_ = self._add_body(parent, part)
            inner = list(self._fill(body, index, part.element, class_))
            stack.extend((index, part) for part in reversed(inner))
        return self.bodies

    def _add_body(self, parent: int, part: PlacedElement) -> tuple[int, Body, str]:
        index = len(self.bodies)
        name = self._name("body", part.element, index)
        where = f"body '{name}'"
        fields = self.document.fields(part.element, where)
        placement = snapped(part.frame * self.settings.placement(fields))
        is_mocap = fields.flag("mocap", False)  # a mocap body is fixed in dynamics
        body = Body(name, parent, placement, is_mocap, fields.number("gravcomp", 0.0))
        self.bodies.append(body)
        return index, body, self._child_class(fields, part.class_)

    def _child_class(self, fields: ElementFields, class_: str) -> str:
        return self.document.known_class(fields.values.get("childclass", class_), fields.where)

    def _fill(
        self, body: Body, index: int, element: ET.Element, class_: str
    ) -> Iterator[PlacedElement]:
        """Give a body its parts; the bodies in it are returned."""
        for part in self._parts(body, element, class_):
            if part.element.tag == "body":
                yield part
            elif index == 0 and part.element.tag in ("joint", "freejoint", "inertial"):
                raise ModelError(
                    f"the world has a <{part.element.tag}>; move it into the <body> it belongs to"
                )
            else:
                self._add_part(body, part)
        if body.is_mocap and (body.joints or body.parent != 0):
            raise ModelError(
                f"{body.where}: a mocap body must have no joint, and be right in the <worldbody>; "
                "move it there, or remove mocap"
            )
        if body.is_free and (len(body.joints) > 1 or body.parent != 0):
            raise ModelError(
                f"{body.where}: a free joint must be its only joint, and the body must be right in "
                "the <worldbody>; move it there"
            )

    def _parts(self, body: Body, element: ET.Element, class_: str) -> Iterator[PlacedElement]:
        """The elements of a body, those within ``<frame>`` included, in the document's order."""
        stack = [(iter(element), SE3.identity(), class_)]
        while stack:
            inner, frame, class_ = stack[-1]
            child = next(inner, None)
            if child is None:
                stack.pop()
            elif child.tag == "frame":
                fields = self.document.fields(child, f"a <frame> in {body.where}")
                placement = snapped(frame * self.settings.placement(fields))
                if fields.values.get("name"):
                    body.frames.append((fields.values["name"], placement))
                stack.append((iter(child), placement, self._child_class(fields, class_)))
            elif child.tag in REFUSED:
                self.document.refuse(child.tag, f"<{child.tag}> in {body.where}")
            elif child.tag not in BODY_PARTS:
                self.document.refuse_unknown(child.tag, body.where, "element")
            else:
                self._check_inside(body, child)
                yield PlacedElement(child, frame, class_)

    def _check_inside(self, body: Body, part: ET.Element) -> None:
        """Refuse elements within joints and the like, which would be lost."""
        inner = () if part.tag == "body" else part
        for child in inner:
            if child.tag not in INSIDE.get(part.tag, ()):
                self.document.refuse_unknown(
                    child.tag, f"a <{part.tag}> of {body.where}", "element"
                )

    def _add_part(self, body: Body, part: PlacedElement) -> None:
        element = part.element
        if element.tag == "geom":
            name = element.get("name")
            which = f"'{name}'" if name else f"number {len(body.geoms) + 1}"
            where = f"geom {which} of {body.where}"
            body.geoms.append(Geom(element, where, part.class_, part.frame))
        elif element.tag == "site":
            self._add_site(body, part)
        elif element.tag == "inertial":
            if body.inertial is not None:
                raise ModelError(f"{body.where} has several <inertial> elements; keep one")
            body.inertial = part
        elif element.tag in ("joint", "freejoint"):
            body.joints.append(self._joint(body, part))

    def _joint(self, body: Body, part: PlacedElement) -> JointDescription:
        name = self._name("joint", part.element, self._joints)
        self._joints += 1
        where = f"joint '{name}' of {body.where}"
        fields = self.document.fields(part.element, where, part.class_)
        if part.element.tag == "joint":
            joint = read_joint(self.document, self.settings, fields, name, part.frame)
            align = "auto"
        else:
            joint = free_joint(fields, name)
            align = fields.word("align", ("true", "false", "auto"), "auto")
        is_aligned = align == "true" or (align == "auto" and self.settings.alignfree)
        body.is_aligned = is_aligned and joint.joint.nv == 6
        return joint

    def _add_site(self, body: Body, part: PlacedElement) -> None:
        name = part.element.get("name")
        if not name:
            return
        where = f"site '{name}' of {body.where}"
        fields = self.document.fields(part.element, where, part.class_)
        placement = (
            between_ends(fields)[0] if "fromto" in fields else self.settings.placement(fields)
        )
        body.frames.append((name, snapped(part.frame * placement)))

    def _name(self, kind: str, element: ET.Element, number: int) -> str:
        """The name of a body or joint; an unnamed one is named after its number in MuJoCo."""
        name = element.get("name")
        if name:
            return name
        name = f"{kind}_{number}"
        while name in self._taken[kind]:
            name += "_"
        self._taken[kind].add(name)
        return name


def _names(
    elements: Sequence[ET.Element], tags: Sequence[str], more: Sequence[str] = ()
) -> set[str]:
    """The names of these elements and the names in use.

    Raises:
        ModelError: two have the same.
    """
    counts = Counter([*more, *(e.get("name") or "" for e in elements if e.tag in tags)])
    del counts[""]
    for name, count in counts.items():
        if count > 1:
            raise ModelError(f"{count} {tags[0]} elements are called '{name}'; rename all but one")
    return set(counts)
