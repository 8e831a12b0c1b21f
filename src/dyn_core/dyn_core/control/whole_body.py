"""Whole-body control: efforts and contact forces of a robot on point feet, by a quadratic program.

Of the accelerations a and the contact forces f that satisfy

    M a + h = S' tau + J' f        the equation of motion; a floating base has no effort
    J a + dJ/dt v = 0              feet in stance stay where they are
    |f_t| <= mu f_n, f_n >= 0      friction, as an inscribed pyramid
    |tau| <= limits                what the drives can do

those are found whose accelerations are closest to the wanted ones (Wensing et al. 2017, section V;
Di Carlo et al. 2018). The efforts follow from the first line, so that they are no variables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyn_core.algorithms.crba import crba
from dyn_core.algorithms.frame_jacobian import frame_jacobian
from dyn_core.algorithms.frames import frame_acceleration
from dyn_core.algorithms.rnea import nonlinear_effects
from dyn_core.control.quadratic_program import InfeasibleError, friction_pyramid, minimized
from dyn_core.execution import compile
from dyn_core.model.model import FloatArray, Model
from dyn_core.quantities.options import LOCAL_WORLD_ALIGNED

BASE = 6
"""Degrees of freedom of a floating base, which come first and have no effort."""
FORCE_WEIGHT = 1e-5
"""Of forces, 1/N^2, beside accelerations of weight 1: it shares loads among feet."""
ACCURACY = 1e-7
"""Of the solver, absolute and relative."""
ITERATIONS = 20000
Feet = Sequence[str]


@dataclass(frozen=True)
class WholeBodyMotion:
    """What the program found."""

    acceleration: FloatArray
    """(nv)."""
    forces: FloatArray
    """(feet, 3) of the ground on each foot, in the axes of the world, N."""
    efforts: FloatArray
    """(nv) of the joints; zero on a floating base."""

    def friction_used(self, friction: float) -> FloatArray:
        """(feet) the tangential force by what friction allows; 0 without any force."""
        tangential = np.linalg.norm(self.forces[:, :2], axis=1)
        used: FloatArray = tangential / np.maximum(friction * self.forces[:, 2], 1e-12)
        return used


def whole_body_motion(
    model: Model,
    q: FloatArray,
    v: FloatArray,
    wanted: FloatArray,
    stance: Feet,
    friction: float = 0.6,
    weights: FloatArray | None = None,
) -> WholeBodyMotion:
    """The motion closest to the wanted one that ground and drives allow; the ground is level.

    Args:
        model: a robot whose first joint is a free flyer, or one that is fixed.
        q: configuration (nq).
        v: velocity (nv).
        wanted: acceleration (nv).
        stance: names of the frames of the feet on the ground, each once; none for a flight.
        friction: coefficient mu of the feet on the ground; the forces stay within the pyramid
            inscribed in its cone, whose edges are along x and y.
        weights: (nv) of the squared errors of acceleration, by default 1.

    Raises:
        KeyError: there is no such frame.
        InfeasibleError: the constraints contradict each other.
        ModelError: osqp or scipy is not installed.
        ValueError: an argument is not finite, negative where it must not be, or of the wrong size.
    """
    importance = np.ones(model.nv) if weights is None else np.asarray(weights, dtype=np.float64)
    _check(model, wanted, importance, friction, stance)
    M, h, J, drift = _terms(model, q, v, stance)
    matrix, lower, upper = _constraints(model, M, h, J, drift, friction)
    forces = np.full(len(J), FORCE_WEIGHT)
    hessian = np.diag(np.concatenate([importance, forces]))
    gradient = np.concatenate([-importance * wanted, np.zeros(len(J))])
    solution = _solve(hessian, gradient, matrix, lower, upper)
    a, f = solution[: model.nv], solution[model.nv :]
    efforts = M @ a + h - J.T @ f
    efforts[: _base(model)] = 0.0
    return WholeBodyMotion(a, f.reshape(-1, 3), efforts)


def _check(
    model: Model, wanted: FloatArray, weights: FloatArray, friction: float, stance: Feet
) -> None:
    for what, array in (("wanted", wanted), ("weights", weights)):
        if np.shape(array) != (model.nv,) or not np.isfinite(array).all():
            raise ValueError(f"{what} must be {model.nv} finite numbers, one per degree of freedom")
    if (weights < 0.0).any():
        raise ValueError("weights must not be negative")
    if not (math.isfinite(friction) and friction > 0.0):
        raise ValueError(f"friction must be positive, not {friction}")
    if isinstance(stance, str) or len(set(stance)) != len(stance):
        raise ValueError(f"stance must be names of frames, each once, not {stance!r}")


def _terms(
    model: Model, q: FloatArray, v: FloatArray, stance: Feet
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Mass matrix, nonlinear effects, and Jacobian (3 feet, nv) and drift of the feet."""
    jacobians = [frame_jacobian(foot, reference=LOCAL_WORLD_ALIGNED) for foot in stance]
    drifts = [
        frame_acceleration(foot, reference=LOCAL_WORLD_ALIGNED, classical=True) for foot in stance
    ]
    asked: list[Any] = [crba, nonlinear_effects, *jacobians, *drifts]
    arrays = [q, v, np.zeros(model.nv)] if stance else [q, v]
    M, h, *feet = compile(model, asked)(*arrays)
    count = len(stance)
    J = np.array([jacobian[:3] for jacobian in feet[:count]]).reshape(3 * count, model.nv)
    drift = np.array([acceleration[:3] for acceleration in feet[count:]]).reshape(3 * count)
    if not all(np.isfinite(part).all() for part in (M, h, J, drift)):
        raise ValueError("q and v must be finite")
    return M, h, J, drift


def _constraints(
    model: Model,
    M: FloatArray,
    h: FloatArray,
    J: FloatArray,
    drift: FloatArray,
    friction: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rows ``lower <= matrix (a, f) <= upper``: base, feet, efforts, friction."""
    base, count = _base(model), len(J) // 3
    motion = np.hstack([M, -J.T])
    limits = np.concatenate([np.zeros(base), model.effort_limit[base:]])
    feet = np.hstack([J, np.zeros((3 * count, 3 * count))])
    cones = np.hstack(
        [np.zeros((5 * count, model.nv)), np.kron(np.eye(count), friction_pyramid(friction))]
    )
    none, ever = np.zeros(5 * count), np.full(5 * count, np.inf)
    matrix = np.vstack([motion, feet, cones])
    lower = np.concatenate([-limits - h, -drift, none])
    upper = np.concatenate([limits - h, -drift, ever])
    return matrix, lower, upper


def _base(model: Model) -> int:
    """Degrees of freedom without effort."""
    return BASE if model.njoints > 1 and model.joints[1].nv == BASE else 0


def _solve(
    hessian: FloatArray, gradient: FloatArray, matrix: FloatArray, lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:  # fmt: skip
    try:
        return minimized(
            hessian, gradient, matrix, lower, upper, "whole-body control", eps_abs=ACCURACY,
            eps_rel=ACCURACY, max_iter=ITERATIONS, polishing=True,
        )  # fmt: skip
    except InfeasibleError as status:
        raise InfeasibleError(
            f"the whole-body program has no solution (osqp: {status}); raise effort limits or "
            "friction, or put down another foot"
        ) from status
