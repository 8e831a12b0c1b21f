# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The arrays that definitions take and give, each with its meaning, unit and shape.

A definition's positional parameters are annotated with one of these types. From that follow the
checks of arguments, the symbols to trace with, and the documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, TypeAlias

from dyn_core.model.model import Model
from dyn_core.spatial import Force, Inertia, Motion
from dyn_core.spatial.scalars import Scalar

Shape: TypeAlias = tuple[int | str, ...]
"""Sizes: numbers, names of attributes of Model such as ``"nv"``, multiples: ``"10 nbodies"``.

The name of an option that is a tuple means its length."""


def sizes(
    model: Model, shape: Shape, options: Mapping[str, Any] = MappingProxyType({})
) -> tuple[int, ...]:
    """A shape for a robot and the resolved options of a request."""
    return tuple(x if isinstance(x, int) else _size(model, x, options) for x in shape)


def _size(model: Model, size: str, options: Mapping[str, Any]) -> int:
    *factor, name = size.split()
    count = len(options[name]) if name in options else int(getattr(model, name))
    return int(factor[0] if factor else 1) * count


@dataclass(frozen=True)
class Array:
    """An array that a caller passes."""

    meaning: str
    unit: str
    shape: Shape
    each: Callable[[Sequence[Scalar]], Any] | None = None
    """The type of a row of the array (of the array, if it has no rows) in a definition."""
    tangent: Shape | None = None
    """Sizes of a tangent vector, if they differ: of a configuration."""

    def seen(self, numbers: Any) -> Any:
        """The (nested) numbers of the array as arguments of the definition."""
        if self.each is None:
            return numbers
        return self.each(numbers) if len(self.shape) == 1 else [self.each(row) for row in numbers]


@dataclass(frozen=True)
class Output:
    """An output array of a quantity, which is a field of Data."""

    field: str
    meaning: str
    unit: str
    shape: Shape
    frame: str = "joint"
    """The frame of the coordinates: of the joints, the world, or an option of the request."""
    pinocchio: str | None = None
    """The field of Pinocchio's Data if its name differs: see
    :func:`dyn_core.dynamics.declare.unique_names.names_in`."""


CONFIGURATION = Array("configuration", "rad, m, 1", ("nq",), tangent=("nv",))
Configuration = Annotated[Sequence[Scalar], CONFIGURATION]
Velocity = Annotated[Sequence[Scalar], Array("velocity", "rad/s, m/s", ("nv",))]
Acceleration = Annotated[Sequence[Scalar], Array("acceleration", "rad/s^2, m/s^2", ("nv",))]
Effort = Annotated[Sequence[Scalar], Array("effort", "N m, N", ("nv",))]
Duration = Annotated[Sequence[Scalar], Array("length of a step", "s", (1,))]
Displacement = Annotated[Sequence[Scalar], Array("velocity times time", "rad, m", ("nv",))]
BodyForces = Annotated[
    Sequence[Force],
    Array(
        "external forces on the bodies, each in its joint's frame; that on the world is unused",
        "N, N m",
        ("njoints", 6),
        each=Force.of,
    ),
]
FramePlacement = Annotated[
    Sequence[Sequence[Scalar]],
    Array("placement of a frame in the world, a homogeneous matrix", "1, m", (4, 4)),
]
FrameTwist = Annotated[
    Motion,
    Array("velocity at a frame's origin, along the world's axes", "m/s, rad/s", (6,), Motion.of),
]
FrameWrench = Annotated[
    Force,
    Array("force and moment at a frame's origin, along the world's axes", "N, N m", (6,), Force.of),
]
Stiffness = Annotated[
    Sequence[Scalar],
    Array("stiffness along and about the world's axes, negative: 0", "N/m, N m/rad", (6,)),
]
PoseError = Annotated[
    Sequence[Scalar], Array("largest error along and about the world's axes", "m, rad", (6,))
]
DampingRatio = Annotated[Sequence[Scalar], Array("1: critically damped", "1", (1,))]
Frequency = Annotated[Sequence[Scalar], Array("natural frequency", "rad/s", (1,))]

GRAVITY: Array = Array("acceleration of gravity in the world frame", "m/s^2", (3,))
WRENCH: Array = Array("external force at a frame, in its axes", "N, N m", (6,), each=Force.of)
PARAMETERS = (10,)
PAYLOAD: Array = Array(
    "inertial parameters (m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) of a body fixed to a frame, about "
    "its origin",
    "kg, kg m, kg m^2",
    PARAMETERS,
    each=Inertia.from_parameters,
)
INERTIAS: Array = Array(
    "inertial parameters of each joint's body in the joint's frame, ordered as a payload's",
    "kg, kg m, kg m^2",
    ("njoints", *PARAMETERS),
    each=Inertia.from_parameters,
)
