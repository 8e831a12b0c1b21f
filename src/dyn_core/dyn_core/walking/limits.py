# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Which limits of its joints a walk needs more than: positions, speeds and efforts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dyn_core.algorithms.frame_jacobian import frame_jacobian
from dyn_core.algorithms.rnea import rnea
from dyn_core.execution import compile
from dyn_core.model.model import FloatArray
from dyn_core.walking.biped import LIMIT, Biped
from dyn_core.walking.footsteps import LEFT, RIGHT
from dyn_core.walking.pattern import Walked

BASE = 6
"""Degrees of freedom of the free flyer."""


@dataclass(frozen=True)
class Excess:
    """A joint that needs more than its limit."""

    joint: str
    what: str
    """position, speed or effort."""
    most: float
    """That it needs: the value furthest beyond the limit, in rad, rad/s or N m."""
    limit: float


def exceeded(biped: Biped, walk: Walked) -> list[Excess]:
    """Every limit that a walk does not keep; efforts as :func:`efforts` has them."""
    model = biped.model
    names = [name for i in model.own_coordinates for name in [model.names[i]] * model.joints[i].nq]
    found = []
    for k, name in enumerate(names):
        low, high = model.lower_position_limit[k], model.upper_position_limit[k]
        least, most = float(walk.q[:, k].min()), float(walk.q[:, k].max())
        if most > high + LIMIT:
            found.append(Excess(name, "position", most, float(high)))
        if least < low - LIMIT:
            found.append(Excess(name, "position", least, float(low)))
    for what, values, limits in (
        ("speed", walk.v, model.velocity_limit),
        ("effort", efforts(biped, walk), model.effort_limit),
    ):
        peaks = np.abs(values).max(axis=0)
        for k in range(BASE, model.nv):
            if limits[k] > 0.0 and peaks[k] > limits[k]:
                found.append(Excess(model.dof_names[k], what, float(peaks[k]), float(limits[k])))
    return found


def efforts(biped: Biped, walk: Walked) -> FloatArray:
    """(n, nv) of the joints, the ground's push taken off; that of the base is zero.

    A foot that stands alone bears all of it. Two feet share it by where the CoP is between them,
    which no law asks for: the drives may press them against each other.
    """
    model, feet = biped.model, biped.feet
    asked = [rnea, *(frame_jacobian(name) for name in feet)]
    compute = compile(model, asked, backend="tape").batch
    tau, *jacobians = compute(walk.q, walk.v, walk.a)
    push = np.array(tau[:, :BASE])  # force and moment on the base, in its axes
    result = np.array(tau)
    shares = _shares(walk)
    for foot, J in enumerate(jacobians):
        # J_base carries the base's velocity to the foot: its inverse transpose carries the push
        at_foot = np.linalg.solve(np.swapaxes(J[:, :, :BASE], 1, 2), push[:, :, None])
        result -= shares[:, foot, None] * (np.swapaxes(J, 1, 2) @ at_foot)[:, :, 0]
    return result


def _shares(walk: Walked) -> FloatArray:
    """(n, 2) of the push that each foot bears."""
    places = [course.positions[:, :2] for course in walk.pattern.steps.feet]
    moving = [np.abs(course.values[:, 1]).max(axis=1) > 0.0 for course in walk.pattern.steps.feet]
    way = places[LEFT] - places[RIGHT]
    left = ((walk.cop - places[RIGHT]) * way).sum(axis=1) / (way**2).sum(axis=1)
    left = np.clip(left, 0.0, 1.0)
    left = np.where(moving[LEFT], 0.0, np.where(moving[RIGHT], 1.0, left))
    return np.stack([left, 1.0 - left], axis=1)
