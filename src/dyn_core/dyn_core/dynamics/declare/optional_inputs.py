# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Optional inputs: constants of compiled code unless a caller makes them inputs.

Gravity, a payload or all inertial parameters enter the robot on which definitions run, external
wrenches the forces on its bodies; so no definition knows of any of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from dyn_core.dynamics.declare.arrays import GRAVITY, INERTIAS, PAYLOAD, WRENCH, Array
from dyn_core.dynamics.declare.options import content
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial import Force, Inertia

FORCES = "f_ext"
"""The parameter by which definitions take forces on bodies."""


@dataclass(frozen=True)
class EvaluationContext:
    """The robot that definitions run on, and the external forces on its bodies."""

    model: Model
    forces: tuple[Force, ...] | None = None


@dataclass(frozen=True)
class OptionalInput(ABC):
    """An optional input of a kernel."""

    kind: ClassVar[str]
    array: ClassVar[Array]

    @property
    def name(self) -> str:
        """Name of the argument."""
        return self.kind

    def content(self, model: Model) -> str:
        """A text that differs for inputs that lead to different code."""
        return self.kind

    @abstractmethod
    def entered(self, context: EvaluationContext, value: Any) -> EvaluationContext:
        """The context with ``value`` (of :meth:`Array.seen`) of this input."""


class Gravity(OptionalInput):
    """The acceleration of gravity."""

    kind, array = "gravity", GRAVITY

    def entered(self, context: EvaluationContext, value: Sequence[Any]) -> EvaluationContext:
        x, y, z = value
        return replace(context, model=replace(context.model, gravity=(x, y, z)))


class InertialParameters(OptionalInput):
    """The ten inertial parameters of every body."""

    kind, array = "inertial_parameters", INERTIAS

    def entered(self, context: EvaluationContext, value: Sequence[Inertia]) -> EvaluationContext:
        return replace(context, model=_with_inertias(context.model, value))


@dataclass(frozen=True)
class AtFrame(OptionalInput):
    """An input that belongs to a frame."""

    frame: str

    def __post_init__(self) -> None:
        if not isinstance(self.frame, str):
            raise TypeError(f"{self.kind}: give the name of a frame, not {self.frame!r}")

    @property
    def name(self) -> str:
        return f"{self.kind}[{self.frame}]"

    def content(self, model: Model) -> str:
        return f"{self.kind} at {content(model.frame(self.frame))}"

    def _place(self, context: EvaluationContext) -> Frame:
        return context.model.frame(self.frame)


class Payload(AtFrame):
    """A body fixed to a frame, in addition to the bodies of the model."""

    kind, array = "payload", PAYLOAD

    def entered(self, context: EvaluationContext, value: Inertia) -> EvaluationContext:
        place, inertias = self._place(context), list(context.model.inertias)
        inertias[place.joint] = inertias[place.joint] + place.placement.act_inertia(value)
        return replace(context, model=_with_inertias(context.model, inertias))


class Wrench(AtFrame):
    """An external wrench at the origin of a frame, in the frame's axes."""

    kind, array = "wrench", WRENCH

    def entered(self, context: EvaluationContext, value: Force) -> EvaluationContext:
        place = self._place(context)
        forces = list(context.forces or [Force.zero()] * context.model.njoints)
        forces[place.joint] = forces[place.joint] + place.placement.act_force(value)
        return replace(context, forces=tuple(forces))


def payload(frame: str) -> Payload:
    """The payload of a frame as an input: its ten inertial parameters about the frame's origin."""
    return Payload(frame)


def wrench(frame: str) -> Wrench:
    """The external wrench (N, N m) at the origin of a frame, in its axes, as an input."""
    return Wrench(frame)


ROBOT_INPUTS = {x.kind: x() for x in (Gravity, InertialParameters)}
"""Inputs of the whole robot, by name."""
FRAME_INPUTS = {x.kind: x for x in (Payload, Wrench)}
"""Inputs of frames, by name."""


def _with_inertias(model: Model, inertias: Sequence[Inertia]) -> Model:
    pairs = zip(model.tree, inertias, strict=True)
    return replace(model, tree=tuple(replace(entry, inertia=body) for entry, body in pairs))
