# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Values that cannot be changed: a robot is made of them, and compiled code would not follow."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Callable
from typing import Any


class Value:
    """A value of spatial algebra, in slots: assignment is refused.

    Its constructor writes the slots by :func:`setters`.
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(refusal(self, name))

    def __delattr__(self, name: str) -> None:
        raise AttributeError(refusal(self, name))

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        """Restore the slots of a copy or a pickle."""
        for name, value in state[1].items():
            object.__setattr__(self, name, value)


def setters(kind: type[Value]) -> list[Callable[[Any, Any], None]]:
    """The setters of the slots of this class, for its constructor, in order of names."""
    names: tuple[str, ...] = kind.__slots__
    return [vars(kind)[name].__set__ for name in names]


class _Sealing(ABCMeta):
    """Seals what a class makes once its constructor has run."""

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        made = super().__call__(*arguments, **named)
        vars(made)["sealed"] = True
        return made

    @property
    def __signature__(cls) -> inspect.Signature:
        """The signature of the constructor."""
        construct = cls.__init__  # type: ignore[misc]
        if construct is object.__init__:
            return inspect.Signature()
        own = inspect.signature(construct)
        return own.replace(parameters=[*own.parameters.values()][1:])


class Lasting(metaclass=_Sealing):
    """A joint or a space: only its constructor assigns to its attributes."""

    def __setattr__(self, name: str, value: object) -> None:
        if "sealed" in vars(self):
            raise AttributeError(refusal(self, name))
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(refusal(self, name))


def refusal(value: object, name: str) -> str:
    """Why an attribute cannot be assigned, and what to do."""
    kind = type(value).__name__
    return (
        f"{kind}.{name} cannot be changed: make another {kind}. Another robot is made of a model "
        "by with_inertia(body, ...), with_placement(joint, ...), with_limits(joint, ...), "
        "with_friction(joint, ...) and its other methods with_..."
    )
