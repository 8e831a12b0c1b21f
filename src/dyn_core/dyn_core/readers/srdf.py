# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reference configurations and rotors of a robot from its SRDF."""

from __future__ import annotations

import math
import os
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from dyn_core.errors import ModelError
from dyn_core.model.joints import Freedom, Mimic
from dyn_core.model.model import Model
from dyn_core.model.tree_joint import TreeJoint
from dyn_core.model.value_checks import check_name
from dyn_core.readers.parsing import named, parse_xml, read_numbers, read_text
from dyn_core.readers.xacro import expand_xacro, is_xacro, refuse_xacro
from dyn_core.spatial.lie import Circle

UNIT_LENGTH_TOLERANCE = 1e-3
"""Tolerance of the length of a quaternion, or of cosine and sine, in a file."""
MIMIC_TOLERANCE = 1e-6
"""Tolerance of a mimic joint's value against that of its primary."""

JOINT_ATTRIBUTES = {
    "group_state": {"name", "value"},
    "rotor_params": {"name", "mass", "gear_ratio"},
}
"""The elements that are read, with the attributes of their joints."""
NOT_OF_THE_MODEL = {
    "disable_collisions", "disable_default_collisions", "enable_collisions", "end_effector",
    "group", "joint_property", "link_sphere_approximation", "passive_joint", "virtual_joint",
}  # fmt: skip
"""Elements of SRDF that say nothing of configurations or rotors."""

NAMING_ATTRIBUTES = (
    "base_link", "child_link", "joint_name", "link", "link1", "link2", "parent_link", "tip_link",
)  # fmt: skip
"""Attributes that name a joint or link."""
NAMED_BY_NAME = ("joint", "link", "passive_joint")
"""Elements that name one by their attribute ``name``."""

Configuration = tuple[float, ...]


class BeyondLimitsWarning(UserWarning):
    """A position of a named state is beyond the limits of its joint."""


def with_srdf(model: Model, source: str | os.PathLike[str], rotors: bool = True) -> Model:
    """Implement :meth:`.Model.with_srdf`."""
    root = srdf_root(source)
    reader = _SrdfReader(model)
    reader.report_unknown(root)
    reader.notes.update(dict.fromkeys(unknown_names(model, root)))
    found = reader.configurations(root)
    for name in found:
        check_name(name, "SRDF: state")
    configurations = {**model.reference_configurations, **found}
    result = replace(model, reference_configurations=configurations)
    if rotors:
        result = replace(result, tree=reader.tree_with_rotors(root))
    for note in reader.notes:
        warnings.warn(f"SRDF: {note}", stacklevel=3)
    for name in found:
        for where, problem in beyond_limits(result, name, reader.placed[name]):
            note = f"SRDF: group_state '{name}': joint '{where}' {problem}"
            warnings.warn(note, BeyondLimitsWarning, stacklevel=3)
    return result


def beyond_limits(
    model: Model, name: str, placed: Collection[int] | None = None
) -> Iterator[tuple[str, str]]:
    """Joints that a reference configuration has beyond their limits, and what is wrong.

    Args:
        model: the robot.
        name: of the reference configuration.
        placed: joints whose own coordinates count; None takes those that are not neutral.
    """
    q = model.reference_configurations[name]
    for i in model.moving_joints:
        joint, limits, piece = model.joints[i], model.tree[i].limits, model.q_of(i, q)
        if not joint.space.flat or len(piece) != 1:
            continue
        if not (piece[0] if placed is None else model.tree[i].primary in placed):
            continue
        (low,), (high,), value = limits.lower, limits.upper, float(piece[0])
        if isinstance(joint, Mimic):
            value = joint.multiplier * value + joint.offset
        if low - UNIT_LENGTH_TOLERANCE <= value <= high + UNIT_LENGTH_TOLERANCE:
            continue
        angle = math.radians(value)
        turns = joint.motion_class is Freedom.TURN and abs(value) > 2.0 * math.pi
        hint = f"{value:.6g} degrees are {angle:.4g} rad" if turns else "correct it"
        yield (
            model.names[i],
            f"is at {value:.6g}, beyond its limits [{low:.4g}, {high:.4g}]; {hint}",
        )


