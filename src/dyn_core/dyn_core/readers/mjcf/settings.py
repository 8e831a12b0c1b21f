# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF's settings that concern dynamics, and placements, which depend on them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dyn_core.errors import ModelError
from dyn_core.model.joints.axis_joint import unit_axis
from dyn_core.readers.mjcf.document import Document, ElementFields
from dyn_core.readers.parsing import snapped
from dyn_core.spatial import SE3, Matrix3, Vector3

AXES = {"x": Vector3(1.0, 0.0, 0.0), "y": Vector3(0.0, 1.0, 0.0), "z": Vector3(0.0, 0.0, 1.0)}
SMALL = 1e-14
"""MuJoCo's tolerance of zero (mjEPS)."""

PASSIVE = frozenset({"spring", "damper"})
"""If both are switched off, MuJoCo has no passive forces."""
FLAGS = ("gravity", "spring", "damper", "passive", "constraint", "equality", "frictionloss")
"""Flags that switch off parts of a Model; the others concern contacts, limits, actuators."""


@dataclass(frozen=True)
class MjcfSettings:
    """``<compiler>`` and ``<option>``, as far as dynamics depend on them."""

    angle_unit: float
    """One unit of the document's angles, rad."""
    eulerseq: str
    """Axes of Euler angles; small letters turn with the body, capital ones do not."""
    autolimits: bool
    """Whether a range is a limit without being called so."""
    inertiafromgeom: str
    inertiagrouprange: tuple[float, float]
    """Groups of the geoms that have inertia."""
    balanceinertia: bool
    boundmass: float
    """The least mass of a body, kg."""
    boundinertia: float
    """The least principal moment of a body, kg m^2."""
    settotalmass: float
    """The mass to which the robot is scaled, kg; none if not positive."""
    alignfree: bool
    fitaabb: bool
    """Whether shapes are fitted to the box around a mesh, not to that of its inertia."""
    meshdir: str
    """Folder of the mesh files, seen from the main file."""
    strippath: bool
    """Whether only the last part of a file's path counts."""
    discardvisual: bool
    """Whether geoms that cannot collide vanish once bodies have their inertia."""
    fusestatic: bool
    """Whether bodies without joints become part of those that carry them."""
    gravity: tuple[float, float, float]
    """m/s^2."""
    density: float
    """Of the fluid around, kg/m^3."""
    viscosity: float
    """Of that fluid, Pa s."""
    wind: tuple[float, float, float]
    """Velocity of that fluid, m/s."""
    disabled: frozenset[str]
    """The kinds of forces and constraints (:data:`FLAGS`) that are switched off."""

    def rotation(self, fields: ElementFields) -> Matrix3:
        """The orientation of an element (at most one of MJCF's five notations)."""
        w, x, y, z = fields.numbers("quat", (1.0, 0.0, 0.0, 0.0))
        quaternion = unit_quaternion((x, y, z, w), fields.where)
        try:
            return self._alternative(fields) or Matrix3.quaternion(*quaternion)
        except ValueError as error:
            raise ModelError(
                f"{fields.where}: a direction of its orientation has no length; correct it"
            ) from error

    def placement(self, fields: ElementFields) -> SE3:
        """The placement of an element in the surrounding frame."""
        position = Vector3(*fields.numbers("pos", (0.0, 0.0, 0.0)))
        return snapped(SE3(self.rotation(fields), position))

    def _alternative(self, fields: ElementFields) -> Matrix3 | None:
        """The orientation if it is not a quaternion."""
        if "axisangle" in fields:
            *axis, angle = fields.numbers("axisangle", [0.0] * 4)
            return turn(unit_axis(axis), angle * self.angle_unit)
        if "euler" in fields:
            return self._euler(fields.numbers("euler", [0.0] * 3))
        if "xyaxes" in fields:
            numbers = fields.numbers("xyaxes", [0.0] * 6)
            x, across = unit_axis(numbers[:3]), Vector3(*numbers[3:])
            y = unit_axis(list(across - x * x.dot(across)))
            return Matrix3(x, y, x.cross(y)).transpose()
        if "zaxis" in fields:
            return to_z(unit_axis(fields.numbers("zaxis", [0.0] * 3)))
        return None

    def _euler(self, angles: list[float]) -> Matrix3:
        total = Matrix3.identity()
        for letter, angle in zip(self.eulerseq, angles, strict=True):
            step = turn(AXES[letter.lower()], angle * self.angle_unit)
            total = total @ step if letter.islower() else step @ total
        return total


def turn(axis: Vector3, angle: float) -> Matrix3:
    """The rotation about a unit vector by an angle (rad)."""
    return Matrix3.axis_angle(axis, math.cos(angle), math.sin(angle))


