# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The parameters that efforts are linear in: inertial parameters, rotor inertias and friction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dyn_core.compiler.runtime import Kernel, compile
from dyn_core.configuration import configurations
from dyn_core.dynamics.regressors import joint_torque_regressor
from dyn_core.errors import ModelError
from dyn_core.model.model import FloatArray, Model

INERTIAL = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
"""Inertial parameters of a body in its joint's frame: :attr:`dyn_core.spatial.Inertia.parameters`.
"""
ARMATURE, DAMPING, FRICTION, OFFSET, STICTION = (
    "armature", "damping", "friction", "offset", "stiction",
)  # fmt: skip
DRIVE = {
    ARMATURE: "kg m^2", DAMPING: "N m s/rad", FRICTION: "N m", OFFSET: "N m", STICTION: "N m",
}  # fmt: skip
"""Parameters of a joint's drive: rotor inertia, viscous and Coulomb friction, effort offset and
Stribeck friction, with their units for a revolute joint."""
DEFAULT_DRIVE = (ARMATURE, DAMPING, FRICTION, OFFSET)
MODEL_DRIVE = (ARMATURE, DAMPING, FRICTION, STICTION, "stribeck_velocity")
"""Those that a model has a place for, and the speed that belongs to Stribeck friction."""


@dataclass(frozen=True)
class Parameters:
    """The parameters of a robot whose joints have one degree of freedom each.

    Attributes:
        model: the robot.
        drive: the parameters of :data:`DRIVE` that each joint has.
        smoothing: speed (rad/s, m/s) over which Coulomb friction changes its sign.
        stribeck_velocity: speed at which Stribeck friction has fallen to 1/e.
    """

    model: Model
    drive: tuple[str, ...] = DEFAULT_DRIVE
    smoothing: float = 1e-2
    stribeck_velocity: float = 0.1

    def __post_init__(self) -> None:
        if unknown := [name for name in self.drive if name not in DRIVE]:
            raise ValueError(
                f"no such parameter of a drive: {unknown[0]!r}; there are {tuple(DRIVE)}"
            )
        for name in ("smoothing", "stribeck_velocity"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")
        for i in self.model.own_coordinates:
            joint = self.model.joints[i]
            if joint.nv != 1:
                raise ModelError(
                    f"joint '{self.model.names[i]}' has {joint.nv} degrees of freedom; "
                    "identification is for joints with one: lock it"
                )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """``joint.m`` of the body that a joint moves, ``joint.damping`` of the joint."""
        model = self.model
        bodies = [f"{name}.{term}" for name in self.bodies for term in INERTIAL]
        joints = [f"{name}.{term}" for term in self.drive for name in model.dof_names]
        return (*bodies, *joints)

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies with inertial parameters, named by the joints that move them."""
        return tuple(self.model.names[i] for i in self.model.moving_joints)

    @property
    def inertial(self) -> int:
        """Number of inertial parameters; they come first, ten for each body."""
        return len(INERTIAL) * len(self.bodies)

    @cached_property
    def values(self) -> FloatArray:
        """The parameters of the model; effort offsets are zero."""
        model = self.model
        inertial = [x for i in model.moving_joints for x in model.inertias[i].parameters]
        excess = np.array([x for i in model.own_coordinates for x in model.tree[i].limits.stiction])
        known = {ARMATURE: model.armature, DAMPING: model.damping, FRICTION: model.friction,
                 OFFSET: np.zeros(model.nv), STICTION: excess}  # fmt: skip
        return np.concatenate([inertial, *(known[term] for term in self.drive)])

    def regressor(self, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        """``W`` (n, nv, parameters) with ``W pi`` the efforts at n states.

        Args:
            q: positions (n, nv), also of joints without end.
            v: velocities (n, nv).
            a: accelerations (n, nv).
        """
        states = configurations(self.model, q), v, a
        inertial = self._kernel.batch(*(np.ascontiguousarray(x) for x in states))
        direction = np.tanh(v / self.smoothing)
        terms = {
            ARMATURE: a,
            DAMPING: v,
            FRICTION: direction,
            OFFSET: np.ones_like(v),
            STICTION: direction * np.exp(-((v / self.stribeck_velocity) ** 2)),
        }
        diagonals = [_on_diagonals(terms[name]) for name in self.drive]
        return np.concatenate([inertial, *diagonals], axis=2)

    @cached_property
    def _kernel(self) -> Kernel:
        return compile(self.model, [joint_torque_regressor])


def with_drives(model: Model, drives: Mapping[str, Mapping[str, float]]) -> Model:
    """The robot with other rotors and friction.

    Args:
        model: the robot.
        drives: values of :data:`MODEL_DRIVE` by names of joints; others are ignored, such as
            offsets, and negative ones are zero.

    Raises:
        KeyError: the robot has no such joint.
    """
    tree = list(model.tree)
    for name, terms in drives.items():
        i = model.joint_index(name)
        limits = {term: (max(float(x), 0.0),) for term, x in terms.items() if term in MODEL_DRIVE}
        tree[i] = replace(tree[i], limits=replace(tree[i].limits, **limits))
    return replace(model, tree=tuple(tree))


def _on_diagonals(rows: FloatArray) -> FloatArray:
    """(n, k, k) diagonal matrices of rows (n, k)."""
    result = np.zeros((*rows.shape, rows.shape[1]))
    index = np.arange(rows.shape[1])
    result[:, index, index] = rows
    return result


def random_states(model: Model, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Positions, velocities and accelerations (count, nv), the same each time."""
    random = np.random.default_rng(0)
    q, v, a = random.uniform(-np.pi, np.pi, size=(3, count, model.nv))
    return q, v, a
