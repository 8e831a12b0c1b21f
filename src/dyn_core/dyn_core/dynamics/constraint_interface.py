# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The interface of all kinds of constraints, at a configuration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.spatial import Force, Motion
from dyn_core.spatial.scalars import Rows, Scalar


@dataclass(frozen=True)
class Moving:
    """How a robot moves."""

    bodies: Sequence[tuple[Motion, Motion]]
    """Velocity and acceleration of each body in its joint's frame, the world's first."""
    v: Sequence[Scalar]
    a: Sequence[Scalar]


class Held(ABC):
    """A constraint of a robot at a configuration, with some rows."""

    @abstractmethod
    def error(self) -> list[Scalar]:
        """Position error of each row."""

    @abstractmethod
    def jacobian(self) -> Rows:
        """The rows of the constraint's Jacobian."""

    @abstractmethod
    def velocity(self, moving: Moving) -> list[Scalar]:
        """Velocity of each row."""

    @abstractmethod
    def acceleration(self, moving: Moving) -> list[Scalar]:
        """Acceleration of each row."""

    def forces(self, multipliers: Sequence[Scalar]) -> tuple[tuple[int, Force], ...]:
        """Which bodies it pushes, and how, each in its joint's frame."""
        return ()

    def efforts(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        """The efforts (nv) by which it acts on joints, or none where it acts on bodies."""
        return []
