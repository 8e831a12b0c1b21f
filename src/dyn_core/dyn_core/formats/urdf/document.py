"""Read a URDF with urdf_parser_py and refuse what it would let pass.

urdf_parser_py knows the format; it accepts broken trees, wants the looks of a robot to be perfect
and reports unknown tags on stderr. So it is given only what matters to dynamics, and what it reads
is checked here, with words that name the link or joint.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping
from typing import Any

from urdf_parser_py.urdf import Robot

from dyn_core.errors import ModelError
from dyn_core.formats.reading import parse_xml, read_numbers, read_text
from dyn_core.formats.xacro_text import expand_xacro, is_xacro

RELEVANT: dict[str, dict[str, tuple[str, ...]]] = {
    "robot": {"link": ("name",), "joint": ("name", "type")},
    "link": {"inertial": ()},
    "inertial": {
        "origin": ("xyz", "rpy"),
        "mass": ("value",),
        "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    },
    "joint": {
        "origin": ("xyz", "rpy"),
        "parent": ("link",),
        "child": ("link",),
        "axis": ("xyz",),
        "limit": ("lower", "upper", "velocity", "effort"),
        "dynamics": ("damping", "friction"),
        "mimic": ("joint", "multiplier", "offset"),
    },
}
"""What of a document describes dynamics: per element its children and their attributes."""
NAMED = ("link", "joint")
WORDS = {"name", "type", "link", "joint"}
"""Attributes that hold a word; all others hold numbers."""
VECTORS = {"xyz", "rpy"}
UNBOUNDED = {"limit"}
"""Elements whose numbers may be infinite."""
LIMITED_TYPES = ("revolute", "prismatic")
AXIS_TYPES = (*LIMITED_TYPES, "continuous", "planar")
JOINT_TYPES = (*AXIS_TYPES, "floating", "fixed")


def read_document(
    source: str | os.PathLike[str], xacro_args: Mapping[str, str] | None = None
) -> Robot:
    """Parse and check a URDF given as text or as the path of a file (of xacro, if so named).

    Raises:
        ModelError: it cannot be read; the message says where and what to do.
    """
    root = _parsed(_text(source, xacro_args))
    _check_elements(root)
    _check_tree(root)
    relevant = ET.tostring(_relevant(root))
    try:
        robot = Robot.from_xml_string(relevant)
    except Exception as error:  # the parser raises whatever it stumbles over
        raise ModelError(f"URDF: {_in_words(error)}; correct this element") from error
    for link in robot.links:
        _check_link(link)
    for joint in robot.joints:
        _check_joint(joint)
    return robot


def _text(source: str | os.PathLike[str], xacro_args: Mapping[str, str] | None) -> str:
    if is_xacro(source):
        return expand_xacro(source, xacro_args)
    if xacro_args:
        raise ModelError("xacro_args are for the path of a .xacro file; this is a plain URDF")
    return read_text(source, "URDF")


def _parsed(text: str) -> ET.Element:
    root = parse_xml(text, "URDF")
    if root.tag != "robot":
        raise ModelError(f"the XML is a <{root.tag}>, not a URDF: its root must be <robot>")
    xacro = next((e for e in root.iter() if "xacro" in str(e.tag).partition("}")[0]), None)
    if xacro is not None:
        raise ModelError(
            "the URDF still holds xacro elements; expand it with xacro first, or give the path of "
            "a file whose name ends with .xacro"
        )
    return root


def _check_elements(root: ET.Element) -> None:
    for kind in NAMED:
        names = [element.get("name") or "" for element in root.findall(kind)]
        if "" in names:
            raise ModelError(f"{kind} number {names.index('') + 1} has no name; give it one")
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise ModelError(f"{kind} '{twice[0]}' is defined {names.count(twice[0])} times")
    if not root.findall("link"):
        raise ModelError("the URDF has no link; a robot needs at least one")
    links = {link.get("name") for link in root.findall("link")}
    for joint in root.findall("joint"):
        name, type_ = joint.get("name"), joint.get("type")
        if type_ not in JOINT_TYPES:
            known = ", ".join(JOINT_TYPES)
            raise ModelError(f"joint '{name}' has the unsupported type '{type_}'; use {known}")
        for end in ("parent", "child"):
            link = _end(joint, end)
            if link not in links:
                raise ModelError(f"joint '{name}': its {end} link '{link}' is not defined")


def _end(joint: ET.Element, end: str) -> str | None:
    element = joint.find(end)
    return None if element is None else element.get("link")


def _check_tree(root: ET.Element) -> None:
    """One root, no link with two parents, no cycle."""
    parent: dict[str | None, str | None] = {}
    for joint in root.findall("joint"):
        child = _end(joint, "child")
        if child in parent:
            raise ModelError(
                f"link '{child}' is the child of joint '{joint.get('name')}' and of another; "
                "a URDF is a tree, so cut one of them"
            )
        parent[child] = _end(joint, "parent")
    links = [link.get("name") for link in root.findall("link")]
    for link in links:
        seen, above = {link}, parent.get(link)
        while above is not None:
            if above in seen:
                raise ModelError(f"link '{above}' is its own ancestor: cut the cycle of joints")
            seen.add(above)
            above = parent.get(above)
    roots = [link for link in links if link not in parent]
    if len(roots) > 1:
        raise ModelError(
            f"links {', '.join(map(repr, roots))} all have no parent; "
            "join them with (fixed) joints so that one root is left"
        )


def _relevant(root: ET.Element) -> ET.Element:
    """A copy of the document that holds only what dynamics need, all numbers checked."""
    copy = ET.Element("robot", name=root.get("name") or "robot")
    _copy_relevant(root, copy, "robot")
    return copy


def _copy_relevant(element: ET.Element, copy: ET.Element, owner: str) -> None:
    for tag, attributes in RELEVANT.get(element.tag, {}).items():
        found = element.findall(tag)
        if len(found) > 1 and tag not in NAMED:
            raise ModelError(f"{owner} has {len(found)} <{tag}> elements; keep one")
        for child in found:
            inner = f"{tag} '{child.get('name')}'" if tag in NAMED else owner
            kept = {key: value for key, value in child.attrib.items() if key in attributes}
            for key in kept.keys() - WORDS:
                _check_numbers(kept[key], key, tag, inner)
            _copy_relevant(child, ET.SubElement(copy, tag, kept), inner)


def _check_numbers(text: str, attribute: str, tag: str, owner: str) -> None:
    where = f"{owner}: {attribute}='{text}' of <{tag}>"
    read_numbers(text, where, 3 if attribute in VECTORS else 1, infinite=tag in UNBOUNDED)


def _in_words(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return " ".join(text.split())


def _check_link(link: Any) -> None:
    inertial = link.inertial
    if inertial is None:
        return
    if inertial.mass < 0.0:
        raise ModelError(f"link '{link.name}': mass {inertial.mass} kg is negative; correct it")
    if inertial.inertia is None:
        raise ModelError(f"link '{link.name}': <inertial> has no <inertia>; add one")


def _check_joint(joint: Any) -> None:
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
    if limit is not None and (limit.lower or 0.0) > (limit.upper or 0.0):
        raise ModelError(f"{where}: lower limit {limit.lower} is above upper {limit.upper}")
    if limit is not None and min(limit.velocity, limit.effort) < 0.0:
        raise ModelError(f"{where}: velocity and effort limits must not be negative")
    losses = joint.dynamics
    if losses is not None and min(losses.damping or 0.0, losses.friction or 0.0) < 0.0:
        raise ModelError(f"{where}: damping and friction must not be negative")
