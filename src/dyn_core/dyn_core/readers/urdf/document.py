# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A URDF as typed links and joints, checked.

urdf_parser_py accepts broken trees, requires correct visual geometry and reports unknown tags on
stderr. So it is given only the elements that matter to dynamics, to find missing ones, and what it
lacks is checked here, with errors that name the link or joint.
"""

from __future__ import annotations

import math
import warnings
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from urdf_parser_py.urdf import Robot

from dyn_core.errors import ModelError
from dyn_core.readers.parsing import (
    Following,
    Source,
    check_moments,
    named,
    parse_xml,
    read_text,
    snapped,
)
from dyn_core.readers.urdf.relevant import NAMED_ELEMENTS, Relevant
from dyn_core.readers.xacro import expand_xacro, is_xacro, refuse_xacro
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3
from dyn_core.spatial.rpy import to_matrix

EXTRA_ATTRIBUTES = frozenset(
    {"quat_xyzw", "acceleration", "jerk", "armature", "spring_stiffness", "spring_reference"}
)
"""Attributes that urdf_parser_py does not know: of URDF 1.1 and 1.2, and those of <dynamics>."""
LIMITED_TYPES = ("revolute", "prismatic")
AXIS_TYPES = (*LIMITED_TYPES, "continuous", "planar")
JOINT_TYPES = (*AXIS_TYPES, "floating", "fixed")


@dataclass(frozen=True)
class Body:
    """An ``<inertial>``."""

    mass: float
    at_com: Symmetric3 | None
    """Inertia about the centre of mass, by the axes of its origin, kg m^2; None if missing."""
    placement: SE3
    """Of its origin in the link."""

    @property
    def inertia(self) -> Inertia:
        """Inertia of the link in the link's frame."""
        at_com = self.at_com or Symmetric3.zero()
        return self.placement.act_inertia(Inertia.from_com(self.mass, Vector3.zero(), at_com))


@dataclass(frozen=True)
class Joint:
    """A ``<joint>``; its numbers are by the names of their attributes."""

    name: str
    type: str
    parent: str
    child: str
    placement: SE3
    axis: Sequence[float] | None
    limit: Mapping[str, float] | None
    dynamics: Mapping[str, float]
    mimic: Following | None


@dataclass(frozen=True)
class Description:
    """A tree of links and joints."""

    name: str
    root: str
    """The link that is no joint's child."""
    links: dict[str, Body | None]
    joints: dict[str, Joint]


def read_document(source: Source, ignore: Collection[str] = ()) -> Description:
    """Parse and check a URDF given as text or as the path of a file (of xacro, if so named).

    ``ignore`` names unknown elements to pass over.

    Raises:
        ModelError: it cannot be read; the message says where and what to do.
    """
    found = read_unchecked(source, ignore)
    for name, body in found.links.items():
        if body is not None:
            _check_body(name, body)
    for joint in found.joints.values():
        _check_joint(joint)
    fixed = [f"joint '{x.name}'" for x in found.joints.values() if x.type == "fixed" and x.mimic]
    if fixed:
        is_, its = ("is", "its") if len(fixed) == 1 else ("are", "their")
        warnings.warn(
            f"URDF: {', '.join(fixed)} {is_} fixed: {its} <mimic> is ignored",
            stacklevel=2,
        )
    endless = [
        f"joint '{x.name}'"
        for x in found.joints.values()
        if x.type not in (*LIMITED_TYPES, "fixed") and _has_range(x.limit or {})
    ]
    if endless:
        warnings.warn(
            f"URDF: {', '.join(endless)}: lower= and upper= of <limit> are ignored, as only "
            "revolute and prismatic joints have a range; make it revolute if it has an end",
            stacklevel=2,
        )
    return found


def _has_range(limit: Mapping[str, float]) -> bool:
    return bool(limit.get("lower") or limit.get("upper"))


