# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Configuration spaces of a robot: the product of its joints' groups.

Tangent vectors (nv) are velocities times time, in the frame of the body that moves. Functions
return new arrays. An argument of the wrong type or size raises TypeError or ValueError.
"""

from __future__ import annotations

import numpy as np

from dyn_core.compiler.signature import Input
from dyn_core.dynamics.integrate import d_integrate, difference, integrate
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import check_whole, number, numbers

NORMALIZED = 1e-9
"""Deviation from unit length up to which a configuration counts as normalized."""


def neutral(model: Model) -> FloatArray:
    """The configuration (nq) in which every joint is at the identity of its group."""
    return np.array(model.space.neutral(), dtype=np.float64)


def position_limits(model: Model) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest position (nv) of joints whose configuration is their position.

    Of others, such as joints without end, there is none: infinite.
    """
    lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for i in model.own_coordinates:
        if model.joints[i].nq == 1:
            lower[model.idx_v[i]] = model.lower_position_limit[model.idx_q[i]]
            upper[model.idx_v[i]] = model.upper_position_limit[model.idx_q[i]]
    return lower, upper


def configurations(model: Model, positions: FloatArray) -> FloatArray:
    """Configurations (n, nq) of positions (n, nv); the angle of a joint without end may be any.

    Args:
        model: a robot whose joints have one degree of freedom each.
        positions: rad or m.
    """
    if model.nq == model.nv:
        return positions
    result = np.empty((len(positions), model.nq))
    for i in model.own_coordinates:
        column, q = positions[:, model.idx_v[i]], model.idx_q[i]
        if model.joints[i].nq == 1:
            result[:, q] = column
        else:
            result[:, q], result[:, q + 1] = np.cos(column), np.sin(column)
    return result


def with_positions(model: Model, text: str, others: FloatArray) -> FloatArray:
    """Positions (nv) of which a text gives some: ``joint=position joint=position``, rad or m.

    Args:
        model: the robot; its floating base is not named.
        text: commas between are allowed.
        others: (nv) of the joints that it does not name.

    Raises:
        ValueError: a joint is unknown or given twice, or a position no finite number.
    """
    names = model.dof_names
    known = [name for name in names if names.count(name) == 1]
    positions, given = others.copy(), set[str]()
    for word in text.replace(",", " ").split():
        name, _, number = word.partition("=")
        if name not in known:
            raise ValueError(
                f"joint '{name}': the robot does not have it or cannot move it by itself: it has "
                f"{', '.join(repr(x) for x in known)}"
            )
        if name in given:
            raise ValueError(f"joint '{name}' is given twice: give it one position")
        given.add(name)
        try:
            value = float(number)
        except ValueError:
            value = np.nan
        if not np.isfinite(value):
            raise ValueError(
                f"joint '{name}' is at '{number}': give a finite number after '=', in rad or m"
            )
        positions[names.index(name)] = value
    return positions


def distance(model: Model, q0: FloatArray, q1: FloatArray) -> float:
    """The length of :func:`difference`; it mixes rad and m, as Pinocchio's does."""
    return float(np.linalg.norm(difference(model, q0, q1)))


def interpolate(model: Model, q0: FloatArray, q1: FloatArray, u: float) -> FloatArray:
    """The configuration between ``q0`` (``u`` = 0) and ``q1`` (``u`` = 1)."""
    reached: FloatArray = integrate(model, q0, number("u", u) * difference(model, q0, q1))
    return reached


def is_same_configuration(
    model: Model, q0: FloatArray, q1: FloatArray, tolerance: float = NORMALIZED
) -> bool:
    """Whether no joint is apart by more than ``tolerance`` (rad, m), whatever its coordinates say.

    A quaternion and its negative are the same orientation.
    """
    largest = float(np.max(np.abs(difference(model, q0, q1)), initial=0.0))
    return largest <= number("tolerance", tolerance)


def transport(model: Model, q: FloatArray, v: FloatArray, matrix: FloatArray) -> FloatArray:
    """Columns of ``matrix`` (nv, k), tangent at ``q``, transported to ``integrate(q, v)``."""
    by_q, _ = d_integrate(model, q, v)
    result: FloatArray = by_q @ numbers("matrix", matrix, (model.nv, "columns"))
    return result


def normalize(model: Model, q: FloatArray) -> FloatArray:
    """``q`` (nq) with every orientation scaled to unit length.

    Raises:
        ValueError: an orientation is zero or not finite; the message names its joint.
    """
    numbers = _checked(model, q).tolist()
    return _per_joint(model, "normalize", numbers)


def is_normalized(model: Model, q: FloatArray, tolerance: float = NORMALIZED) -> bool:
    """Whether all orientations in ``q`` (nq) have unit length."""
    return model.space.is_normalized(_checked(model, q).tolist(), tolerance)


def random_configuration(
    model: Model,
    random: np.random.Generator | int | None = None,
    lower: FloatArray | None = None,
    upper: FloatArray | None = None,
) -> FloatArray:
    """A random configuration (nq): flat coordinates uniform within limits, orientations uniform.

    Args:
        model: the robot.
        random: the source of random numbers, or the seed of one; by default another each time.
        lower: lowest positions (nq), by default the model's.
        upper: highest positions (nq), by default the model's.

    Raises:
        ValueError: a flat coordinate has no finite limits; the message names its joint.
    """
    if not (random is None or isinstance(random, np.random.Generator)):
        check_whole("random_configuration: random", random, 0)
    uniform = np.random.default_rng(random).uniform(size=model.nq).tolist()
    low = _checked(model, model.lower_position_limit if lower is None else lower)
    high = _checked(model, model.upper_position_limit if upper is None else upper)
    return _per_joint(model, "random", uniform, low.tolist(), high.tolist())


def _per_joint(model: Model, operation: str, *vectors: list[float]) -> FloatArray:
    """A configuration (nq) whose pieces the joints' own spaces make of theirs of the vectors.

    Raises:
        ValueError: a space refuses; the message names its joint.
    """
    entries: list[float] = []
    for i in model.own_coordinates:
        pieces = (model.q_of(i, x) for x in vectors)
        try:
            entries.extend(getattr(model.joints[i].space, operation)(*pieces))
        except ValueError as error:
            raise ValueError(f"joint '{model.names[i]}': {error}") from error
    return np.array(entries, dtype=np.float64)


def _checked(model: Model, q: FloatArray) -> FloatArray:
    """``q`` as a configuration. Raises TypeError or ValueError."""
    return Input(integrate.parameters["q"].array, (model.nq,)).checked("q", q)
