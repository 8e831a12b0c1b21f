"""Physical consistency: full parameters of bodies that can exist, with the identified base ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.geometry.model import GeometryModel
from dyn_core.geometry.solids import corners
from dyn_core.identification.parameters import INERTIAL, OFFSET
from dyn_core.identification.regression import Estimate
from dyn_core.model.model import FloatArray, Model
from dyn_core.spatial import Inertia

PULL = 1e-3
"""Weight of staying near the model's values, in standard errors of the base parameters."""
MARGIN = 1e-8
"""Smallest eigenvalue of a pseudo-inertia beside the size of the model's own."""
SIZE = 4
"""Of a pseudo-inertia."""


@dataclass(frozen=True)
class Box:
    """Where the centre of mass of a body may be, in its joint's frame, m."""

    lower: FloatArray
    """(3,)"""
    upper: FloatArray
    """(3,)"""

    def __post_init__(self) -> None:
        if not (np.asarray(self.lower) < np.asarray(self.upper)).all():
            raise ValueError(f"a box from {self.lower} to {self.upper} encloses nothing")


def boxes_of(model: Model, geometry: GeometryModel) -> dict[str, Box]:
    """Boxes around the shapes of each joint's body, by the joint's name.

    A body without shapes, or with flat ones, has none.
    """
    points: dict[int, list[FloatArray]] = {}
    for one in geometry.objects:
        points.setdefault(one.joint, []).append(corners(one.shape, one.placement))
    boxes = {}
    for joint, parts in points.items():
        cloud = np.concatenate(parts)
        if joint and len(cloud) and (np.ptp(cloud, axis=0) > 0.0).all():
            boxes[model.names[joint]] = Box(cloud.min(axis=0), cloud.max(axis=0))
    return boxes


def consistent(estimate: Estimate, boxes: Mapping[str, Box] | None = None) -> FloatArray:
    """All parameters: nearest to the estimate, and to the model's values where that says nothing.

    Pseudo-inertias are positive definite (Wensing, Kim and Slotine 2018), friction and rotors are
    not negative, centres of mass lie in their boxes: a semidefinite program (Sousa and Cortesao
    2014).

    Args:
        estimate: of base parameters.
        boxes: by the name of the joint that moves the body.

    Raises:
        KeyError: a box for a joint that there is not.
        ModelError: the program has no solution, and the message says what the solver found; or
            clarabel or scipy is not installed.
    """
    clarabel = optional("clarabel", "physical consistency", extra="identification")
    sparse = optional("scipy.sparse", "physical consistency", extra="identification")
    parameters = estimate.base.parameters
    start = parameters.values
    scales = _scales(start, parameters.inertial)
    # Minimize |y|^2 + |PULL x|^2 with pi = start + scales x and y = R (B pi - beta). With y as an
    # unknown of its own nothing is squared, which would cost half of the digits.
    A = estimate.R @ estimate.base.B * scales
    b = estimate.R @ (estimate.values - estimate.base.B @ start)
    P = sparse.diags(np.repeat([2.0 * PULL**2, 2.0], A.shape[::-1]), format="csc")
    cones = _Cones(clarabel, start, scales)
    for i in parameters.model.moving_joints:
        cones.pseudo_inertia(10 * (i - 1))
    cones.not_negative(_not_negative(estimate))
    for name, box in (boxes or {}).items():
        cones.box(10 * (parameters.model.joint_index(name) - 1), box)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    matrix = sparse.bmat([[A, -sparse.eye(len(b))], [np.vstack(cones.rows), None]], format="csc")
    right = np.concatenate([b, *cones.right])
    every = [clarabel.ZeroConeT(len(b)), *cones.cones]
    linear = np.zeros(len(start) + len(b))
    solution = clarabel.DefaultSolver(P, linear, matrix, right, every, settings).solve()
    if str(solution.status) not in ("Solved", "AlmostSolved"):
        raise ModelError(
            f"no physically consistent parameters were found ({solution.status}): widen the boxes "
            "of centres of mass, or record a more exciting motion"
        )
    return np.asarray(start + scales * np.array(solution.x)[: len(start)], dtype=np.float64)


