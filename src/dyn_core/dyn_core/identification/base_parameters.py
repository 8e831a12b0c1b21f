# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Base parameters: the identifiable linear combinations of a robot's parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.identification.parameters import INERTIAL, Parameters, random_states
from dyn_core.model.joints import Freedom
from dyn_core.model.model import FloatArray, Model
from dyn_core.spatial import SE3, Vector3

RANK_TOLERANCE = 1e-7
"""Share of a column's length below which its part independent of the columns before it is rounding:
descriptions give right angles to eleven digits."""
MIN_COEFFICIENT = 1e-8
"""Coefficients below this are rounding error."""
PARALLEL_TOLERANCE = 1e-9
"""Largest sine of the angle between parallel axes, and largest distance in m."""


@dataclass(frozen=True)
class BaseParameters:
    """``beta = B pi``: parameters of independent columns, with the dependent ones regrouped.

    A QR factorization of the regressor at random states reveals its rank (Gautier 1991): a column
    that depends on the columns before it has a zero diagonal entry. Bodies come before those that
    they carry, so that a parameter without an effect of its own is regrouped into a body nearer to
    the base.
    """

    parameters: Parameters
    independent: tuple[int, ...]
    """Indices of the parameters whose columns are independent."""
    B: FloatArray
    """(base parameters, parameters); the identity in the independent columns."""

    @classmethod
    def of(cls, parameters: Parameters, states: int = 0, seed: int = 0) -> BaseParameters:
        """The base parameters of a robot.

        Args:
            parameters: all parameters of the robot.
            states: number of random states; by default four for each parameter and degree of
                freedom.
            seed: of the random states.
        """
        model = parameters.model
        count = states or 4 * len(parameters.names) // model.nv + 10
        W = parameters.regressor(*random_states(model, count, seed))
        W = W.reshape(-1, len(parameters.names))
        sizes = np.linalg.norm(W, axis=0)
        felt = (
            sizes > RANK_TOLERANCE * sizes.max()
        )  # drops rounding errors of the angles between axes
        R = np.linalg.qr(W * np.where(felt, 1.0 / np.maximum(sizes, 1e-300), 0.0), mode="r")
        chosen = np.flatnonzero(np.abs(np.diag(R)) > RANK_TOLERANCE)
        B = np.asarray(np.linalg.lstsq(W[:, chosen], W, rcond=None)[0], dtype=np.float64)
        B[np.abs(B) < MIN_COEFFICIENT] = 0.0
        return cls(parameters, tuple(map(int, chosen)), B)

    def __len__(self) -> int:
        return len(self.independent)

    @property
    def values(self) -> FloatArray:
        """The base parameters of the model."""
        return np.asarray(self.B @ self.parameters.values, dtype=np.float64)

    def regressor(self, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        """``W`` (n, nv, base parameters) with ``W beta`` the efforts at n states."""
        return self.parameters.regressor(q, v, a)[:, :, list(self.independent)]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Each combination of parameters in words, such as ``joint2.mx + 0.425 joint3.m``."""
        return tuple(self._sum(row, k) for row, k in zip(self.B, self.independent, strict=True))

    def _sum(self, row: FloatArray, first: int) -> str:
        names = self.parameters.names
        others = [k for k in np.flatnonzero(row) if k != first]
        terms = [f"{'-' if row[k] < 0 else '+'} {abs(row[k]):.6g} {names[k]}" for k in others]
        return " ".join([names[first], *terms])


def by_rules(model: Model) -> tuple[str, ...]:
    """The inertial parameters that remain after symbolic regrouping by rules.

    For robots of revolute and prismatic joints on a fixed base they are as many as
    :class:`BaseParameters` finds numerically (Khalil and Dombre 2002, section 9.4.2). Let z be the
    joint's own axis. A revolute joint leaves XX - YY, XY, XZ, YZ, ZZ, MX and MY of its body, a
    prismatic one M, MX, MY and MZ. Fewer remain where all revolute joints up to a body are
    parallel; before the first revolute joint only the mass remains.

    Raises:
        ModelError: a joint is of another kind or mimics another joint.
    """
    left: list[str] = []
    for i in model.moving_joints:
        left.extend(f"{model.names[i]}.{name}" for name in _left(model, i))
    return tuple(left)


@dataclass(frozen=True)
class _Axis:
    """A joint's axis in the world, in the neutral configuration."""

    hinge: bool
    direction: Vector3
    point: Vector3


def _left(model: Model, joint: int) -> list[str]:
    axes = [_axis(model, i) for i in model.supports[joint][1:]]
    hinges = [axis for axis in axes if axis.hinge]
    own = axes[-1]
    if not hinges:
        return ["m"]
    if any(not _parallel(axis.direction, hinges[0].direction) for axis in hinges):
        return ["Ixx-Iyy", "Ixy", "Ixz", "Iyz", "Izz", "mx", "my"] if own.hinge else [*INERTIAL[:4]]
    if not own.hinge:
        # A slide along the hinges' axis moves its body's first moments with the body before it.
        along = _parallel(own.direction, hinges[0].direction)
        return ["m"] if along else ["m", "first moment along it", "first moment across both"]
    return ["Izz"] if _on_one_line(model, axes) else ["Izz", "mx", "my"]


def _on_one_line(model: Model, axes: list[_Axis]) -> bool:
    """Whether all earlier joints turn about, or slide along, one line parallel to gravity."""
    line = next(axis for axis in axes if axis.hinge)
    weight = model.gravity_vector
    if weight.dot(weight) > 0.0 and not _parallel(line.direction, _unit(weight)):
        return False
    return all(
        _parallel(axis.direction, line.direction)
        and (
            not axis.hinge
            or _length(line.direction.cross(axis.point - line.point)) < PARALLEL_TOLERANCE
        )
        for axis in axes
    )


def _axis(model: Model, joint: int) -> _Axis:
    kind = model.joints[joint]
    if kind.motion_class not in (Freedom.TURN, Freedom.SLIDE):
        raise ModelError(
            f"joint '{model.names[joint]}' is of type {type(kind).__name__}: rules of regrouping "
            "are there for hinges and slides; BaseParameters.of finds base parameters of any robot"
        )
    place = SE3.identity()
    for i in model.supports[joint][1:]:
        place = place * model.joint_placements[i]
    direction = place.rotation.apply(kind.axis)
    return _Axis(kind.motion_class is Freedom.TURN, direction, place.translation)


def _parallel(one: Vector3, other: Vector3) -> bool:
    return _length(one.cross(other)) < PARALLEL_TOLERANCE


def _unit(vector: Vector3) -> Vector3:
    return vector * (1.0 / _length(vector))


def _length(vector: Vector3) -> float:
    return math.sqrt(float(vector.dot(vector)))
