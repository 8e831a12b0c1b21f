# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A part of the robot that stands on something, or holds on to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import cast

import numpy as np

from dyn_core.control.pose_error import pose_error
from dyn_core.control.quadratic_program import friction_pyramid
from dyn_core.control.tasks.frame_tasks import FrameTask
from dyn_core.control.tasks.task import EvaluatedState, Terms
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import number, numbers
from dyn_core.spatial import Matrix3, Vector3


@dataclass(slots=True)
class ContactTerms(Terms):
    """A contact at a state."""

    cone: FloatArray
    """(k, rows) that are not negative, times the force on the robot along the axes of the world;
    the last row is the normal force."""


class ContactTask(FrameTask):
    """A contact frame does not move: a point that may turn (3 rows) or a sole (6 rows).

    As a constraint the frame stays whatever it costs; its force on the robot pushes, and stays
    within Coulomb's friction, as the inscribed pyramid. That of a sole has its centre of pressure
    within the sole, and turns no more than friction on its corners resists (Caron, Pham and
    Nakamura 2015, equations 11 to 16).

    Args:
        frame: its name; the moment of a sole is about its origin.
        sole: None of a point; else the edges ``(x_min, x_max, y_min, y_max)``, m, of a rectangle in
            the frame's plane z = 0, whose normal z comes out of what it stands on.
        friction: coefficient mu.
        normal: (3,) of the ground at a point, in the world. A sole has its own.
        most: largest normal force, N.
        gain, damping_ratio: by which the frame returns to its target, where it has one, and its
            speed decays.
    """

    def __init__(
        self,
        frame: str,
        sole: tuple[float, float, float, float] | None = None,
        friction: float = 0.6,
        normal: Sequence[float] = (0.0, 0.0, 1.0),
        most: float = math.inf,
        gain: float = 10.0,
        damping_ratio: float = 1.0,
    ) -> None:
        super().__init__(frame, gain=gain, damping_ratio=damping_ratio)
        if not (math.isfinite(number(f"{self}: friction", friction)) and friction > 0.0):
            raise ValueError(f"{self}: friction must be positive, not {friction}")
        if not number(f"{self}: the largest force", most) > 0.0:
            raise ValueError(f"{self}: the largest force must be above 0, not {most}")
        length = float(np.linalg.norm(numbers(f"{self}: normal", normal, (3,))))
        if not (math.isfinite(length) and length > 0.0):
            raise ValueError(f"{self}: normal must be a direction in the world, not {normal}")
        if sole is not None and not (sole[0] < sole[1] and sole[2] < sole[3]):
            raise ValueError(f"{self}: sole must be (x_min, x_max, y_min, y_max), not {sole}")
        self.rows = 3 if sole is None else 6
        self.most = most
        axes = Matrix3.of_z_axis(Vector3(*(float(x) / length for x in normal)))
        self._ground: FloatArray = np.array([[*row] for row in axes.rows])
        self._cone = friction_pyramid(friction) if sole is None else _wrench_cone(friction, *sole)

    def evaluate(self, model: Model, q: FloatArray, v: FloatArray) -> ContactTerms:
        """The contact at a state; see :meth:`Task.evaluate`."""
        return cast(ContactTerms, super().evaluate(model, q, v))

    def terms(self, state: EvaluatedState, values: Sequence[FloatArray]) -> ContactTerms:
        """The error is zero where no target is given: the frame stays wherever it is."""
        placement, jacobian, velocity, drift = values
        target = placement if self.target is None else self.target
        rows = self.rows
        axes = self._ground if rows == 3 else np.kron(np.eye(2), placement[:3, :3])
        return ContactTerms(
            pose_error(placement, target)[:rows],
            jacobian[:rows],
            drift[:rows],
            velocity[:rows],
            self._cone @ axes.T,
        )


def _wrench_cone(
    friction: float, x_min: float, x_max: float, y_min: float, y_max: float
) -> FloatArray:
    """Rows (17, 6) that are not negative for wrenches of a sole, in its frame, force first."""
    mu = friction / math.sqrt(2.0)
    X, Y = 0.5 * (x_max - x_min), 0.5 * (y_max - y_min)
    rows = [
        [s * (axis == 0), s * (axis == 1), mu, 0.0, 0.0, 0.0] for axis in (0, 1) for s in (1, -1)
    ]
    rows += [[0.0, 0.0, Y, s, 0.0, 0.0] for s in (1.0, -1.0)]
    rows += [[0.0, 0.0, X, 0.0, s, 0.0] for s in (1.0, -1.0)]
    turn = mu * (X + Y)  # the moment about z is between -turn fz + |..| + |..| and its mirror image
    signs = (1.0, -1.0)
    for s, a, b in product(signs, signs, signs):
        rows.append([a * Y, b * X, turn, a * s * mu, b * s * mu, -s])
    rows.append([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    center = 0.5 * (x_min + x_max), 0.5 * (y_min + y_max), 0.0
    about_center = np.eye(6)  # the moment about the middle of the sole: that at the origin - c x f
    about_center[3:, :3] = -np.cross(np.eye(3), center)  # [center]x
    result: FloatArray = np.array(rows, dtype=np.float64) @ about_center
    return result
