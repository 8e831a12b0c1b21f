# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Iterative solvers of constraints: loop closure, and contact forces within friction cones."""

from dyn_core.contacts.constrained_acceleration import constrained
from dyn_core.contacts.friction_cones import Solution, solve_contacts
from dyn_core.contacts.inverse_dynamics import InverseDynamics, contact_inverse_dynamics
from dyn_core.contacts.loop_closure import closed
from dyn_core.contacts.problem_checks import MOST_FRICTION

__all__ = [
    "MOST_FRICTION",
    "InverseDynamics",
    "Solution",
    "closed",
    "constrained",
    "contact_inverse_dynamics",
    "solve_contacts",
]
