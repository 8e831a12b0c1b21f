# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reference configurations and rotors of a robot from its SRDF."""

from __future__ import annotations

import math
import os
import warnings
import xml.etree.ElementTree as ET
from dataclasses import replace

from dyn_core.errors import ModelError
from dyn_core.formats.reading import parse_xml, read_numbers, read_text
from dyn_core.joints import Mimic
from dyn_core.lie import Circle
from dyn_core.model.checks import check_name
from dyn_core.model.model import Model
from dyn_core.model.tree_joint import TreeJoint

ROUNDING = 1e-3
"""Tolerance of the length of a quaternion, or of cosine and sine, in a file."""
AGREEMENT = 1e-6
"""Tolerance of a mimic joint's value against that of its primary."""

Configuration = tuple[float, ...]


def with_srdf(model: Model, source: str | os.PathLike[str], rotors: bool = True) -> Model:
    """The model with the reference configurations and rotors of its SRDF.

    A ``<group_state>`` becomes a reference configuration: its joints have the given values, all
    others are neutral. The value of an unbounded revolute joint is its angle (rad); all other
    joints have as many numbers as coordinates, which are normalized. Mimic joints have no
    coordinate, so their values are ignored. Of two states of one name the first counts; a
    configuration that the model has already is replaced.

    ``<rotor_params>`` sets the armature of joints to rotor inertia (the attribute ``mass``,
    kg m^2) times ``gear_ratio`` squared; the rotor of a mimic joint turns with its primary.

    All this is as Pinocchio's ``loadReferenceConfigurations`` and ``loadRotorParameters`` do it.
    What is ignored (joints that the model does not have, a second state of one name, a mimic
    joint's value that contradicts its primary's) is told by a warning.

    Args:
        model: the robot; it is not changed.
        source: the SRDF text, or the path of a file.
        rotors: False leaves the armatures as they are.

    Raises:
        ModelError: no SRDF, or a value that is missing, not finite, not of unit length where it has
            to be, or of the wrong size; the message names the state and the joint.
    """
    root = srdf_root(source)
    reader = _SrdfReader(model)
    configurations = {**model.reference_configurations, **reader.configurations(root)}
    for name in configurations:
        check_name(name, "SRDF: state")
    result = replace(model, reference_configurations=configurations)
    if rotors:
        result = replace(result, tree=reader.tree_with_rotors(root))
    for note in reader.notes:
        warnings.warn(f"SRDF: {note}", stacklevel=3)
    return result


def srdf_root(source: str | os.PathLike[str]) -> ET.Element:
    """The root element of an SRDF, given as its text or as the path of a file.

    Raises:
        ModelError: it is no SRDF.
    """
    root = parse_xml(read_text(source, "SRDF"), "SRDF")
    if root.tag != "robot":
        raise ModelError(f"the XML is a <{root.tag}>, not an SRDF: its root must be <robot>")
    return root


class _SrdfReader:
    """Reads the elements of one document for one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.notes: dict[str, None] = {}
        """The warnings, each once, in order."""

    def configurations(self, root: ET.Element) -> dict[str, Configuration]:
        """All states by name."""
        result: dict[str, Configuration] = {}
        for number, state in enumerate(root.findall("group_state"), 1):
            name = state.get("name")
            if not name:
                raise ModelError(f"group_state number {number} has no name; give it one")
            configuration = self._configuration(state, f"group_state '{name}'")
            if name in result:
                self._note(f"there are two group_states '{name}'; the first one counts")
            result.setdefault(name, configuration)
        return result

    def _configuration(self, state: ET.Element, where: str) -> Configuration:
        model = self.model
        pieces = {i: model.joints[i].space.neutral() for i in model.own_coordinates}
        followers: list[tuple[int, float]] = []
        for i, element in self._joints(state, where):
            joint = model.joints[i]
            is_follower = model.tree[i].primary != i
            count = 1 if is_follower or isinstance(joint.space, Circle) else joint.nq
            values = _numbers(element, "value", where, count)
            if is_follower:
                followers.append((i, values[0]))
            else:
                pieces[i] = self._normalized(i, values, where)
        for i, value in followers:
            self._compare(i, value, pieces[model.tree[i].primary], where)
        return tuple(x for i in model.own_coordinates for x in pieces[i])

    def _joints(self, parent: ET.Element, where: str) -> list[tuple[int, ET.Element]]:
        """The joints of the model among the children, by index."""
        found = []
        for element in parent.findall("joint"):
            name = element.get("name")
            if not name:
                raise ModelError(f"{where} has a joint without a name; give it one")
            if name in self.model.names[1:]:
                found.append((self.model.joint_index(name), element))
            else:
                self._note(f"{where}: '{self.model.name}' has no moving joint '{name}'; ignored")
        return found

    def _normalized(self, i: int, values: list[float], where: str) -> Configuration:
        joint = self.model.joints[i]
        if isinstance(joint.space, Circle):
            return math.cos(values[0]), math.sin(values[0])
        if not joint.space.is_normalized(values, ROUNDING):
            raise ModelError(
                f"{where}: the value of joint '{self.model.names[i]}' is not of unit length; "
                "correct its quaternion, or its cosine and sine"
            )
        return tuple(map(float, joint.space.normalize(values)))

    def _compare(self, i: int, value: float, leading: Configuration, where: str) -> None:
        joint = self.model.joints[i]
        assert isinstance(joint, Mimic)
        turns = len(leading) == 2  # cosine and sine of an angle without ends
        angle = math.atan2(leading[1], leading[0]) if turns else leading[0]
        expected = joint.multiplier * angle + joint.offset
        error = value - expected
        if abs(math.remainder(error, 2.0 * math.pi) if turns else error) > AGREEMENT:
            self._note(
                f"{where}: mimic joint '{self.model.names[i]}' is at {expected}, where its primary "
                f"takes it, not at {value}"
            )

    def tree_with_rotors(self, root: ET.Element) -> tuple[TreeJoint, ...]:
        """The model's joints, with the armature of their rotors."""
        armatures: dict[int, float] = {}
        for parameters in root.findall("rotor_params"):
            for i, element in self._joints(parameters, "rotor_params"):
                armatures[i] = armatures.get(i, 0.0) + self._armature(i, element)
        tree = list(self.model.tree)
        for i, armature in armatures.items():
            tree[i] = replace(tree[i], limits=replace(tree[i].limits, armature=(armature,)))
        return tuple(tree)

    def _armature(self, i: int, element: ET.Element) -> float:
        """The inertia of the rotor of joint i, seen from the joint."""
        entry = self.model.tree[i]
        if entry.joint.nv != 1:
            raise ModelError(
                f"rotor_params: joint '{entry.name}' has {entry.joint.nv} degrees of freedom; a "
                "rotor can only turn with a joint of one, so remove it"
            )
        (inertia,) = _numbers(element, "mass", "rotor_params", 1)
        (ratio,) = _numbers(element, "gear_ratio", "rotor_params", 1)
        if inertia < 0.0:
            raise ModelError(
                f"rotor_params: the rotor inertia {inertia} (attribute mass) of joint "
                f"'{entry.name}' is negative; correct it"
            )
        return inertia * ratio * ratio

    def _note(self, note: str) -> None:
        self.notes[note] = None


def _numbers(element: ET.Element, key: str, where: str, count: int) -> list[float]:
    text, name = element.get(key), element.get("name")
    if text is None:
        raise ModelError(f"{where}: joint '{name}' has no {key}; add it")
    return read_numbers(text, f"{where}: {key}='{text:.100}' of joint '{name}'", count)