def srdf_root(source: str | os.PathLike[str]) -> ET.Element:
    """The root element of an SRDF, given as its text or as the path of a file (or of a xacro file).

    Raises:
        ModelError: it is no SRDF.
    """
    text = expand_xacro(source) if is_xacro(source) else read_text(source, "SRDF")
    root = parse_xml(text, named(source, "SRDF"))
    if root.tag != "robot":
        raise ModelError(f"the XML is a <{root.tag}>, not an SRDF: its root must be <robot>")
    refuse_xacro(root, "SRDF")
    return root


def unknown_names(model: Model, root: ET.Element) -> list[str]:
    """A note, if groups, pairs of links and the like name what the model does not have."""
    elements = [x for child in root if child.tag in NOT_OF_THE_MODEL for x in child.iter()]
    named = [x.get(key) for x in elements for key in NAMING_ATTRIBUTES]
    named += [x.get("name") for x in elements if x.tag in NAMED_BY_NAME]
    known = {frame.name for frame in model.frames} | {*model.names, None}
    known |= {x.get("name") for x in root.findall("virtual_joint")}
    unknown = [f"'{name}'" for name in dict.fromkeys(named) if name not in known]
    more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
    note = (
        f"'{model.name}' has no joint or link {', '.join(unknown[:5])}{more}, which groups, pairs "
        "of links or end effectors name: are the SRDF and the description of one robot?"
    )
    return [note] if unknown else []


class _State(NamedTuple):
    """What states of one name say."""

    pieces: dict[int, Configuration]
    """By joint, of those that have coordinates of their own."""
    followers: list[tuple[int, float]]
    """Mimic joints and their values."""


