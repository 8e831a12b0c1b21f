# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives along motions by finite differences, independent of the audited algorithms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.described_links import Link
from dyn_core.audit.tape_sampling import sampled
from dyn_core.dynamics.integrate import integrate
from dyn_core.model.model import FloatArray, Model

WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
"""Weights of central differences over 2, 4, 6 and 8 steps: exact for polynomials of degree 8."""
JOINT_STEP = 4e-3
"""Step of the fastest joint, rad or m: truncation and rounding errors balance below 1e-12."""


def derivative_along(
    model: Model, q: FloatArray, v: FloatArray, function: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """The rates of a function of configurations (B, nq) that move with velocities v (B, nv)."""
    h = JOINT_STEP / np.maximum(np.abs(v).max(axis=1), 1e-3)
    move = sampled(model, [integrate])
    total: FloatArray = np.zeros(1)
    for k, weight in enumerate(WEIGHTS, 1):
        ahead, behind = (function(move(q, sign * k * h[:, None] * v)) for sign in (1.0, -1.0))
        total = total + weight * (ahead - behind)
    rates: FloatArray = total / h.reshape(-1, *[1] * (total.ndim - 1))
    return rates


def weighing_links(robot: Robot) -> list[Link]:
    """Links that a joint moves and that have mass."""
    return [link for link in robot.links if link.joint and link.mass]


def gravity_of_links(robot: Robot, q: FloatArray) -> FloatArray:
    """(B, nv, links) gravity efforts that each of :func:`weighing_links` causes at configurations.

    They are the derivatives of the links' potential energies.
    """
    model, links = robot.known, weighing_links(robot)
    carriers = [link.joint for link in links]
    points = [[*link.placement.act_point(link.inertia.com), 1.0] for link in links]
    local = np.array(points, dtype=np.float64).reshape(len(links), 4)
    weights = np.array([link.mass for link in links])[:, None] * np.asarray(model.gravity)
    kinematics = sampled(model, ["forward_kinematics"])

    def potentials(configurations: FloatArray) -> FloatArray:
        places = kinematics(configurations)[:, carriers]
        centers = np.einsum("nlij,lj->nli", places, local)[:, :, :3]
        result: FloatArray = -np.einsum("li,nli->nl", weights, centers)
        return result

    directions = np.tile(np.eye(model.nv), (len(q), 1))
    starts = np.repeat(q, model.nv, axis=0)
    efforts = derivative_along(model, starts, directions, potentials)
    return efforts.reshape(len(q), model.nv, len(links))


def mass_matrix_rates(robot: Robot) -> FloatArray:
    """dM/dt (samples, nv, nv) along the velocities of the samples."""
    return derivative_along(robot.known, robot.q, robot.v, sampled(robot.known, ["crba"]))
