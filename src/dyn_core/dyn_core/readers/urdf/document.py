# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Parse a URDF with urdf_parser_py, with the checks that it lacks.

urdf_parser_py accepts broken trees, requires correct visual geometry and reports unknown tags on
stderr. So it is given only the elements that matter to dynamics, and its results are checked here,
with errors that name the link or joint.
"""

from __future__ import annotations

import os
import warnings
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from urdf_parser_py.urdf import Robot

from dyn_core.errors import ModelError
from dyn_core.readers.parsing import parse_xml, read_text
from dyn_core.readers.urdf.relevant import NAMED, Relevant
from dyn_core.readers.xacro import expand_xacro, is_xacro
from dyn_core.spatial.validity import TOLERANCE

CLEARLY = 0.5
"""How negative a principal moment must be, by the largest one, not to be a slip of the exporter:
that of Romeo's body misses by 0.2, that of TIAGo's antenna (1 mg) by 0.4."""
NO_MOMENT = 1e-15
"""Moments of inertia that count as zero (kg m^2), as of iCub's massless links."""
ADDED = frozenset(
    {"quat_xyzw", "acceleration", "jerk", "armature", "spring_stiffness", "spring_reference"}
)
"""Attributes that urdf_parser_py does not know: of URDF 1.1 and 1.2, and those of <dynamics>."""
LIMITED_TYPES = ("revolute", "prismatic")
AXIS_TYPES = (*LIMITED_TYPES, "continuous", "planar")
JOINT_TYPES = (*AXIS_TYPES, "floating", "fixed")


def read_document(
    source: str | os.PathLike[str],
    xacro_args: Mapping[str, str] | None = None,
    ignore: Collection[str] = (),
) -> Robot:
    """Parse and check a URDF given as text or as the path of a file (of xacro, if so named).

    ``ignore`` names unknown elements to pass over.

    Raises:
        ModelError: it cannot be read; the message says where and what to do.
    """
    robot = read_unchecked(source, xacro_args, ignore)
    for link in robot.links:
        _check_link(link)
    for joint in robot.joints:
        _check_joint(joint)
    fixed = [f"joint '{x.name}'" for x in robot.joints if x.type == "fixed" and x.mimic is not None]
    if fixed:
        is_, its = ("is", "its") if len(fixed) == 1 else ("are", "their")
        warnings.warn(
            f"URDF: {', '.join(fixed)} {is_} fixed: {its} <mimic> is passed over",
            stacklevel=2,
        )
    return robot


def read_unchecked(
    source: str | os.PathLike[str],
    xacro_args: Mapping[str, str] | None = None,
    ignore: Collection[str] = (),
) -> Robot:
    """A tree of links and joints, whose numbers may be unphysical.

    What urdf_parser_py does not know becomes attributes of its objects (None if absent): each
    origin has ``quat_xyzw``, each limit ``acceleration`` and ``jerk``, each dynamics ``armature``,
    ``spring_stiffness`` and ``spring_reference``.

    Raises:
        ModelError: it cannot be read; the message says where and what to do.
    """
    root = read_root(source, xacro_args)
    relevant = Relevant(ignore).copy_of(root)
    _check_joints(relevant)
    _check_tree(relevant)
    added = _taken_out(relevant)
    try:
        robot = Robot.from_xml_string(ET.tostring(relevant))
    except Exception as error:  # the parser does not catch the errors of its parts
        raise ModelError(f"URDF: {_in_words(error)}; correct this element") from error
    for joint in robot.joints:
        _put_beside(joint.origin, added, "joint", joint.name)
        _put_beside(joint.limit, added, "joint", joint.name)
        _put_beside(joint.dynamics, added, "joint", joint.name)
    for link in robot.links:
        _put_beside(link.inertial and link.inertial.origin, added, "link", link.name)
    return robot


