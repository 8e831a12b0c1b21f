# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Values of a robot to plain data and back, as their types say.

A dataclass is a map of its fields, without those that are None; a tuple is a list. Numbers, texts,
placements, inertias and joints have a form of their own in :data:`FORMS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_type_hints

from dyn_core.errors import ModelError
from dyn_core.model import joints
from dyn_core.model.gravity_compensator import Triple
from dyn_core.model.joints import Joint, Universe
from dyn_core.readers.json.plain_values import Plain, PlainValue, is_number, plain
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3, placement_objection

T = TypeVar("T")
MAX_JOINTS = 4096
PAIRS: dict[Any, tuple[str, str]] = {
    tuple[str, float]: ("joint", "coefficient"),
    tuple[int, Triple]: ("joint", "position"),
}
"""Types of pairs that are written as maps, with the names of their fields."""
JOINT_TYPES: dict[str, type[Joint]] = {
    name: kind
    for name, kind in ((name, getattr(joints, name)) for name in joints.__all__)
    if issubclass(kind, Joint) and not inspect.isabstract(kind) and kind is not Universe
}
"""The joints that can be read: all of :mod:`dyn_core.model.joints` except the universe."""


def to_plain(kind: Any, value: Any) -> Plain:
    """A value of a type as plain data.

    Raises:
        ModelError: a joint of a type that is none of :data:`JOINT_TYPES`, or a class of the user.
    """
    if kind in FORMS:
        return FORMS[kind][0](value)
    if known := _fields(kind):
        if type(value) is not kind:
            raise ModelError(
                f"a {type(value).__name__} cannot be written: it would become a {kind.__name__}"
            )
        own = {name: (type_, getattr(value, name)) for name, (type_, _) in known.items()}
        return {name: to_plain(*pair) for name, pair in own.items() if pair[1] is not None}
    if kind in PAIRS:
        parts = zip(PAIRS[kind], get_args(kind), value, strict=True)
        return {name: to_plain(type_, item) for name, type_, item in parts}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return plain(value.value)
    return [to_plain(type_, item) for type_, item in zip(_items(kind, value), value, strict=True)]


def value_of(kind: type[T], node: PlainValue) -> T:
    """The value that :func:`to_plain` wrote.

    Raises:
        ModelError: a part is missing, unknown, of another type or out of range.
    """
    return cast(T, _value_of(kind, node))


def _value_of(kind: Any, node: PlainValue) -> Any:
    if kind in FORMS:
        return FORMS[kind][1](node)
    if known := _fields(kind):
        required = [name for name, (_, optional) in known.items() if not optional]
        entry = node.fields(required, known)
        return kind(**{name: _value_of(known[name][0], item) for name, item in entry.items()})
    if kind in PAIRS:
        pair = node.fields(PAIRS[kind]).values()
        return tuple(_value_of(*x) for x in zip(get_args(kind), pair, strict=True))
    if isinstance(kind, type) and issubclass(kind, Enum):
        choices = {choice.value: choice for choice in kind}
        if node.text() not in choices:
            raise node.error(f"'{node.text():.100}' is unknown; use {', '.join(choices)}")
        return choices[node.text()]
    items = node.items()
    types = _items(kind, items)
    if len(types) != len(items):
        raise node.error(f"{len(types)} entries were expected, not {len(items)}")
    return tuple(_value_of(*x) for x in zip(types, items, strict=True))


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """The type of each field of a dataclass, and whether it may be None; empty for other types."""
    if not is_dataclass(kind):
        return {}
    hints, found = get_type_hints(kind), {}
    for field in fields(kind):
        hint = hints[field.name]
        optional = NoneType in get_args(hint)
        found[field.name] = (get_args(hint)[0] if optional else hint, optional)
    return found


def _items(kind: Any, items: Any) -> tuple[Any, ...]:
    """The types of the items of a tuple."""
    types = get_args(kind)
    return types[:1] * len(items) if types[-1] is ... else types


def _placement_to_plain(placement: SE3) -> Plain:
    """The nine numbers of the rotation, row by row, and the three of the translation (m)."""
    rotation = [x for row in placement.rotation.rows for x in row]
    return {"rotation": plain(rotation), "translation": plain(list(placement.translation))}


def _placement_of(node: PlainValue) -> SE3:
    entry = node.fields(("rotation", "translation"))
    r = entry["rotation"].numbers(9)
    translation = Vector3(*entry["translation"].numbers(3))
    return _checked(SE3(Matrix3.of([r[:3], r[3:6], r[6:]]), translation), entry["rotation"])


def _placement_of_rows(node: PlainValue) -> SE3:
    """The placement of a homogeneous 4x4 matrix, the form of joint parameters."""
    rows = [row.numbers(4) for row in node.items()]
    if rows[3] != [0.0, 0.0, 0.0, 1.0]:
        raise node.error("the last row of a homogeneous matrix must be 0, 0, 0, 1; correct it")
    return _checked(SE3.from_homogeneous(rows), node)


def _checked(placement: SE3, node: PlainValue) -> SE3:
    if (why := placement_objection(placement)) is not None:
        raise node.error(f"the placement {why}")
    return placement


def _inertia_of(node: PlainValue) -> Inertia:
    mass, x, y, z, *rotational = node.numbers(10)
    if mass < 0.0:
        raise node.error(f"the mass {mass} kg is negative; correct it")
    return Inertia(mass, Vector3(x, y, z), Symmetric3(*rotational))


def _joint_to_plain(joint: Joint) -> Plain:
    """``[type, parameters]``; parameters of composite and mimic joints contain joints."""
    name = type(joint).__name__
    if JOINT_TYPES.get(name) is not type(joint):
        raise ModelError(
            f"a {name} joint cannot be written: only the types of dyn_core.joints can be read back"
        )
    return plain([name, joint.parameters])


def _joint_of(node: PlainValue) -> Joint:
    pair = node.items()
    if len(pair) != 2:
        raise node.error("a joint is a pair of its type and its parameters")
    name = pair[0].text()
    if name not in JOINT_TYPES:
        known = ", ".join(sorted(JOINT_TYPES))
        raise node.error(f"unknown joint type '{name:.100}'; the known ones are {known}")
    expected = inspect.signature(JOINT_TYPES[name]).parameters
    parameters = {key: _parameter(item) for key, item in pair[1].fields(expected).items()}
    try:
        joint = JOINT_TYPES[name](**parameters)
        written = _joint_to_plain(joint)
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
        raise node.error(f"{error}; correct the parameters of this {name} joint") from error
    if written != node.value:
        raise node.error(
            f"the parameters are not those of any {name} joint (an axis has unit length); "
            "correct them"
        )
    return joint


def _parameter(node: PlainValue) -> Any:
    """A constructor's argument: a number, a text, a joint, a placement, or a list of these."""
    if is_number(node.value):
        return node.number()
    if isinstance(node.value, str):
        return node.text()
    items = node.items()
    if items and isinstance(items[0].value, str) and not is_number(items[0].value):
        return _joint_of(node)
    if len(items) == 4 and all(isinstance(item.value, list) for item in items):
        rows = [item.items() for item in items]
        if all(len(row) == 4 and is_number(row[0].value) for row in rows):
            return _placement_of_rows(node)
    return [_parameter(item) for item in items]


FORMS: dict[Any, tuple[Callable[[Any], Plain], Callable[[PlainValue], Any]]] = {
    str: (plain, PlainValue.text),
    float: (plain, PlainValue.number),
    int: (plain, lambda node: node.integer(0, MAX_JOINTS)),
    tuple[float, float]: (plain, lambda node: tuple(node.numbers(2, finite=False))),
    SE3: (_placement_to_plain, _placement_of),
    Inertia: (lambda inertia: plain(inertia.parameters), _inertia_of),
    Joint: (_joint_to_plain, _joint_of),
}
"""Writer and reader of some types. Bounds of a range may be infinite; an inertia is its ten
parameters, in the order of :attr:`Inertia.parameters`."""
