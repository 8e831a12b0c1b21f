# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Options of quantities: what a keyword parameter of a definition may be.

A caller gives a short hashable value, such as the name of a frame. The definition gets the object
of the model that the value refers to. The key of compiled code contains that object, not its name.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, get_args, get_origin

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.model.content import content as plain_content
from dyn_core.model.content import number_or_text
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Vector3


class Reference(Enum):
    """The axes and the point that velocities and forces of a frame refer to."""

    LOCAL = "local"
    """The frame itself: its axes, its origin."""
    WORLD = "world"
    """The world: its axes, and the point of the body that is at its origin."""
    LOCAL_WORLD_ALIGNED = "local_world_aligned"
    """The frame's origin, the world's axes."""

    def __repr__(self) -> str:
        return self.name

    def of(self, oMf: SE3) -> SE3:
        """The transform of spatial vectors to this reference, from a frame placed at ``oMf``."""
        if self is Reference.LOCAL:
            return SE3.identity()
        return oMf if self is Reference.WORLD else SE3(oMf.rotation, Vector3.zero())


LOCAL, WORLD, LOCAL_WORLD_ALIGNED = Reference
Frames = tuple[Frame, ...]
"""Several frames, given by a tuple of names; an empty tuple means all frames."""


def _frame(model: Model, value: Any) -> Frame:
    if not isinstance(value, str):
        raise TypeError(f"give the name of a frame, not {value!r}")
    return model.frame(value)


class JointIndex(int):
    """A joint, given by its name."""


Joints = tuple[JointIndex, ...]
"""Several joints, given by a tuple of names."""
WHOLE_ROBOT = JointIndex(0)
"""The universe, whose subtree is the whole robot."""


def _joint(model: Model, value: Any) -> JointIndex:
    if isinstance(value, JointIndex) and value == WHOLE_ROBOT:
        return value
    if not isinstance(value, str):
        raise TypeError(f"give the name of a joint, not {value!r}")
    return JointIndex(model.joint_index(value))


def _frames(model: Model, value: Any) -> tuple[Frame, ...]:
    return tuple(_frame(model, name) for name in _checked(value, tuple)) or model.frames


def _joints(model: Model, value: Any) -> tuple[JointIndex, ...]:
    return tuple(_joint(model, name) for name in _checked(value, tuple))


class Resolver(NamedTuple):
    """What a given value of an option may be, and the object in a model that it stands for."""

    given: str
    """The type of the given value."""
    expectation: str
    """The accepted values, in words."""
    resolve: Callable[[Model, Any], Any]


RESOLVERS: dict[Any, Resolver] = {
    Frame: Resolver("str", "name of a frame", _frame),
    JointIndex: Resolver("str", "name of a joint", _joint),
    Frames: Resolver("tuple[str, ...]", "a tuple of names of frames, empty for all", _frames),
    Joints: Resolver("tuple[str, ...]", "a tuple of names of joints", _joints),
    Reference: Resolver(
        "Reference | Literal['local', 'world', 'local_world_aligned']",
        "LOCAL, WORLD or LOCAL_WORLD_ALIGNED",
        lambda model, value: Reference(value),
    ),
    bool: Resolver("bool", "True or False", lambda model, value: _checked(value, bool)),
    int: Resolver("int", "a whole number", lambda model, value: _checked(value, int)),
    float: Resolver("float", "a number", lambda model, value: float(_checked(value, (int, float)))),
    str: Resolver("str", "a text", lambda model, value: _checked(value, str)),
}
"""By the annotation of a definition's parameter. A class of its own has attributes ``given`` and
``expectation`` instead."""


def _checked(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is a {type(value).__name__}")
    return value


def expectation(annotation: Any) -> str:
    """The accepted values of a parameter of this type, in words."""
    if get_origin(annotation) is Literal:
        return " or ".join(repr(choice) for choice in get_args(annotation))
    if annotation in RESOLVERS:
        return RESOLVERS[annotation].expectation
    return str(getattr(annotation, "expectation", getattr(annotation, "__name__", annotation)))


def normalized(annotation: Any, value: Any) -> Any:
    """The normal form of a given value of a parameter of this type."""
    if annotation is Reference and isinstance(value, str):
        return Reference(value) if value in {x.value for x in Reference} else value
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if annotation is float and isinstance(value, Real):
        return float(number_or_text(value)) + 0.0  # without the sign of a zero
    if annotation is int and isinstance(value, Integral):
        return int(value)
    if type(value) is tuple:
        return tuple(normalized(None, item) for item in value)
    return number_or_text(value)


def resolved(model: Model, name: str, annotation: Any, value: Any) -> Any:
    """The object in ``model`` that ``value`` of the option ``name`` refers to.

    A type of its own says it in a method ``resolved(model)``, if there is more to it than the value
    itself; or the type that the definition takes in a class method ``resolved_from(model, value)``.

    Raises:
        KeyError: the model has nothing of that name.
        TypeError, ValueError: this is nothing that the option can be.
        ModelError: the model has no use for it.
    """
    try:
        if hasattr(annotation, "resolved_from"):
            return annotation.resolved_from(model, value)
        if get_origin(annotation) is Literal:
            if value not in get_args(annotation):
                raise ValueError(repr(value))
            return value
        if annotation in RESOLVERS:
            return RESOLVERS[annotation].resolve(model, value)
    except ModelError:
        raise
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must be {expectation(annotation)}: {error}") from error
    return value.resolved(model) if hasattr(value, "resolved") else value


def content(value: Any) -> str:
    """A text that differs for resolved options that lead to different code.

    Raises:
        TypeError: equality of such values is unknown.
    """
    if isinstance(value, tuple):
        return "(" + ", ".join(content(item) for item in value) + ")"
    if isinstance(value, Frame):
        return f"frame of joint {value.joint} at {plain_content(value.placement)}"
    if hasattr(value, "content"):
        return str(value.content())
    if value is None or isinstance(value, (bool, int, float, str, Enum)):
        return plain_content(value)
    raise TypeError(
        f"an option cannot be a {type(value).__name__}: options must be numbers, strings or "
        "tuples, or define content()"
    )
