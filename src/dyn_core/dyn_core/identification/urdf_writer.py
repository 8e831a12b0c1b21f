# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A copy of a URDF with other inertias and friction."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Collection
from pathlib import Path

from dyn_core.errors import ModelError
from dyn_core.model.frame import Frame, FrameType
from dyn_core.model.model import Model
from dyn_core.readers.description import text_of
from dyn_core.readers.parsing import parse_xml
from dyn_core.readers.urdf.document import read_document
from dyn_core.spatial import Inertia
from dyn_core.spatial.validity import objection

MAX_HALVINGS = 20
"""Most halvings of the inertia of a body's other links, until the first link is consistent."""


def write_urdf(
    model: Model,
    source: str | os.PathLike[str],
    destination: str | os.PathLike[str],
    ignore: Collection[str] = (),
) -> None:
    """Write the URDF ``source`` with the inertias, damping and friction of ``model``.

    Rotor inertias are written where the source has some, as ``armature``, which few other readers
    know. A URDF cannot hold Stribeck friction, effort offsets or their delay. A body of
    the model may consist of several links that are fixed to each other. The other links are scaled
    to the new mass; the link that the joint names gets the remainder.

    Args:
        model: with the new parameters; its joints and links are those of the file.
        source: the URDF that the model was read from, path or text; a xacro file is
            expanded.
        destination: path of the new URDF.
        ignore: unknown names of the file, which it keeps, as in :meth:`dyn_core.Model.from_urdf`.

    Raises:
        ModelError: the file does not belong to the model, or cannot be read or written.
    """
    robot = read_document(source, ignore)
    inertias: dict[str, Inertia] = {}
    for joint in model.moving_joints:
        links = [f for f in model.frames if f.joint == joint and f.type is FrameType.BODY]
        if unknown := [frame.name for frame in links if frame.name not in robot.links]:
            raise ModelError(f"'{source}' has no link '{unknown[0]}': it belongs to another robot")
        bodies = ((frame.name, robot.links[frame.name]) for frame in links)
        known = {name: body.inertia for name, body in bodies if body is not None}
        inertias.update(_shared(model, joint, links, known))
    root = parse_xml(text_of(source), "URDF", comments=True)
    try:
        for link in root.iter("link"):
            name = link.get("name", "")
            if name in inertias:
                _write(link, inertias[name])
        _write_friction(root, model)
        for name, described in robot.joints.items():
            if described.dynamics.get("armature"):
                _write_armature(root, model, name)
        ET.ElementTree(root).write(Path(destination), encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise ModelError(f"cannot write '{destination}' from '{source}': {error}") from error


def _shared(
    model: Model, joint: int, links: list[Frame], known: dict[str, Inertia]
) -> dict[str, Inertia]:
    """The inertia of each link of a joint's body, in the link's frame."""
    if not links:
        raise ModelError(f"the body of joint '{model.names[joint]}' has no link in this file")
    first, *others = links
    whole = model.inertias[joint]
    old = sum((x.mass for x in known.values()), 0.0)
    share = whole.mass / old if old > 0.0 else 0.0
    for _ in range(MAX_HALVINGS):
        kept = {x.name: _times(known[x.name], share) for x in others if x.name in known}
        rest = whole
        for frame in others:
            if frame.name in kept:
                rest = rest + _times(frame.placement.act_inertia(kept[frame.name]), -1.0)
        if objection(rest) is None:
            break
        share *= 0.5
    return {first.name: first.placement.act_inv_inertia(rest), **kept}


def _times(inertia: Inertia, factor: float) -> Inertia:
    return Inertia.from_parameters([factor * x for x in inertia.parameters])


def _write(link: ET.Element, inertia: Inertia) -> None:
    """Replace a link's inertia: about its centre of mass, along the link's axes."""
    inertial = link.find("inertial")
    if inertial is None:
        inertial = ET.SubElement(link, "inertial")
    center = inertia.com
    origin, mass, moments = (_element(inertial, tag) for tag in ("origin", "mass", "inertia"))
    origin.set("xyz", " ".join(repr(float(x)) for x in center))
    origin.set("rpy", "0 0 0")
    origin.attrib.pop("quat_xyzw", None)
    mass.set("value", repr(float(inertia.mass)))
    names = ("ixx", "ixy", "iyy", "ixz", "iyz", "izz")
    for name, value in zip(names, inertia.at_com.entries, strict=True):
        moments.set(name, repr(float(value)))


def _write_friction(robot: ET.Element, model: Model) -> None:
    """Replace the damping and friction of joints that differ from those of the file."""
    joints = {joint.get("name"): joint for joint in robot.findall("joint")}
    for i in model.own_coordinates:
        if model.names[i] not in joints:
            continue
        joint, limits = joints[model.names[i]], model.tree[i].limits
        for name, (value,) in (("damping", limits.damping), ("friction", limits.friction)):
            found = joint.find("dynamics")
            if float((found is not None and found.get(name)) or 0.0) != value:
                _element(joint, "dynamics").set(name, repr(float(value)))


def _write_armature(robot: ET.Element, model: Model, name: str) -> None:
    """Replace the armature of the joint ``name``; it counts before that of transmissions."""
    if name in model.names:
        (value,) = model.tree[model.joint_index(name)].limits.armature
        joint = next(one for one in robot.findall("joint") if one.get("name") == name)
        _element(joint, "dynamics").set("armature", repr(float(value)))


def _element(parent: ET.Element, tag: str) -> ET.Element:
    found = parent.find(tag)
    return ET.SubElement(parent, tag) if found is None else found
