# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identities of mechanics, which hold without any reference implementation."""

from __future__ import annotations

import numpy as np
from robots import Robot, relative_error

import dyn_core


def test_gravity_is_the_gradient_of_potential_energy(robot: Robot) -> None:
    """Of that which is summed over bodies, by dual numbers."""
    slope = dyn_core.derivative.request(dyn_core.potential_energy, by="q")
    for s in robot.states(2):
        g = dyn_core.generalized_gravity(robot.model, s["q"])
        assert relative_error(slope(robot.model, s["q"]), g) < 1e-9


def test_kinetic_energy_vs_mass_matrix_with_rotors(robot: Robot) -> None:
    """``1/2 v' M v``; a number of its own that later calls leave alone."""
    model = robot.model.with_rotor(robot.model.names[-1], 0.01, gear_ratio=50.0)
    data, energies = model.create_data(), []
    states = robot.states(5)
    for s in states:
        energies.append(dyn_core.kinetic_energy(model, data, s["q"], s["v"]))
        assert isinstance(energies[-1], float)
        assert data.kinetic_energy == energies[-1]
    forms = [0.5 * s["v"] @ dyn_core.crba(model, s["q"]) @ s["v"] for s in states]
    assert np.allclose(energies, forms, rtol=1e-12)
