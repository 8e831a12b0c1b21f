# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Prior knowledge of bodies, and the distance of a body from its prior.

The distance is the log-determinant divergence of their pseudo-inertias P (4, 4)::

    d(P, P0) = tr(P0^-1 P) - log det(P0^-1 P) - 4

The distance has no unit, is the same in every frame, is convex in P, and is infinite for a
physically inconsistent body (Lee, Wensing and Park, "Geometric robot dynamic identification: a
convex programming approach", 2019, section IV).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.geometry.geometry_model import GeometryModel
from dyn_core.geometry.shape_properties import solid_of
from dyn_core.identification.parameters import INERTIAL
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import numbers
from dyn_core.spatial import Inertia

PSEUDO_INERTIA_SIZE = 4
"""Size of a pseudo-inertia."""
MIN_MOMENT_SHARE = 1e-3
"""Least second moment of a prior about its centre of mass, as a share of its largest one."""
MIN_RADIUS_M = 1e-2
"""Radius of gyration that a prior gives to a point mass, m."""
MIN_MASS_SHARE = 1e-3
"""Least mass of a prior, as a share of the robot's mass."""


@dataclass(frozen=True)
class Prior:
    """A pseudo-inertia of each moving body in the frame of its joint, in the model's order."""

    matrices: tuple[FloatArray, ...]
    """(4, 4) each, positive definite."""
    names: tuple[str, ...] = ()
    """Names of the joints that move them; empty if unknown."""

    @classmethod
    def of_model(cls, model: Model) -> Prior:
        """The bodies of a description; inconsistent ones are projected to consistent ones."""
        return cls.of_bodies(model.inertias[1:], model.names[1:])

    @classmethod
    def of_shapes(cls, model: Model, geometry: GeometryModel, mass: float) -> Prior:
        """Bodies with the volume of their shapes and one density, of total ``mass`` (kg).

        Raises:
            ModelError: a body has no shape with a volume, or the shapes are of another robot.
        """
        geometry.check(model)
        solids = [Inertia.zero() for _ in model.tree]
        for one in geometry.objects:
            found = solid_of(one.shape)
            if found is not None:
                solids[one.joint] = solids[one.joint] + one.placement.act_inertia(found[0])
        moving = [solids[i] for i in model.moving_joints]
        for i, body in zip(model.moving_joints, moving, strict=True):
            if not body.mass > 0.0:
                raise ModelError(
                    f"the body of joint '{model.names[i]}' has no shape that encloses anything: "
                    "take the description as the prior, or name the folder of its meshes"
                )
        density = mass / sum(float(body.mass) for body in moving)
        return cls.of_bodies(
            [Inertia.from_parameters([density * x for x in body.parameters]) for body in moving],
            model.names[1:],
        )

    @classmethod
    def of_bodies(cls, bodies: Sequence[Inertia], names: tuple[str, ...] = ()) -> Prior:
        """The prior of bodies; inconsistent ones are projected to consistent ones."""
        least = MIN_MASS_SHARE * max(sum(float(body.mass) for body in bodies), 1e-300)
        return cls(tuple(_possible(body, least) for body in bodies), names)

    @cached_property
    def roots(self) -> tuple[FloatArray, ...]:
        """Lower triangles L with ``P0 = L L'``."""
        return tuple(np.asarray(np.linalg.cholesky(x), dtype=np.float64) for x in self.matrices)

    @cached_property
    def maps(self) -> tuple[FloatArray, ...]:
        """(10, 10) maps from the upper triangle of X, by columns, to the parameters of L X L'."""
        return tuple(
            np.array([_parameters(root @ unit @ root.T) for unit in UNITS]).T for root in self.roots
        )

    @property
    def values(self) -> FloatArray:
        """The inertial parameters of the prior, 10 for each body."""
        return np.concatenate([_parameters(matrix) for matrix in self.matrices])

    def distance(self, values: FloatArray) -> FloatArray:
        """(bodies,) distance of the bodies with these inertial parameters from their priors."""
        count = len(INERTIAL) * len(self.matrices)
        bodies = numbers("values of bodies", values, (count,)).reshape(-1, len(INERTIAL))
        result = []
        for body, root in zip(bodies, self.roots, strict=True):
            left = np.linalg.solve(root, pseudo_inertia(body))
            ratio = np.linalg.solve(root, left.T)
            result.append(np.trace(ratio) - np.linalg.slogdet(ratio)[1] - PSEUDO_INERTIA_SIZE)
        return np.array(result, dtype=np.float64)


TRIANGLE = tuple((i, j) for j in range(PSEUDO_INERTIA_SIZE) for i in range(j + 1))
"""Row and column of each entry of the upper triangle, by columns."""


def _units() -> FloatArray:
    """(10, 4, 4) basis of the symmetric matrices, in the order of the upper triangle."""
    units = np.zeros((len(INERTIAL), PSEUDO_INERTIA_SIZE, PSEUDO_INERTIA_SIZE))
    for k, (row, column) in enumerate(TRIANGLE):
        units[k, row, column] = units[k, column, row] = 1.0
    return units


UNITS = _units()


def pseudo_inertia(parameters: FloatArray) -> FloatArray:
    """The 4x4 matrix of ten parameters (Wensing, Kim and Slotine 2018, equation 10)."""
    return np.array(Inertia.from_parameters(parameters.tolist()).pseudo_inertia(), dtype=np.float64)


def _parameters(matrix: FloatArray) -> FloatArray:
    return np.array(Inertia.from_pseudo_inertia(matrix.tolist()).parameters, dtype=np.float64)


def _possible(body: Inertia, least: float) -> FloatArray:
    """The pseudo-inertia of a body with at least some mass, and some extent along every axis."""
    mass = max(float(body.mass), least)
    com = np.array(list(body.first_moment), dtype=np.float64) / mass
    spread = pseudo_inertia(np.array(body.parameters))[:3, :3] - mass * np.outer(com, com)
    moments, axes = np.linalg.eigh(spread)
    floor = max(MIN_MOMENT_SHARE * float(moments[-1]), MIN_MOMENT_SHARE * mass * MIN_RADIUS_M**2)
    if moments[-1] <= MIN_MOMENT_SHARE * mass * MIN_RADIUS_M**2:
        floor = mass * MIN_RADIUS_M**2
    spread = (axes * np.maximum(moments, floor)) @ axes.T
    matrix = np.empty((PSEUDO_INERTIA_SIZE, PSEUDO_INERTIA_SIZE))
    matrix[:3, :3] = spread + mass * np.outer(com, com)
    matrix[:3, 3] = matrix[3, :3] = mass * com
    matrix[3, 3] = mass
    return matrix