class _SrdfReader:
    """Reads the elements of one document for one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.notes: dict[str, None] = {}
        """The warnings, each once, in order."""
        self.placed: dict[str, Collection[int]] = {}
        """The joints with coordinates of their own that each state places."""

    def report_unknown(self, root: ET.Element) -> None:
        """Note elements and attributes that no SRDF has, as misspelt ones."""
        for tag in JOINT_ATTRIBUTES:
            if len([*root.iter(tag)]) > len(root.findall(tag)):
                self._note(f"<{tag}> must stand in <robot>; within other elements it is ignored")
        for element in root:
            if element.tag in NOT_OF_THE_MODEL:
                continue
            known = JOINT_ATTRIBUTES.get(element.tag)
            if known is None:
                self._note(f"element <{element.tag}> is unknown; ignored")
                continue
            for child in element:
                if child.tag != "joint":
                    self._note(f"element <{child.tag}> in <{element.tag}> is unknown; ignored")
                elif unknown := set(child.keys()) - known:
                    self._note(
                        f"attribute '{min(unknown)}' of a joint in <{element.tag}> is unknown; "
                        "ignored"
                    )

    def configurations(self, root: ET.Element) -> dict[str, Configuration]:
        """All states by name."""
        found: dict[str, _State] = {}
        groups = {x.get("name", ""): x for x in root.findall("group")}
        seen: set[tuple[str, str | None]] = set()
        for number, element in enumerate(root.findall("group_state"), 1):
            name, group = element.get("name"), element.get("group")
            if not name:
                raise ModelError(f"group_state number {number} has no name; give it one")
            where = f"group_state '{name}'"
            state = self._state(element, where)
            if groups and group and group not in groups:  # MoveIt's files have them
                self._note(
                    f"{where}: group '{group}' is not defined; MoveIt ignores this state, this "
                    "reader uses its values"
                )
            elif groups and group:
                members = self._members(groups, group)
                placed = {self.model.names[i]: i for i, _ in self._joints(element, where)}
                others = ", ".join(f"'{x}'" for x, i in placed.items() if i not in members)
                if members and others:
                    self._note(
                        f"{where}: group '{group}' does not have {others}; MoveIt ignores what is "
                        "not in the group, this reader uses it"
                    )
            if (name, group) in seen:
                of = f" of group '{group}'" if group else ""
                self._note(f"there are two group_states '{name}'{of}; the first one counts")
                continue
            seen.add((name, group))
            self._merge(found.setdefault(name, _State({}, [])), state, where)
        self.placed = {name: state.pieces.keys() for name, state in found.items()}
        return {name: self._configuration(state, name) for name, state in found.items()}

    def _members(
        self, groups: Mapping[str, ET.Element], name: str, seen: Collection[str] = ()
    ) -> set[int]:
        """The joints of a group: of its own, of its links, along its chains, of groups in it."""
        model, found = self.model, set[int]()
        joints = {x.name: x.joint for x in model.frames}
        for element in groups[name]:
            own = element.get("name", "")
            if element.tag in ("joint", "link"):
                found.add(joints.get(own, 0))
            elif element.tag == "chain":
                base, tip = (joints.get(element.get(x, ""), 0) for x in ("base_link", "tip_link"))
                found |= {*model.inwards(tip)} - {*model.inwards(base)[1:]}
            elif element.tag == "group" and own in groups and own not in seen:
                found |= self._members(groups, own, [*seen, own])
        return found - {0}

    def _state(self, element: ET.Element, where: str) -> _State:
        model = self.model
        state = _State({}, [])
        for i, entry in self._joints(element, where):
            joint = model.joints[i]
            is_follower = model.tree[i].primary != i
            count = 1 if is_follower or isinstance(joint.space, Circle) else joint.nq
            values = _numbers(entry, "value", where, count)
            if is_follower:
                state.followers.append((i, values[0]))
            else:
                piece = self._normalized(i, values, where)
                self._merge(state, _State({i: piece}, []), where)
        return state

    def _merge(self, state: _State, other: _State, where: str) -> None:
        """Add what ``other`` has of other joints to ``state``."""
        for i, piece in other.pieces.items():
            if state.pieces.setdefault(i, piece) != piece:
                name = self.model.names[i]
                self._note(f"{where} has two values of joint '{name}'; the first one counts")
        state.followers.extend(other.followers)

    def _configuration(self, state: _State, name: str) -> Configuration:
        model = self.model
        neutral = {i: model.joints[i].space.neutral() for i in model.own_coordinates}
        pieces = {**neutral, **state.pieces}
        for i, value in state.followers:
            self._compare(i, value, pieces[model.tree[i].primary], f"group_state '{name}'")
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
            if abs(values[0]) > 2.0 * math.pi + UNIT_LENGTH_TOLERANCE:
                self._note(
                    f"{where}: joint '{self.model.names[i]}' is at {values[0]:.6g}, beyond a turn; "
                    f"{values[0]:.6g} degrees are {math.radians(values[0]):.4g} rad"
                )
            return math.cos(values[0]), math.sin(values[0])
        if not joint.space.is_normalized(values, UNIT_LENGTH_TOLERANCE):
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
        if abs(math.remainder(error, 2.0 * math.pi) if turns else error) > MIMIC_TOLERANCE:
            self._note(
                f"{where}: mimic joint '{self.model.names[i]}' is at {expected}, where its primary "
                f"takes it, not at {value}"
            )

    def tree_with_rotors(self, root: ET.Element) -> tuple[TreeJoint, ...]:
        """The model's joints, with the armature of their rotors."""
        armatures: dict[int, float] = {}
        for parameters in root.findall("rotor_params"):
            for i, element in self._joints(parameters, "rotor_params"):
                armature = self._armature(i, element)
                if armatures.setdefault(i, armature) != armature:
                    name = self.model.names[i]
                    self._note(f"rotor_params has two rotors of joint '{name}'; the first counts")
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
