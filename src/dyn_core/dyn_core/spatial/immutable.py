# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Values that cannot be changed: a robot is made of them, and compiled code would not follow."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from typing import Any, TypeVar

K = TypeVar("K", bound=type[Any])


def _refuse(self: object, name: str, *value: object) -> None:
    kind = type(self).__name__
    raise AttributeError(
        f"{kind}.{name} cannot be changed: make another {kind}. Another robot is made of a model "
        "by with_inertia(body, ...), with_placement(joint, ...), with_limits(joint, ...), "
        "with_friction(joint, ...) and its other methods with_..."
    )


def immutable(kind: K) -> K:
    """Let a frozen dataclass say how another robot is made where it refuses an assignment.

    One that holds collections closes them after its initialization: ``dyn_core.model.content``.
    """
    for name in ("__setattr__", "__delattr__"):
        setattr(kind, name, _refuse)
    return kind


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


class Immutable(metaclass=_Sealing):
    """A joint or a space: only its constructor assigns to its attributes."""

    def __setattr__(self, name: str, value: object) -> None:
        if "sealed" in vars(self):
            _refuse(self, name)
        super().__setattr__(name, value)

    __delattr__ = _refuse
