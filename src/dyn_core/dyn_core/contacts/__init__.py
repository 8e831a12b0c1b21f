# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Iterative solvers of constraints: loop closure, and contact forces within friction cones."""

from dyn_core.contacts.checking import MOST_FRICTION
from dyn_core.contacts.closing import closed
from dyn_core.contacts.cones import Solution, solve_contacts
from dyn_core.contacts.holding import constrained
from dyn_core.contacts.inverse import InverseDynamics, contact_inverse_dynamics

__all__ = [
    "MOST_FRICTION",
    "InverseDynamics",
    "Solution",
    "closed",
    "constrained",
    "contact_inverse_dynamics",
    "solve_contacts",
]
