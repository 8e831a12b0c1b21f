# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Physical consistency: the nearest parameters to an estimate that real bodies can have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.geometry.geometry_model import GeometryModel
from dyn_core.geometry.shape_properties import corners, hull_planes
from dyn_core.identification.parameters import INERTIAL, OFFSET, Parameters
from dyn_core.identification.prior import PSEUDO_INERTIA_SIZE, TRIANGLE, Prior
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import number

MAX_WEIGHT = 1e9
"""Largest weight of the prior, beyond which no solver finds a solution."""
DRIVE_PRIOR_WEIGHT = 1e-3
"""Weight of the model's rotors and friction as a prior, in standard errors."""
DETERMINANT_SIZE = 2 * PSEUDO_INERTIA_SIZE
"""Size of the matrix whose semidefiniteness bounds a determinant."""


class UnsolvedError(ModelError):
    """The solver found no physically consistent parameters."""


@dataclass(frozen=True)
class Hull:
    """A bound of a body's centre of mass c, in its joint's frame: ``normals c <= offsets``."""

    normals: FloatArray
    """(n, 3) outward normals."""
    offsets: FloatArray
    """(n,) distances of the faces from the origin, m."""


def hulls_of(model: Model, geometry: GeometryModel) -> dict[str, Hull]:
    """The convex hull of the shapes of each joint's body, by the joint's name; includes meshes.

    A body without shapes, or with flat shapes only, has no hull. Shapes of another robot raise
    ModelError.
    """
    geometry.check(model)
    points: dict[int, list[FloatArray]] = {}
    for one in geometry.objects:
        points.setdefault(one.joint, []).append(corners(one.shape, one.placement))
    hulls = {}
    for joint, parts in points.items():
        planes = hull_planes(np.concatenate(parts))
        if joint and planes is not None:
            hulls[model.names[joint]] = Hull(planes[:, :3], -planes[:, 3])
    return hulls


@dataclass(frozen=True)
class Knowledge:
    """Prior knowledge of a robot."""

    prior: Prior
    """Prior of the bodies."""
    hulls: Mapping[str, Hull] = field(default_factory=dict)
    """Bounds of centres of mass, by the name of the joint that moves the body."""
    mass: float | None = None
    """Total mass of all moving bodies, kg."""


def consistent(
    parameters: Parameters, A: FloatArray, b: FloatArray, known: Knowledge, weight: float
) -> FloatArray:
    """Physically consistent parameters pi that minimize ``|A pi - b|^2 + weight sum of d``.

    d is the distance of each body from its prior (:mod:`dyn_core.identification.prior`). Rotor
    inertias and friction are not negative. The problem is a conic program (Lee, Wensing and Park
    2019; the determinant as in Ben-Tal and Nemirovski 2001, section 4.2).

    Args:
        parameters: of the robot.
        A: (n, parameters).
        b: (n,).
        known: prior knowledge of the robot.
        weight: of the distances, above 0.

    Raises:
        KeyError: a hull belongs to no joint.
        UnsolvedError: the solver failed; the message has its status.
        ModelError: clarabel or scipy is not installed, or the prior is of another robot.
    """
    check_weight(weight)
    bodies, prior = parameters.bodies, known.prior
    if len(prior.matrices) != len(bodies) or prior.names not in ((), bodies):
        raise ModelError(f"the prior is of {prior.names or len(prior.matrices)}, not of {bodies}")
    clarabel = optional("clarabel", "physical consistency", extra="identification")
    program = _Program(parameters, A, b, known)
    solution = program.solved(clarabel, weight)
    if str(solution.status) not in ("Solved", "AlmostSolved"):
        raise UnsolvedError(
            f"no physically consistent parameters were found ({solution.status}): is the mass that "
            "was given, or a shape that a centre of mass must be in, wrong? Or record a more "
            "exciting motion"
        )
    return program.parameters_of(np.array(solution.x))


def check_weight(weight: float) -> None:
    """Refuse a weight that is no number above 0, or too large for the solver. Raises ModelError."""
    if not 0.0 < number("weight", weight) <= MAX_WEIGHT:
        raise ModelError(f"weight must be above 0 and at most {MAX_WEIGHT:g}, not {weight}")


