"""Joints to plain data and back: ``[type, parameters]``, the parameters as the joint has them."""

from __future__ import annotations

import inspect
from typing import Any

from dyn_core import joints
from dyn_core.errors import ModelError
from dyn_core.joints import Joint, Universe
from dyn_core.serialize.placement_plain import placement_of_rows
from dyn_core.serialize.plain import Node, Plain, is_number, plain

JOINT_TYPES: dict[str, type[Joint]] = {
    name: kind
    for name, kind in ((name, getattr(joints, name)) for name in joints.__all__)
    if issubclass(kind, Joint) and not inspect.isabstract(kind) and kind is not Universe
}
"""The joints that can be read: those of :mod:`dyn_core.joints` that move."""


def joint_to_plain(joint: Joint) -> Plain:
    """``[type, parameters]``; inside the parameters of a composite or mimic joint again.

    Raises:
        ModelError: the type is none of :data:`JOINT_TYPES`, so nobody could read it.
    """
    name = type(joint).__name__
    if JOINT_TYPES.get(name) is not type(joint):
        raise ModelError(
            f"a {name} joint cannot be written: only the types of dyn_core.joints can be read back"
        )
    return plain([name, joint.parameters])


def joint_of(node: Node) -> Joint:
    """The joint that :func:`joint_to_plain` wrote.

    Raises:
        ModelError: an unknown type, or parameters that the type does not take as they are.
    """
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
        written = joint_to_plain(joint)
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
        raise node.error(f"{error}; correct the parameters of this {name} joint") from error
    if written != node.value:
        raise node.error(
            f"the parameters are not those of any {name} joint (an axis has unit length); "
            "correct them"
        )
    return joint


def _parameter(node: Node) -> Any:
    """A constructor's argument: a number, a text, a joint, a placement, or a list of such."""
    if is_number(node.value):
        return node.number()
    if isinstance(node.value, str):
        return node.text()
    items = node.items()
    if items and isinstance(items[0].value, str) and not is_number(items[0].value):
        return joint_of(node)
    if len(items) == 4 and all(isinstance(item.value, list) for item in items):
        rows = [item.items() for item in items]
        if all(len(row) == 4 and is_number(row[0].value) for row in rows):
            return placement_of_rows(node)
    return [_parameter(item) for item in items]
