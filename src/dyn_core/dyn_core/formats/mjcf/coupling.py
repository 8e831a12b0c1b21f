"""What in MJCF acts on several joints: equalities, tendons, actuators with armature."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace

from dyn_core.errors import ModelError
from dyn_core.formats.mjcf.document import Document, Fields
from dyn_core.formats.mjcf.joint import JointDescription
from dyn_core.formats.mjcf.names import ACTUATORS
from dyn_core.formats.reading import Following, resolve_mimicry
from dyn_core.joints import Prismatic, Revolute
from dyn_core.model.builder import ModelBuilder

FLEXES = ("flex", "flexvert", "flexstrain")
TENDON_ACTIONS = ("stiffness", "damping", "frictionloss", "armature")


def check_couplings(document: Document) -> None:
    """Refuse by name what ties joints or bodies together in a way that no Model has.

    Raises:
        ModelError: an equality, tendon or deformable body that cannot be represented.
    """
    for element in document.in_sections("equality"):
        key = "flex" if element.tag in FLEXES else element.tag
        if key not in ("connect", "weld", "tendon", "flex", "joint"):
            document.refuse_unknown(element.tag, "<equality>", "element")
        elif key != "joint" and _equality(document, element).flag("active", True):
            document.refuse(key, _where(element, "equality"))
    for element in document.in_sections("tendon"):
        fields = document.fields(element, _where(element, "tendon"), kind="tendon")
        for name in TENDON_ACTIONS:
            if any(fields.numbers(name, [0.0] * 3, least=1)):
                document.refuse("tendon", fields.where)
    for element in document.in_sections("deformable"):
        if element.tag == "flex":
            document.refuse("flex", _where(element, "deformable"))


def read_mimicry(
    document: Document, joints: Mapping[str, JointDescription]
) -> dict[str, Following]:
    """The joints that follow another one: ``q1 - ref1 = a + b (q2 - ref2)``.

    Raises:
        ModelError: an equality of joints that is none of mimicry.
    """
    direct: dict[str, Following] = {}
    for element in document.in_sections("equality"):
        if element.tag != "joint":
            continue
        fields = _equality(document, element)
        name = fields.required("joint1")
        following = _following(document, fields, joints)
        if following is None:
            continue
        if name in direct:
            raise ModelError(
                f"joint '{name}' follows two joints; keep one equality of the two, or read the "
                "robot with mimic=False"
            )
        direct[name] = following
    return resolve_mimicry(direct)


def _following(
    document: Document, fields: Fields, joints: Mapping[str, JointDescription]
) -> Following | None:
    follower = _one_coordinate(fields, fields.required("joint1"), joints)
    offset, factor, *curve = fields.numbers("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), least=1)
    is_inactive = not fields.flag("active", True)
    if "joint2" not in fields or any(curve):
        if not is_inactive:
            document.refuse("polycoef", f"{fields.where} (mimic=False takes it as independent)")
        return None
    leader = _one_coordinate(fields, fields.required("joint2"), joints)
    if is_inactive:
        return None
    offset += follower.rest[0] - factor * leader.rest[0]
    return Following(leader.name, factor, offset)


def _one_coordinate(
    fields: Fields, name: str, joints: Mapping[str, JointDescription]
) -> JointDescription:
    if name not in joints:
        raise ModelError(f"{fields.where}: there is no joint '{name}'; correct the name")
    if not isinstance(joints[name].joint, Revolute | Prismatic):
        raise ModelError(
            f"{fields.where}: joint '{name}' is neither hinge nor slide, so it cannot be coupled"
        )
    return joints[name]


def _equality(document: Document, element: ET.Element) -> Fields:
    return document.fields(element, _where(element, "equality"), kind="equality")


def _where(element: ET.Element, section: str) -> str:
    ends = " and ".join(
        f"'{element.get(key)}'"
        for key in ("joint1", "joint2", "body1", "body2", "site1", "site2", "tendon1", "tendon2")
        if key in element.attrib
    )
    name = f" '{element.get('name')}'" if element.get("name") else ""
    return f"<{element.tag}>{name} of <{section}>" + (f" between {ends}" if ends else "")


def add_actuator_armature(
    document: Document, builder: ModelBuilder, joints: Mapping[str, JointDescription]
) -> None:
    """Rotors that the document gives with the actuators: armature times gear ratio squared.

    Raises:
        ModelError: an actuator with armature that is not at a joint of one coordinate.
    """
    for element in document.in_sections("actuator"):
        if element.tag not in ACTUATORS:
            document.refuse_unknown(element.tag, "<actuator>", "element")
            continue
        fields = document.fields(element, _where(element, "actuator"), kind="actuator")
        rotor = fields.number("armature", 0.0)
        if rotor == 0.0 or not {"joint", "jointinparent", "tendon"} & element.attrib.keys():
            continue
        if "tendon" in element.attrib:
            document.refuse("tendon", fields.where)
            continue
        name = element.get("joint", "") or element.get("jointinparent", "")
        joint = _one_coordinate(fields, name, joints)
        gear = fields.numbers("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), least=1)[0]
        if rotor < 0.0:
            raise ModelError(f"{fields.where}: its armature must not be negative; correct it")
        index = builder.joint_index(joint.name)
        entry = builder.tree[index]
        limits = replace(entry.limits, armature=(entry.limits.armature[0] + rotor * gear * gear,))
        builder.tree[index] = replace(entry, limits=limits)
