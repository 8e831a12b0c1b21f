# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Rotors in the transmissions of a URDF, as Drake defines them.

``<drake:rotor_inertia value=.../>`` and ``<drake:gear_ratio value=.../>`` in the ``<actuator>`` of
a simple transmission: the joint feels ``gear_ratio^2 * rotor_inertia`` (kg m^2, kg). A missing gear
ratio is 1. Drake passes over transmissions of other types, and of joints whose effort limit is 0.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

from dyn_core.errors import ModelError
from dyn_core.readers.parsing import read_numbers
from dyn_core.readers.urdf.schema import ROTOR, is_drakes, local_name

SCALAR_JOINT_TYPES = ("revolute", "continuous", "prismatic")
"""Types of joints of one coordinate."""


def add_rotors(root: ET.Element, copy: ET.Element) -> Iterator[tuple[str, str]]:
    """Write the rotors of ``root`` into ``copy``, as the armature of its joints.

    Yields:
        owner and reason of each rotor that is not read.

    Raises:
        ModelError: a rotor inertia or gear ratio is not a number, or the inertia is negative.
    """
    joints = {joint.get("name"): joint for joint in copy.findall("joint")}
    found: dict[str, float] = {}
    for transmission in root.findall("transmission"):
        owner = f"transmission '{transmission.get('name')}'"
        if not any(_is_rotor(element) for element in transmission.iter()):
            continue
        if problem := _problem(transmission, joints):
            yield owner, f"its <rotor_inertia> is not read: {problem}; {ROTOR}"
            continue
        actuator, name = transmission.find("actuator"), _text(transmission, "joint", "name")
        assert actuator is not None
        inertia, ratio = _number(actuator, "rotor_inertia", owner), 1.0
        if any(_is_drakes(child, "gear_ratio") for child in actuator):
            ratio = _number(actuator, "gear_ratio", owner)
        if inertia < 0.0:
            raise ModelError(f"{owner}: the rotor inertia {inertia} kg m^2 is negative; correct it")
        found[name] = found.get(name, 0.0) + ratio * ratio * inertia
    for name, armature in found.items():
        dynamics = joints[name].find("dynamics")
        if dynamics is None:
            dynamics = ET.SubElement(joints[name], "dynamics")
        if "armature" not in dynamics.attrib:
            dynamics.set("armature", repr(armature))
        elif float(dynamics.get("armature", "")) != armature:
            yield (
                f"joint '{name}'",
                f"armature= of <dynamics> is read, not the {armature:.6g} of its transmission",
            )


def _problem(transmission: ET.Element, joints: dict[str | None, ET.Element]) -> str:
    """Why the meaning of a transmission's rotor is not certain; empty if it is."""
    type_ = _text(transmission, "type") or transmission.get("type", "")
    name = _text(transmission, "joint", "name")
    joint, actuator = joints.get(name), transmission.find("actuator")
    if "SimpleTransmission" not in type_:
        return f"the type '{type_}' is not SimpleTransmission"
    if len(transmission.findall("joint")) != 1 or len(transmission.findall("actuator")) != 1:
        return "the transmission needs one <joint> and one <actuator>"
    if joint is None:
        return f"there is no joint '{name}'"
    if joint.get("type") not in SCALAR_JOINT_TYPES:
        return f"joint '{name}' is {joint.get('type')}"
    assert actuator is not None
    if not any(_is_rotor(child) for child in actuator):
        return "it must stand in <actuator>"
    limit = joint.find("limit")
    if limit is not None and float(limit.get("effort", "inf")) == 0.0:
        return f"the effort limit of joint '{name}' is 0"
    has_ratio = any(_is_drakes(child, "gear_ratio") for child in actuator)
    reductions = {(x.text or "").strip() for x in transmission.iter("mechanicalReduction")}
    if not has_ratio and reductions - {"", "1", "1.0"}:
        return "it has a <mechanicalReduction> but no <drake:gear_ratio>"
    return ""


def _is_rotor(element: ET.Element) -> bool:
    return _is_drakes(element, "rotor_inertia")


def _is_drakes(element: ET.Element, name: str) -> bool:
    return is_drakes(element.tag) and local_name(element.tag) == name


def _text(element: ET.Element, child: str, attribute: str = "") -> str:
    """Text or an attribute of the first ``child``; empty if there is none."""
    found = element.find(child)
    if found is None:
        return ""
    return found.get(attribute, "") if attribute else (found.text or "").strip()


def _number(actuator: ET.Element, name: str, owner: str) -> float:
    """The value of Drake's element ``name``."""
    elements = [child for child in actuator if _is_drakes(child, name)]
    where = f"{owner}: <{name}>"
    if len(elements) != 1:
        raise ModelError(f"{where} occurs {len(elements)} times in <actuator>; keep one")
    text = elements[0].get("value")
    if text is None:
        raise ModelError(f'{where} has no value; write it as value="..."')
    (number,) = read_numbers(text, f"{where}: value='{text:.100}'", 1)
    return number