class _Program:
    """The conic program.

    The unknowns are: the 10 entries of the triangle of X of each body, with ``P = L X L'``; changes
    of the drives' parameters; ``y = A pi - b``; and 14 more of each body that bound its
    determinant. The map by L gives all bodies the same scale. The unknown y avoids ``A'A``, which
    would cost half of the digits.
    """

    def __init__(
        self, parameters: Parameters, A: FloatArray, b: FloatArray, known: Knowledge
    ) -> None:
        sparse = optional("scipy.sparse", "physical consistency", extra="identification")
        self._sparse, self._parameters, self._known = sparse, parameters, known
        self._bodies, self._inertial = len(parameters.bodies), parameters.inertial
        start = parameters.values[self._inertial :]
        scale = max(float(np.abs(start).max(initial=0.0)), 1.0)
        self._start = np.concatenate([np.zeros(self._inertial), start])
        self._map = sparse.block_diag([*known.prior.maps, scale * sparse.eye(len(start))], "csr")
        self._A, self._b = A @ self._map, b - A @ self._start

    def parameters_of(self, unknowns: FloatArray) -> FloatArray:
        """All parameters pi of a solution."""
        return np.asarray(self._start + self._map @ unknowns[: len(self._start)], dtype=np.float64)

    def solved(self, clarabel: Any, weight: float) -> Any:
        """The solver's solution."""
        sparse, rows, n = self._sparse, len(self._b), len(self._start)
        extra = self._bodies * EXTRA_UNKNOWNS
        quadratic = np.repeat(
            [0.0, 2.0 * DRIVE_PRIOR_WEIGHT**2, 2.0, 0.0],
            [self._inertial, n - self._inertial, rows, extra],
        )
        linear = np.concatenate(
            [np.tile(weight * TRACE, self._bodies), np.zeros(n - self._inertial + rows),
             np.tile(-weight * LOGARITHMS, self._bodies)]
        )  # fmt: skip
        residual = sparse.hstack(
            [self._A, -sparse.eye(rows), sparse.csr_matrix((rows, extra))], format="csr"
        )
        cones = [clarabel.ZeroConeT(rows)]
        parts, right = [residual], [self._b]
        for matrix, bound, cone in self._constraints(clarabel):
            wide = sparse.csr_matrix((matrix.shape[0], rows))
            parts.append(sparse.hstack([matrix[:, :n], wide, matrix[:, n:]], format="csr"))
            right.append(bound)
            cones.extend(cone)
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        return clarabel.DefaultSolver(
            sparse.diags(quadratic, format="csc"), linear, sparse.vstack(parts, format="csc"),
            np.concatenate(right), cones, settings,
        ).solve()  # fmt: skip

    def _constraints(self, clarabel: Any) -> Any:
        """Rows, right sides and cones: ``right - rows z`` is in the cone."""
        sparse, n = self._sparse, len(self._start)
        none = sparse.csr_matrix((0, n + self._bodies * EXTRA_UNKNOWNS))
        for k in range(self._bodies):
            own = slice(len(INERTIAL) * k, len(INERTIAL) * (k + 1))
            more = slice(n + EXTRA_UNKNOWNS * k, n + EXTRA_UNKNOWNS * (k + 1))
            determinant = sparse.lil_matrix((len(DETERMINANT), none.shape[1]))
            determinant[:, own], determinant[:, more] = (
                -DETERMINANT[:, : len(INERTIAL)], -DETERMINANT[:, len(INERTIAL) :],
            )  # fmt: skip
            yield (
                determinant.tocsr(),
                np.zeros(len(DETERMINANT)),
                [clarabel.PSDTriangleConeT(DETERMINANT_SIZE)],
            )
            logarithms = sparse.lil_matrix((3 * PSEUDO_INERTIA_SIZE, none.shape[1]))
            for i in range(PSEUDO_INERTIA_SIZE):  # (t, 1, z): exp(t) <= z
                logarithms[3 * i, more.start + EXTRA_UNKNOWNS - PSEUDO_INERTIA_SIZE + i] = -1.0
                logarithms[3 * i + 2, more.start + DIAGONAL[i]] = -1.0
            yield (
                logarithms.tocsr(),
                np.tile([0.0, 1.0, 0.0], PSEUDO_INERTIA_SIZE),
                [clarabel.ExponentialConeT()] * PSEUDO_INERTIA_SIZE,
            )
        for matrix, bound, is_equation in self._linear():
            wide = sparse.csr_matrix((matrix.shape[0], self._bodies * EXTRA_UNKNOWNS))
            kind = clarabel.ZeroConeT if is_equation else clarabel.NonnegativeConeT
            rows = sparse.hstack([matrix @ self._map, wide], format="csr")
            yield rows, bound - matrix @ self._start, [kind(len(bound))]

    def _linear(self) -> Any:
        """Linear inequalities and equations of all parameters, ``rows pi <= bounds``."""
        sparse, model, n = self._sparse, self._parameters.model, len(self._start)
        signs = [k for k in range(self._inertial, n) if k not in _signed(self._parameters)]
        if signs:
            yield -sparse.eye(n, format="csr")[signs], np.zeros(len(signs)), False
        for name, hull in self._known.hulls.items():
            first = len(INERTIAL) * (model.joint_index(name) - 1)
            rows = sparse.lil_matrix((len(hull.offsets), n))
            rows[:, first], rows[:, first + 1 : first + 4] = -hull.offsets[:, None], hull.normals
            yield rows.tocsr(), np.zeros(len(hull.offsets)), False
        if self._known.mass is not None:
            masses = np.zeros((1, n))
            masses[0, : self._inertial : len(INERTIAL)] = 1.0
            yield sparse.csr_matrix(masses), np.array([self._known.mass]), True


