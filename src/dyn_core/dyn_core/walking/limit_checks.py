# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint limits that a walk exceeds: positions, speeds and efforts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.dynamics.rnea import rnea
from dyn_core.model.model import FloatArray
from dyn_core.walking.biped import LIMIT_TOLERANCE_RAD, Biped
from dyn_core.walking.footsteps import LEFT, RIGHT
from dyn_core.walking.pattern import Walked

BASE_FREEDOMS = 6
"""Degrees of freedom of the free flyer."""


@dataclass(frozen=True)
class Excess:
    """A joint that exceeds its limit."""

    joint: str
    what: str
    """position, speed or effort."""
    most: float
    """The value furthest beyond the limit, rad, rad/s or N m."""
    limit: float


def exceeded(biped: Biped, walk: Walked) -> list[Excess]:
    """All limits that a walk exceeds; efforts are those of :func:`efforts`."""
    model, tau = biped.model, efforts(biped, walk)
    names = [name for i in model.own_coordinates for name in [model.names[i]] * model.joints[i].nq]
    found = []
    for k, name in enumerate(names):
        low, high = model.lower_position_limit[k], model.upper_position_limit[k]
        least, most = float(walk.q[:, k].min()), float(walk.q[:, k].max())
        if most > high + LIMIT_TOLERANCE_RAD:
            found.append(Excess(name, "position", most, float(high)))
        if least < low - LIMIT_TOLERANCE_RAD:
            found.append(Excess(name, "position", least, float(low)))
    for what, values, limits in (
        ("speed", walk.v, model.velocity_limit),
        ("effort", tau, model.effort_limit),
    ):
        peaks = np.abs(values).max(axis=0)
        for k in range(BASE_FREEDOMS, model.nv):
            if limits[k] > 0.0 and peaks[k] > limits[k]:
                found.append(Excess(model.dof_names[k], what, float(peaks[k]), float(limits[k])))
    return found


def efforts(biped: Biped, walk: Walked) -> FloatArray:
    """(n, nv) joint efforts with the ground's wrench on the feet; that of the base is zero.

    A single supporting foot bears the whole wrench. Two feet share it in proportion to the position
    of the CoP between them; this is a convention, since internal forces between the feet are free.
    """
    model, feet = biped.model, biped.feet
    asked = [rnea.request(), *(frame_jacobian.request(name) for name in feet)]
    compute = compile(model, asked, backend="tape").batch
    tau, *jacobians = compute(walk.q, walk.v, walk.a)
    push = np.array(tau[:, :BASE_FREEDOMS])  # force and moment on the base, in its axes
    result = np.array(tau)
    shares = _shares(walk)
    for foot, J in enumerate(jacobians):
        # J_base carries the base's velocity to the foot: its inverse transpose carries the push
        at_foot = np.linalg.solve(np.swapaxes(J[:, :, :BASE_FREEDOMS], 1, 2), push[:, :, None])
        result -= shares[:, foot, None] * (np.swapaxes(J, 1, 2) @ at_foot)[:, :, 0]
    return result


def _shares(walk: Walked) -> FloatArray:
    """(n, 2) share of the ground's wrench that each foot bears."""
    places = [course.positions[:, :2] for course in walk.pattern.steps.feet]
    moving = [np.abs(course.values[:, 1]).max(axis=1) > 0.0 for course in walk.pattern.steps.feet]
    way = places[LEFT] - places[RIGHT]
    left = ((walk.cop - places[RIGHT]) * way).sum(axis=1) / (way**2).sum(axis=1)
    left = np.clip(left, 0.0, 1.0)
    left = np.where(moving[LEFT], 0.0, np.where(moving[RIGHT], 1.0, left))
    return np.stack([left, 1.0 - left], axis=1)
