# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Elements of MJCF that act on several joints: equalities, tendons, actuators with armature."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.coupling import Coupling, Terms, shifted
from dyn_core.model.joints import Prismatic, Revolute
from dyn_core.readers.mjcf.document import Document, ElementFields
from dyn_core.readers.mjcf.mjcf_joints import JointDescription
from dyn_core.readers.mjcf.refusals import ACTUATORS
from dyn_core.readers.mjcf.settings import MjcfSettings
from dyn_core.readers.parsing import Following, resolve_mimicry

FLEXES = ("flex", "flexvert", "flexstrain")


def check_couplings(document: Document) -> None:
    """Refuse constraints of joints or bodies that a Model does not have, by name.

    Raises:
        ModelError: an equality or deformable body that cannot be represented.
    """
    for element in document.in_sections("equality"):
        key = "flex" if element.tag in FLEXES else element.tag
        if key not in ("connect", "weld", "tendon", "flex", "joint"):
            document.refuse_unknown(element.tag, "<equality>", "element")
        elif key == "flex" and equality_fields(document, element).flag("active", True):
            document.refuse(key, describe(element, "equality"))
    for element in document.in_sections("deformable"):
        if element.tag == "flex":
            document.refuse("flex", describe(element, "deformable"))


def read_couplings(
    document: Document,
    settings: MjcfSettings,
    joints: Mapping[str, JointDescription],
    mimic: bool,
) -> tuple[dict[str, Following], list[Coupling]]:
    """Mimic joints, if ``mimic``, and all other couplings of joints.

    Of joints ``q1 - ref1 = polycoef(q2 - ref2)``, of fixed tendons the same with their lengths.

    Raises:
        ModelError: an equality of joints with several coordinates, or of a spatial tendon.
    """
    direct: dict[str, Following] = {}
    couplings: list[Coupling] = []
    for number, element in enumerate(document.in_sections("equality")):
        if element.tag not in ("joint", "tendon"):
            continue
        fields = equality_fields(document, element)
        coupling = _coupling(document, fields, element.tag, number, joints)
        is_off = "equality" in settings.disabled or not fields.flag("active", True)
        if coupling is None or is_off:
            continue
        name = coupling.followers[0][0]
        is_mimic = mimic and element.tag == "joint" and bool(coupling.leaders)
        if not is_mimic or any(coupling.polynomial[2:]):
            couplings.append(coupling)
            continue
        if name in direct:
            raise ModelError(
                f"joint '{name}' follows two joints; keep one equality of the two, or read the "
                "robot with mimic=False"
            )
        offset, factor = coupling.polynomial[:2]
        direct[name] = Following(coupling.leaders[0][0], factor, offset)
    return resolve_mimicry(direct), couplings