def _signed(parameters: Parameters) -> set[int]:
    """Indices of drive parameters that may be negative: offsets."""
    count = parameters.model.nv
    starts = [
        parameters.inertial + count * k for k, term in enumerate(parameters.drive) if term == OFFSET
    ]
    return {start + joint for start in starts for joint in range(count)}


def _determinant() -> tuple[FloatArray, list[int]]:
    """``[[X, Z], [Z', diag Z]]``, Z lower triangular, and the indices of the diagonal of Z.

    The matrix is returned as an upper triangle by columns. It is semidefinite if and only if
    ``det X`` is at least the product of the diagonal of Z.
    """
    lower = [(i, j) for j in range(PSEUDO_INERTIA_SIZE) for i in range(j, PSEUDO_INERTIA_SIZE)]
    rows = []
    for j in range(DETERMINANT_SIZE):
        for i in range(j + 1):
            row = np.zeros(len(TRIANGLE) + len(lower) + PSEUDO_INERTIA_SIZE)
            factor = 1.0 if i == j else np.sqrt(2.0)  # the solver's scaled triangle
            if j < PSEUDO_INERTIA_SIZE:
                row[TRIANGLE.index((i, j))] = factor
            elif i < PSEUDO_INERTIA_SIZE:
                if i >= j - PSEUDO_INERTIA_SIZE:
                    row[len(TRIANGLE) + lower.index((i, j - PSEUDO_INERTIA_SIZE))] = factor
            elif i == j:
                row[
                    len(TRIANGLE) + lower.index((i - PSEUDO_INERTIA_SIZE, i - PSEUDO_INERTIA_SIZE))
                ] = factor
            rows.append(row)
    return np.array(rows), [lower.index((i, i)) for i in range(PSEUDO_INERTIA_SIZE)]


DETERMINANT, DIAGONAL = _determinant()
EXTRA_UNKNOWNS = len(INERTIAL) + PSEUDO_INERTIA_SIZE
"""Unknowns of a body besides X: Z, and the logarithms of its diagonal."""
TRACE = np.array([float(i == j) for i, j in TRIANGLE])
"""Trace of X as weights of the entries of its triangle."""
LOGARITHMS = np.repeat([0.0, 1.0], [len(INERTIAL), PSEUDO_INERTIA_SIZE])
"""1 for the logarithms among those unknowns, else 0."""
