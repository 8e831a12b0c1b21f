# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kinetic energy: against Pinocchio, and as the quadratic form of the mass matrix."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from covering import covers, matches_pinocchio
from robots import Robot

import dyn_core
from dyn_core import kinetic_energy


@covers(kinetic_energy)
def test_kinetic_energy_vs_pinocchio(robot: Robot) -> None:
    matches_pinocchio(
        robot, kinetic_energy, lambda m, d, s: pin.computeKineticEnergy(m, d, s["q"], s["v"])
    )


def test_kinetic_energy_vs_mass_matrix_with_rotors(robot: Robot) -> None:
    """``1/2 v' M v``; a number of its own that later calls leave alone."""
    model = robot.model.with_rotor(robot.model.names[-1], 0.01, gear_ratio=50.0)
    data, energies = model.create_data(), []
    states = robot.states(5)
    for s in states:
        energies.append(kinetic_energy(model, data, s["q"], s["v"]))
        assert isinstance(energies[-1], float)
        assert data.kinetic_energy == energies[-1]
    forms = [0.5 * s["v"] @ dyn_core.crba(model, s["q"]) @ s["v"] for s in states]
    assert np.allclose(energies, forms, rtol=1e-12)