def read_unchecked(source: Source, ignore: Collection[str] = ()) -> Description:
    """A tree of links and joints, whose numbers may be unphysical.

    Raises:
        ModelError: it cannot be read; the message says where and what to do.
    """
    relevant = Relevant(ignore).copy_of(read_root(source))
    links = {link.get("name", ""): _body(link.find("inertial")) for link in relevant.iter("link")}
    joints = {joint.get("name", ""): _joint(joint) for joint in relevant.iter("joint")}
    root = _root(links, joints)
    for element in relevant.iter():
        for name in EXTRA_ATTRIBUTES & element.attrib.keys():
            del element.attrib[name]
        if (axis := element.find("axis")) is not None and "xyz" not in axis.attrib:
            if element.get("type") in AXIS_TYPES:
                raise ModelError(
                    f"joint '{element.get('name')}': <axis> has no xyz; give a direction such as "
                    'xyz="0 0 1"'
                )
            element.remove(axis)
    try:
        Robot.from_xml_string(ET.tostring(relevant))
    except Exception as error:  # the parser does not catch the errors of its parts
        words = " ".join(str(error).split()) or type(error).__name__
        raise ModelError(f"URDF: {words}; correct this element") from error
    return Description(relevant.get("name", ""), root, links, joints)


def _numbers(element: ET.Element | None, *words: str) -> dict[str, float]:
    """The attributes of one number, by name; all but ``words``."""
    attributes = {} if element is None else element.attrib
    return {name: float(text) for name, text in attributes.items() if name not in words}


def _vector(element: ET.Element | None, name: str) -> list[float] | None:
    text = None if element is None else element.get(name)
    return None if text is None else [float(x) for x in text.split()]


def _placement(element: ET.Element) -> SE3:
    origin = element.find("origin")
    return placement_of(*(_vector(origin, name) for name in ("xyz", "rpy", "quat_xyzw")))


def placement_of(
    xyz: Sequence[float] | None, rpy: Sequence[float] | None, quat_xyzw: Sequence[float] | None
) -> SE3:
    """A placement as URDF gives it, each part of which may be left out.

    Args:
        xyz: position, m.
        rpy: angles about the fixed axes x, y, z, rad.
        quat_xyzw: the orientation instead, a quaternion of any length but 0.
    """
    position = Vector3(*(xyz or (0.0, 0.0, 0.0)))
    if quat_xyzw is None:
        return snapped(SE3(to_matrix(*(rpy or (0.0, 0.0, 0.0))), position))
    length = math.hypot(*quat_xyzw)
    return snapped(SE3(Matrix3.quaternion(*(x / length for x in quat_xyzw)), position))


def _body(inertial: ET.Element | None) -> Body | None:
    if inertial is None:
        return None
    mass = _numbers(inertial.find("mass")).get("value", math.nan)
    i, order = _numbers(inertial.find("inertia")), ("ixx", "ixy", "iyy", "ixz", "iyz", "izz")
    at_com = Symmetric3(*(i.get(x, math.nan) for x in order)) if i else None
    return Body(mass, at_com, _placement(inertial))


def _joint(joint: ET.Element) -> Joint:
    limit, mimic = joint.find("limit"), joint.find("mimic")
    law, following = _numbers(mimic, "joint"), None
    if mimic is not None:
        primary = mimic.get("joint", "")
        following = Following(primary, law.get("multiplier", 1.0), law.get("offset", 0.0))
    parent, child = (joint.find(end) for end in ("parent", "child"))
    return Joint(
        joint.get("name", ""),
        str(joint.get("type")),
        str(None if parent is None else parent.get("link")),
        str(None if child is None else child.get("link")),
        _placement(joint),
        _vector(joint.find("axis"), "xyz"),
        None if limit is None else _numbers(limit),
        _numbers(joint.find("dynamics")),
        following,
    )


def read_root(source: Source) -> ET.Element:
    """The root element of a URDF as it stands, of which links and joints have names.

    Raises:
        ModelError: it cannot be read, or a name is missing or given twice.
    """
    text = expand_xacro(source) if is_xacro(source) else read_text(source, "URDF")
    root = _parsed(text, named(source, "URDF"))
    _check_names(root)
    return root