def to_z(z: Vector3) -> Matrix3:
    """The shortest rotation that takes the z axis to the unit vector ``z``.

    If ``z`` is (almost) up or down, MuJoCo turns about x by zero or by pi.
    """
    axis = AXES["z"].cross(z)
    sine = math.hypot(*axis)
    if sine * sine < SMALL:
        return turn(AXES["x"], math.atan2(0.0, z.z))
    return turn(axis * (1.0 / sine), math.atan2(sine, z.z))


def unit_quaternion(
    quaternion: tuple[float, float, float, float], where: str
) -> tuple[float, float, float, float]:
    """``(x, y, z, w)`` scaled to unit length.

    Raises:
        ModelError: it has no length.
    """
    length = math.hypot(*quaternion)
    if not SMALL < length < math.inf:
        raise ModelError(f"{where}: a quaternion of length {length} is no orientation; correct it")
    x, y, z, w = (entry / length for entry in quaternion)
    return x, y, z, w


def read_settings(document: Document) -> MjcfSettings:
    """The settings of a document; the last of several sections counts.

    Raises:
        ModelError: one has an unknown value.
    """
    compiler = _merged(document, "compiler")
    option = _merged(document, "option")
    if compiler.word("coordinate", ("local", "global"), "local") == "global":
        raise ModelError("<compiler>: global coordinates; save the file with MuJoCo 2.3.3 first")
    low, high = compiler.numbers("inertiagrouprange", (0.0, 5.0))
    disabled = _disabled(document)
    x, y, z = option.numbers("gravity", (0.0, 0.0, -9.81))
    wx, wy, wz = option.numbers("wind", (0.0, 0.0, 0.0))
    return MjcfSettings(
        angle_unit=_angle_unit(compiler),
        eulerseq=_eulerseq(compiler),
        autolimits=compiler.flag("autolimits", True),
        inertiafromgeom=compiler.word("inertiafromgeom", ("true", "false", "auto"), "auto"),
        inertiagrouprange=(low, high),
        balanceinertia=compiler.flag("balanceinertia", False),
        boundmass=compiler.number("boundmass", 0.0),
        boundinertia=compiler.number("boundinertia", 0.0),
        settotalmass=compiler.number("settotalmass", -1.0),
        alignfree=compiler.flag("alignfree", False),
        fitaabb=compiler.flag("fitaabb", False),
        meshdir=compiler.values.get("meshdir", compiler.values.get("assetdir", "")),
        strippath=compiler.flag("strippath", False),
        discardvisual=compiler.flag("discardvisual", False),
        fusestatic=compiler.flag("fusestatic", False),
        gravity=(0.0, 0.0, 0.0) if "gravity" in disabled else (x, y, z),
        density=_medium(option, "density"),
        viscosity=_medium(option, "viscosity"),
        wind=(wx, wy, wz),
        disabled=disabled,
    )


def _merged(document: Document, tag: str) -> ElementFields:
    sections = [document.fields(section, f"<{tag}>") for section in document.sections(tag)]
    values = {name: text for fields in sections for name, text in fields.values.items()}
    return ElementFields(f"<{tag}>", values)


def _angle_unit(compiler: ElementFields) -> float:
    is_degree = compiler.word("angle", ("degree", "radian"), "degree") == "degree"
    return math.pi / 180.0 if is_degree else 1.0


def _eulerseq(compiler: ElementFields) -> str:
    sequence = compiler.values.get("eulerseq", "xyz")
    if len(sequence) != 3 or not set(sequence) <= set("xyzXYZ"):
        raise ModelError(f"<compiler>: eulerseq='{sequence}'; use three of the letters xyzXYZ")
    return sequence


def _medium(option: ElementFields, name: str) -> float:
    value = option.number(name, 0.0)
    if value < 0.0:
        raise ModelError(f"{option.where}: {name} must not be negative; correct it")
    return value


def _disabled(document: Document) -> frozenset[str]:
    """The forces that flags switch off; the last of several sections counts."""
    flags = [flag for section in document.sections("option") for flag in section.findall("flag")]
    states = {name: flag.get(name) for flag in flags for name in FLAGS if name in flag.attrib}
    for name, state in states.items():
        if state not in ("enable", "disable"):
            raise ModelError(f"<flag>: {name} must be 'enable' or 'disable'")
    off = {name for name, state in states.items() if state == "disable"}
    if "constraint" in off:
        off |= {"equality", "frictionloss"}
    if "passive" in off:  # as MuJoCo called both once
        off |= PASSIVE
    return frozenset(off)
