# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What Pinocchio says of every quantity that does not depend on frames of joints."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import test_center_of_mass
import test_regressors
from covering import Oracle
from test_against_pinocchio import symmetric

import dyn_core
from dyn_core import WORLD, Quantity, Request


def factored(m: pin.Model, d: pin.Data, s: dict[str, np.ndarray]) -> pin.Data:
    pin.crba(m, d, s["q"])
    pin.cholesky.decompose(m, d)
    return d


def moved(m: pin.Model, d: pin.Data, s: dict[str, np.ndarray], get) -> np.ndarray:
    pin.forwardKinematics(m, d, s["q"], s["v"], s["a"])
    rows = [get(m, d, i, pin.ReferenceFrame.WORLD).vector for i in range(1, m.njoints)]
    return np.array([np.zeros(6), *rows])


SUBTREES = {
    dyn_core.subtree_centers_of_mass,
    dyn_core.subtree_center_of_mass_velocities,
    dyn_core.subtree_center_of_mass_accelerations,
}
ANYWHERE: dict[Quantity | Request, Oracle] = {
    **{x: f for x, f in test_center_of_mass.ORACLES.items() if x not in SUBTREES},
    dyn_core.potential_energy: test_regressors.ORACLES[dyn_core.potential_energy],
    dyn_core.joint_jacobians: lambda m, d, s: pin.computeJointJacobians(m, d, s["q"]),
    dyn_core.joint_velocities.request(WORLD): lambda m, d, s: moved(m, d, s, pin.getVelocity),
    dyn_core.joint_accelerations.request(WORLD): lambda m, d, s: moved(
        m, d, s, pin.getAcceleration
    ),
    dyn_core.crba: lambda m, d, s: symmetric(pin.crba(m, d, s["q"])),
}
"""In the world or of the joints, for any joint type."""
STEADY: dict[Quantity | Request, Oracle] = {
    dyn_core.coriolis_matrix: lambda m, d, s: pin.computeCoriolisMatrix(m, d, s["q"], s["v"]),
    dyn_core.joint_jacobians_time_variation: lambda m, d, s: pin.computeJointJacobiansTimeVariation(
        m, d, s["q"], s["v"]
    ),
}
"""Where Pinocchio is right only for joints whose axes rest in their child."""
MOVING = ("spherical_zyx", "universal", "ellipsoid", "composite")
"""Joint types whose axes do not rest in their child."""
INVERTED: dict[Quantity | Request, Oracle] = {
    dyn_core.minverse: lambda m, d, s: pin.computeMinverse(m, d, s["q"]),
    dyn_core.cholesky: lambda m, d, s: np.array(factored(m, d, s).U),
}
"""Of robots that have forward dynamics; of a quantity with several outputs the first."""
OF_BODIES = {
    **test_regressors.ORACLES,
    **{x: test_center_of_mass.ORACLES[x] for x in SUBTREES},
}
"""In frames of joints, where they are those of Pinocchio."""