def _parsed(text: str, kind: str) -> ET.Element:
    root = parse_xml(text, kind)
    own, brace, _ = root.tag.rpartition("}")  # a document may put all of URDF in a namespace
    for element in root.iter() if brace else ():
        element.tag = element.tag.removeprefix(own + brace)
    if root.tag != "robot":
        raise ModelError(f"the XML is a <{root.tag}>, not a URDF: its root must be <robot>")
    refuse_xacro(root, "URDF")
    return root


def _check_names(root: ET.Element) -> None:
    for kind in NAMED_ELEMENTS:
        names = [element.get("name") or "" for element in root.findall(kind)]
        if "" in names:
            raise ModelError(f"{kind} number {names.index('') + 1} has no name; give it one")
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise ModelError(
                f"{kind} '{twice[0]}' is defined {names.count(twice[0])} times; rename one"
            )
    if not root.findall("link"):
        raise ModelError("the URDF has no link; a robot needs at least one")


def _root(links: Collection[str], joints: Mapping[str, Joint]) -> str:
    """The one root of a tree in which no link has two parents."""
    parents: dict[str, str] = {}
    for name, joint in joints.items():
        if joint.type not in JOINT_TYPES:
            known = ", ".join(JOINT_TYPES)
            raise ModelError(f"joint '{name}' has the unsupported type '{joint.type}'; use {known}")
        for end, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                raise ModelError(
                    f"joint '{name}': its {end} link '{link}' is not defined; add the link, or "
                    "correct the name"
                )
        if joint.child in parents:
            raise ModelError(
                f"link '{joint.child}' is the child of joint '{name}' and of another; "
                "a URDF is a tree, so cut one of them"
            )
        parents[joint.child] = joint.parent
    for link in links:
        seen = {link}
        while (link := parents.get(link, "")) and link not in seen:
            seen.add(link)
        if link:
            raise ModelError(f"link '{link}' is its own ancestor: cut the cycle of joints")
    roots = [link for link in links if link not in parents]
    if len(roots) > 1:
        raise ModelError(
            f"links {', '.join(map(repr, roots))} all have no parent; "
            "join them with (fixed) joints so that one root is left"
        )
    return roots[0]


def _check_body(link: str, body: Body) -> None:
    """No body has negative mass, or a negative moment of inertia about any axis."""
    if body.mass < 0.0:
        raise ModelError(f"link '{link}': mass {body.mass} kg is negative; correct it")
    if body.at_com is None:
        raise ModelError(f"link '{link}': <inertial> has no <inertia>; add one")
    check_moments(body.at_com, f"link '{link}'")


def _check_joint(joint: Joint) -> None:
    where, limit = f"joint '{joint.name}'", joint.limit
    if joint.axis is not None and joint.type in AXIS_TYPES and not any(joint.axis):
        raise ModelError(f"{where}: axis is zero; give a direction such as '0 0 1'")
    if joint.axis is None and joint.type == "planar":
        raise ModelError(f"{where}: a planar joint needs the normal of its plane as <axis>")
    if limit is None and joint.type in LIMITED_TYPES:
        raise ModelError(
            f"{where}: a {joint.type} joint needs <limit>; add it, or use the type 'continuous' "
            "for a joint that turns without end"
        )
    if limit is not None:
        lower, upper = limit.get("lower", 0.0), limit.get("upper", 0.0)
        if lower > upper:
            raise ModelError(f"{where}: lower limit {lower} is above upper {upper}; exchange them")
        if min(limit["velocity"], limit["effort"]) < 0.0:
            raise ModelError(
                f"{where}: velocity and effort limits must not be negative; correct them"
            )
    if min(joint.dynamics.get(name, 0.0) for name in ("damping", "friction")) < 0.0:
        raise ModelError(f"{where}: damping and friction must not be negative")