def _scales(values: FloatArray, inertial: int) -> FloatArray:
    """The size of a change that counts as one: of each kind of parameter the usual one."""
    scales = np.empty(len(values))
    for k in range(10):
        kind = values[k:inertial:10]
        scales[k:inertial:10] = max(float(np.abs(kind).mean()), 1e-3)
    scales[inertial:] = max(float(np.abs(values[inertial:]).max(initial=0.0)), 1.0)
    return scales


def _not_negative(estimate: Estimate) -> list[int]:
    parameters = estimate.base.parameters
    count = parameters.model.nv
    terms = [k for k, term in enumerate(parameters.drive) if term != OFFSET]
    return [parameters.inertial + count * k + joint for k in terms for joint in range(count)]


class _Cones:
    """Rows of ``right - rows x`` in cones, for the parameters ``start + scales x``."""

    def __init__(self, clarabel: Any, start: FloatArray, scales: FloatArray) -> None:
        self._clarabel, self._start, self._scales = clarabel, start, scales
        self.rows: list[FloatArray] = []
        self.right: list[FloatArray] = []
        self.cones: list[Any] = []

    def pseudo_inertia(self, first: int) -> None:
        """That of the ten parameters from ``first`` on is positive definite."""
        linear = np.array(
            [_triangle(_pseudo_inertia(unit)) for unit in np.eye(len(INERTIAL)).tolist()]
        ).T
        own = self._start[first : first + len(INERTIAL)].tolist()
        size = MARGIN * max(float(np.trace(_pseudo_inertia(own))), 1e-6)
        self._add(first, linear, -size * _triangle(np.eye(SIZE)))
        self.cones.append(self._clarabel.PSDTriangleConeT(SIZE))

    def not_negative(self, which: list[int]) -> None:
        """These parameters are not."""
        if which:
            rows = np.zeros((len(which), len(self._start)))
            rows[range(len(which)), which] = -self._scales[which]
            self.rows.append(rows)
            self.right.append(self._start[which])
            self.cones.append(self._clarabel.NonnegativeConeT(len(which)))

    def box(self, first: int, box: Box) -> None:
        """``m lower <= m c <= m upper`` for the body of the ten parameters from ``first`` on."""
        linear = np.zeros((6, len(INERTIAL)))
        for k in range(3):
            linear[k, 0], linear[k, 1 + k] = -box.lower[k], 1.0
            linear[3 + k, 0], linear[3 + k, 1 + k] = box.upper[k], -1.0
        self._add(first, linear, np.zeros(6))
        self.cones.append(self._clarabel.NonnegativeConeT(6))

    def _add(self, first: int, linear: FloatArray, offset: FloatArray) -> None:
        """``linear pi + offset`` of ten parameters is in the cone that follows."""
        part = slice(first, first + len(INERTIAL))
        rows = np.zeros((len(linear), len(self._start)))
        rows[:, part] = -linear * self._scales[part]
        self.rows.append(rows)
        self.right.append(linear @ self._start[part] + offset)


def _pseudo_inertia(parameters: Sequence[float]) -> FloatArray:
    """The 4x4 matrix of ten parameters (Wensing, Kim and Slotine 2018, equation 10)."""
    return np.array(Inertia.from_parameters(parameters).pseudo_inertia(), dtype=np.float64)


def _triangle(matrix: FloatArray) -> FloatArray:
    """The upper triangle by columns, off the diagonal times sqrt(2), as the solver takes it."""
    return np.array([
        matrix[i, j] * (1.0 if i == j else np.sqrt(2.0)) for j in range(SIZE) for i in range(j + 1)
    ])  # fmt: skip
