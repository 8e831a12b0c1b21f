# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Model predictive control of a legged robot as one body that is pushed at its feet.

The rotation is linearized about its heading and the forces act at known points, so that the motion
over a horizon is linear in the forces and the best ones are those of a quadratic program (Di Carlo
et al. 2018, "Dynamic locomotion in the MIT Cheetah 3 through convex model-predictive control").
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dyn_core.control.quadratic_program import InfeasibleError, friction_pyramid, minimized
from dyn_core.model.model import FloatArray
from dyn_core.model.value_checks import number

STATE_SIZE = 12
"""Roll, pitch, yaw (rad), position (m), angular velocity (rad/s), velocity (m/s), in the world."""
WEIGHTS = (20.0, 20.0, 10.0, 5.0, 5.0, 50.0, 0.1, 0.1, 0.1, 2.0, 2.0, 1.0)
"""Of the squared errors of the state."""
FORCE_WEIGHT = 1e-6
"""Of the squared forces, 1/N^2."""


@dataclass(frozen=True)
class CentroidalMPC:
    """Finds the forces of the feet over a horizon.

    Attributes:
        mass: kg.
        inertia: (3, 3) about the centre of mass, in the axes of the body, kg m^2.
        friction: coefficient; forces stay within the pyramid inscribed in its cone.
        most: largest normal force of a foot, N.
        nodes: of the horizon.
        dt: from node to node, s.
        gravity: m/s^2.
        weights: (12,) of the squared errors of the state.
    """

    mass: float
    inertia: FloatArray
    friction: float = 0.6
    most: float = 500.0
    nodes: int = 10
    dt: float = 0.05
    gravity: float = 9.81
    weights: tuple[float, ...] = WEIGHTS

    def __post_init__(self) -> None:
        for name in ("mass", "friction", "most", "nodes", "dt", "gravity"):
            value = getattr(self, name)
            plain = number(f"centroidal MPC: {name}", value)
            if not (plain > 0 and (math.isfinite(plain) or name == "most")):
                raise ValueError(f"centroidal MPC: {name} must be above 0, not {value}")
        if not isinstance(self.nodes, int):
            raise ValueError(f"centroidal MPC: nodes must be a whole number, not {self.nodes}")
        if len(self.weights) != STATE_SIZE or not all(0.0 <= w < math.inf for w in self.weights):
            raise ValueError(f"centroidal MPC: give {STATE_SIZE} weights that are not negative")
        inertia = np.asarray(self.inertia)
        sound = inertia.shape == (3, 3) and np.isfinite(inertia).all()
        if not sound or np.linalg.eigvalsh(0.5 * (inertia + inertia.T))[0] <= 0.0:
            raise ValueError("centroidal MPC: inertia must be (3, 3) and positive definite")

    def forces(
        self,
        state: FloatArray,
        reference: FloatArray,
        feet: FloatArray,
        stance: NDArray[np.bool_],
    ) -> FloatArray:
        """The forces (nodes, feet, 3) of the ground, in the axes of the world, N.

        Args:
            state: (12,), see :data:`STATE_SIZE`.
            reference: (nodes, 12), the states wanted at the ends of the nodes.
            feet: (nodes, feet, 3), where the feet are in the world, m.
            stance: (nodes, feet), which of them stand.

        Raises:
            InfeasibleError: the program has no solution.
            MissingExtraError: daqp is not installed.
            ValueError: an argument is not finite, or of the wrong shape.
        """
        self._check(state, reference, feet, stance)
        if not stance.any():
            return np.zeros((*stance.shape, 3))
        A, inputs = self._model(float(state[2]), reference, feet, stance)
        start, effect = self._condensed(A, inputs, state)
        # |start + effect f - reference|^2 of all nodes, in the weights' measure.
        Q = np.tile(self.weights, self.nodes)
        hessian = effect.T @ (Q[:, None] * effect) + FORCE_WEIGHT * np.eye(effect.shape[1])
        gradient = effect.T @ (Q * (start - reference.ravel()))
        found = self._solved(hessian, gradient)
        result = np.zeros((*stance.shape, 3))
        result[stance] = found.reshape(-1, 3)
        return result

    def _check(
        self, state: FloatArray, reference: FloatArray, feet: FloatArray, stance: NDArray[np.bool_]
    ) -> None:
        count = stance.shape[1] if stance.ndim == 2 else 0
        shapes = {
            "state": (state, (STATE_SIZE,)),
            "reference": (reference, (self.nodes, STATE_SIZE)),
            "feet": (feet, (self.nodes, count, 3)),
            "stance": (stance, (self.nodes, count)),
        }
        for name, (array, shape) in shapes.items():
            if array.shape != shape or not np.isfinite(array).all():
                raise ValueError(f"centroidal MPC: {name} must be finite, of shape {shape}")

    def _model(
        self, yaw: float, reference: FloatArray, feet: FloatArray, stance: NDArray[np.bool_]
    ) -> tuple[FloatArray, list[FloatArray]]:
        """``x' = A x + B_k f_k + gravity`` of a node; B_k has columns for the feet that stand."""
        c, s = math.cos(yaw), math.sin(yaw)
        heading = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        A = np.eye(STATE_SIZE)
        A[0:3, 6:9] = self.dt * heading.T  # rates of roll, pitch and yaw, for small of the first
        A[3:6, 9:12] = self.dt * np.eye(3)
        inverse = np.linalg.inv(heading @ self.inertia @ heading.T)
        inputs = []
        for k in range(self.nodes):
            columns = [np.zeros((STATE_SIZE, 0))]
            for place in feet[k][stance[k]]:
                arm = place - reference[k, 3:6]
                B = np.zeros((STATE_SIZE, 3))
                B[6:9] = self.dt * inverse @ np.cross(np.eye(3), arm)  # [arm]x
                B[9:12] = self.dt / self.mass * np.eye(3)
                B[0:3] = 0.5 * self.dt * heading.T @ B[6:9]
                B[3:6] = 0.5 * self.dt * B[9:12]
                columns.append(B)
            inputs.append(np.hstack(columns))
        return A, inputs

    def _condensed(
        self, A: FloatArray, inputs: list[FloatArray], state: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """All states in a row: without forces, and the effect of all forces on them."""
        fall = np.zeros(STATE_SIZE)
        fall[5], fall[11] = -0.5 * self.gravity * self.dt**2, -self.gravity * self.dt
        width = sum(B.shape[1] for B in inputs)
        free, effect = np.zeros((self.nodes, STATE_SIZE)), np.zeros((self.nodes, STATE_SIZE, width))
        x: FloatArray = state
        G: FloatArray = np.zeros((STATE_SIZE, width))
        done = 0
        for k, B in enumerate(inputs):
            x, G = A @ x + fall, A @ G
            G[:, done : done + B.shape[1]] += B
            done += B.shape[1]
            free[k], effect[k] = x, G
        return free.ravel(), effect.reshape(-1, width)

    def _solved(self, hessian: FloatArray, gradient: FloatArray) -> FloatArray:
        count = len(gradient) // 3
        pyramids = np.kron(np.eye(count), friction_pyramid(self.friction)).astype(np.float64)
        upper = np.full((count, len(pyramids) // count), np.inf)
        upper[:, -1] = self.most
        try:
            return minimized(
                hessian, gradient, pyramids, np.zeros(len(pyramids)), upper.ravel(),
                "model predictive control",
            )  # fmt: skip
        except InfeasibleError as status:
            raise InfeasibleError(f"the centroidal program has no solution ({status})") from status
