# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with frictional contacts: efforts and contact forces for a desired motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.contacts.friction_cones import TOLERANCE, Solution, solve_contacts
from dyn_core.dynamics.constraint_kinematics import constraint_jacobian
from dyn_core.dynamics.constraints import Contact
from dyn_core.dynamics.rnea import rnea
from dyn_core.errors import ModelError
from dyn_core.model.loop import POINT
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_loops
from dyn_core.model.value_checks import number, numbers


@dataclass(frozen=True)
class InverseDynamics:
    """Efforts and contact impulses for a desired motion."""

    tau: FloatArray
    """(nv) efforts; the entries of a floating base are zero if the contacts carry the robot."""
    impulses: Solution
    """Impulses of the contacts over a step, N s."""


def contact_inverse_dynamics(
    model: Model,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    dt: float,
    contacts: Sequence[Contact],
    friction: Sequence[float],
    compliance: float | Sequence[float] | FloatArray,
    correction: FloatArray | None = None,
    tolerance: float = TOLERANCE,
) -> InverseDynamics:
    """Efforts and contact impulses for a desired acceleration.

    Contacts are compliant: with the compliance R and ``c = J (v + dt a)``, the velocity that the
    desired motion gives the contacts, Signorini's and Coulomb's conditions hold between the impulse
    l and ``R l + c`` (Le Lidec et al. 2024, "Contact models in robotics", section V). A stiffer
    contact answers the same penetration velocity with a larger force.

    Args:
        model: the robot, without loops and couplings.
        q: its configuration (nq).
        v: its velocity (nv).
        a: desired acceleration (nv).
        dt: length of the step, s.
        contacts: contact points; the normal is the z axis of their reference.
        friction: coefficient of each.
        compliance: velocity per impulse, 1/kg, above 0: one for all, or one for each row.
        correction: velocity added to c (rows), such as a gap over dt, m/s.
        tolerance: see :func:`solve_contacts`.

    Raises:
        KeyError: the model lacks a frame of a contact.
        ModelError: a contact has six rows, the number of coefficients differs from that of the
            contacts, or the robot has loops or couplings.
        ValueError: a compliance or dt is not positive, or numbers are not finite.
    """
    rows = POINT * len(contacts)
    soft = np.broadcast_to(np.asarray(compliance, dtype=np.float64), (rows,))
    if any(contact.kind != POINT for contact in contacts) or len(friction) != len(contacts):
        raise ModelError(
            "a contact with friction is a point, of kind 3, and has one coefficient: there are "
            f"{len(contacts)} contacts and {len(friction)} coefficients"
        )
    refuse_loops(model, "their forces are unknown")
    if not (np.isfinite(soft).all() and (soft > 0.0).all() and 0.0 < number("dt", dt) < np.inf):
        raise ValueError(f"compliance and dt must be finite and positive: {compliance}, {dt}")
    jacobian, inverse = constraint_jacobian.request(tuple(contacts)), rnea.request()
    J, free = compile(model, [jacobian, inverse])(q, v, a)
    c = J @ (v + dt * a)
    if correction is not None:
        c += numbers("correction", correction, (rows,))
    impulses = solve_contacts(np.diag(soft), c, friction, tolerance=tolerance)
    return InverseDynamics(free - J.T @ impulses.forces / dt, impulses)