def _taken_out(root: ET.Element) -> dict[tuple[str, str, str], list[float]]:
    """Attributes of ADDED, by kind and name of the owner and by attribute; removed there."""
    found = {}
    for owner in root:
        for element in owner.iter():
            for name in ADDED & element.attrib.keys():
                text = element.attrib.pop(name)
                found[owner.tag, owner.get("name", ""), name] = [float(x) for x in text.split()]
    return found


def _put_beside(
    element: Any, added: Mapping[tuple[str, str, str], list[float]], kind: str, name: str
) -> None:
    for attribute in ADDED if element is not None else ():
        setattr(element, attribute, added.get((kind, name, attribute)))


def read_root(
    source: str | os.PathLike[str], xacro_args: Mapping[str, str] | None = None
) -> ET.Element:
    """The root element of a URDF as it stands, of which links and joints have names.

    Raises:
        ModelError: it cannot be read, or a name is missing or given twice.
    """
    root = _parsed(_text(source, xacro_args))
    _check_names(root)
    return root


def _text(source: str | os.PathLike[str], xacro_args: Mapping[str, str] | None) -> str:
    if is_xacro(source):
        return expand_xacro(source, xacro_args)
    if xacro_args:
        raise ModelError("xacro_args are for the path of a .xacro file; this is a plain URDF")
    return read_text(source, "URDF")


def _parsed(text: str) -> ET.Element:
    root = parse_xml(text, "URDF")
    own, brace, _ = root.tag.rpartition("}")  # a document may put all of URDF in a namespace
    for element in root.iter() if brace else ():
        element.tag = element.tag.removeprefix(own + brace)
    if root.tag != "robot":
        raise ModelError(f"the XML is a <{root.tag}>, not a URDF: its root must be <robot>")
    xacro = next((e for e in root.iter() if "xacro" in str(e.tag).partition("}")[0]), None)
    if xacro is not None:
        raise ModelError(
            "the URDF still holds xacro elements; expand it with xacro first, or give the path of "
            "a file whose name ends with .xacro"
        )
    return root


def _check_names(root: ET.Element) -> None:
    for kind in NAMED:
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


def _check_joints(root: ET.Element) -> None:
    links = {link.get("name") for link in root.findall("link")}
    for joint in root.findall("joint"):
        name, type_ = joint.get("name"), joint.get("type")
        if type_ not in JOINT_TYPES:
            known = ", ".join(JOINT_TYPES)
            raise ModelError(f"joint '{name}' has the unsupported type '{type_}'; use {known}")
        for end in ("parent", "child"):
            link = _end(joint, end)
            if link not in links:
                raise ModelError(
                    f"joint '{name}': its {end} link '{link}' is not defined; add the link, or "
                    "correct the name"
                )


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
    _check_moments(link)


def _check_moments(link: Any) -> None:
    """No body has a negative moment of inertia about any axis."""
    i = link.inertial.inertia
    least, middle, most = np.linalg.eigvalsh(np.array(i.to_matrix(), dtype=np.float64)).tolist()
    if least >= -TOLERANCE * most - NO_MOMENT:
        return
    words = (
        f"link '{link.name}': its <inertia> has the principal moments {least:.6g}, {middle:.6g}, "
        f"{most:.6g} kg m^2, but no body has a negative one"
    )
    if min(i.ixx, i.iyy, i.izz) < 0.0 or least < -CLEARLY * most:
        raise ModelError(f"{words}; correct it")
    warnings.warn(f"URDF: {words}; it is read as it stands, correct it", stacklevel=2)


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
        raise ModelError(
            f"{where}: lower limit {limit.lower} is above upper {limit.upper}; exchange them"
        )
    if limit is not None and min(limit.velocity, limit.effort) < 0.0:
        raise ModelError(f"{where}: velocity and effort limits must not be negative; correct them")
    losses = joint.dynamics
    if losses is not None and min(losses.damping or 0.0, losses.friction or 0.0) < 0.0:
        raise ModelError(f"{where}: damping and friction must not be negative")