def _coupling(
    document: Document,
    fields: ElementFields,
    kind: str,
    number: int,
    joints: Mapping[str, JointDescription],
) -> Coupling | None:
    """An equality of joints or of fixed tendons; None if it is left out."""
    ends: list[Terms] = []
    fields.required(f"{kind}1")
    for end in (f"{kind}1", f"{kind}2"):
        if end not in fields:
            ends.append(())
        elif kind == "joint":
            ends.append(((_one_coordinate(fields, fields.values[end], joints).name, 1.0),))
        else:
            terms = _terms_of_tendon(document, fields, fields.values[end], joints)
            if terms is None:
                return None
            ends.append(terms)
    followers, leaders = ends
    rest1, rest2 = (sum(c * joints[name].rest[0] for name, c in terms) for terms in ends)
    law = fields.numbers("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), least=1)
    constant, *slopes = shifted(law, rest2) if leaders else (law[0],)
    name = fields.values.get("name") or f"equality_{number}"
    return Coupling(name, followers, leaders, (constant + rest1, *slopes), *baumgarte_gains(fields))


def _terms_of_tendon(
    document: Document, fields: ElementFields, name: str, joints: Mapping[str, JointDescription]
) -> Terms | None:
    """The joints of a fixed tendon with their coefficients; None if it is left out."""
    for element in document.in_sections("tendon"):
        if element.get("name") == name:
            if element.tag != "fixed":
                document.refuse("tendon", f"{fields.where}: the spatial tendon '{name}'")
                return None
            return tendon_terms(document, element, joints)
    raise ModelError(f"{fields.where}: there is no tendon '{name}'; correct the name")


def tendon_terms(
    document: Document, element: ET.Element, joints: Mapping[str, JointDescription]
) -> Terms:
    """The joints of a ``<fixed>`` tendon with their coefficients.

    Raises:
        ModelError: one is no joint of one coordinate.
    """
    where = describe(element, "tendon")
    parts = [document.fields(part, where, kind="fixed_joint") for part in element]
    return tuple(
        (_one_coordinate(part, part.required("joint"), joints).name, part.number("coef", 1.0))
        for part in parts
    )


def baumgarte_gains(fields: ElementFields) -> tuple[float, float]:
    """The stiffness (1/s^2) and damping (1/s) that ``solref`` gives a constraint without softness.

    MuJoCo divides them by the impedance, the softness that a constraint of a Model does not have.

    Raises:
        ModelError: a time constant or damping ratio that is not positive.
    """
    first, second = fields.numbers("solref", (0.02, 1.0))
    if first < 0.0 and second <= 0.0:
        return -first, -second
    if first <= 0.0 or second <= 0.0:
        raise ModelError(
            f"{fields.where}: solref='{first} {second}' is neither a time constant with a damping "
            "ratio, both positive, nor a negative stiffness with a negative damping; correct it"
        )
    return 1.0 / (first * second) ** 2, 2.0 / first


def _one_coordinate(
    fields: ElementFields, name: str, joints: Mapping[str, JointDescription]
) -> JointDescription:
    if name not in joints:
        raise ModelError(f"{fields.where}: there is no joint '{name}'; correct the name")
    if not isinstance(joints[name].joint, Revolute | Prismatic):
        raise ModelError(
            f"{fields.where}: joint '{name}' is neither hinge nor slide, so it cannot be coupled"
        )
    return joints[name]


def equality_fields(document: Document, element: ET.Element) -> ElementFields:
    """The attributes of an equality, those of the default class included."""
    return document.fields(element, describe(element, "equality"), kind="equality")


def describe(element: ET.Element, section: str) -> str:
    """The description of an element in errors."""
    ends = " and ".join(
        f"'{element.get(key)}'"
        for key in ("joint1", "joint2", "body1", "body2", "site1", "site2", "tendon1", "tendon2")
        if key in element.attrib
    )
    name = f" '{element.get('name')}'" if element.get("name") else ""
    return f"<{element.tag}>{name} of <{section}>" + (f" between {ends}" if ends else "")


def add_actuators(
    document: Document,
    settings: MjcfSettings,
    builder: ModelBuilder,
    joints: Mapping[str, JointDescription],
) -> None:
    """Rotors and dampers that the document gives with actuators, times gear ratio squared.

    Raises:
        ModelError: they are not at a joint of one coordinate, or no Model has their damping.
    """
    for element in document.in_sections("actuator"):
        if element.tag not in ACTUATORS:
            document.refuse_unknown(element.tag, "<actuator>", "element")
            continue
        fields = document.fields(element, describe(element, "actuator"), kind="actuator")
        rotor = fields.number("armature", 0.0)
        damping = _actuator_damping(document, settings, fields)
        at = {"joint", "jointinparent", "tendon"} & element.attrib.keys()
        if not at or (rotor == 0.0 and damping == 0.0):
            continue
        if "tendon" in at:
            document.refuse("tendon", fields.where)
            continue
        if min(rotor, damping) < 0.0:
            what = "armature" if rotor < 0.0 else "damping"
            raise ModelError(f"{fields.where}: its {what} must not be negative; correct it")
        name = element.get("joint", "") or element.get("jointinparent", "")
        joint = _one_coordinate(fields, name, joints)
        gear = fields.numbers("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), least=1)[0]
        index = builder.joint_index(joint.name)
        entry = builder.tree[index]
        limits = replace(
            entry.limits,
            armature=(entry.limits.armature[0] + rotor * gear * gear,),
            damping=(entry.limits.damping[0] + damping * gear * gear,),
        )
        builder.tree[index] = replace(entry, limits=limits)


def _actuator_damping(document: Document, settings: MjcfSettings, fields: ElementFields) -> float:
    """Passive damping of an actuator, N m s/rad or N s/m at its own shaft."""
    first, *others = fields.numbers("damping", [0.0] * 3, least=1)
    if "damper" in settings.disabled:
        return 0.0
    if any(others):
        document.refuse("damping", fields.where)
    return first
