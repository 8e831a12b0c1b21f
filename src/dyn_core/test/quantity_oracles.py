# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What Pinocchio says of every quantity that it has too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pinocchio as pin
from covering import Oracle, evaluated
from robots import Robot

import dyn_core
from dyn_core import LOCAL, LOCAL_WORLD_ALIGNED, WORLD, Model, Quantity, Reference, Request

State = dict[str, np.ndarray]
Oracles = dict[Quantity | Request, Oracle]
TOLERANCE, EPSILON = 1e-9, float(np.finfo(float).eps)
REFERENCES = {
    LOCAL: pin.ReferenceFrame.LOCAL,
    WORLD: pin.ReferenceFrame.WORLD,
    LOCAL_WORLD_ALIGNED: pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}


def symmetric(upper: np.ndarray) -> np.ndarray:
    """The full matrix of one of which only the upper triangle is filled."""
    return np.triu(upper) + np.triu(upper, 1).T


def placements(m: pin.Model, d: pin.Data, q: np.ndarray) -> np.ndarray:
    """All joint placements as homogeneous matrices."""
    pin.forwardKinematics(m, d, q)
    return np.array([oMi.homogeneous for oMi in d.oMi])


def centers(m: pin.Model, d: pin.Data, s: State) -> pin.Data:
    pin.centerOfMass(m, d, s["q"], s["v"], s["a"], True)
    return d


def moved(m: pin.Model, d: pin.Data, s: State) -> pin.Data:
    pin.forwardKinematics(m, d, s["q"], s["v"], s["a"])
    pin.computeJointJacobians(m, d, s["q"])
    pin.updateFramePlacements(m, d)
    return d


def factored(m: pin.Model, d: pin.Data, s: State) -> pin.Data:
    pin.crba(m, d, s["q"])
    pin.cholesky.decompose(m, d)
    return d


def composed(m: pin.Model, d: pin.Data, s: State) -> pin.Data:
    pin.ccrba(m, d, s["q"], s["v"])
    return d


def varied(m: pin.Model, d: pin.Data, s: State) -> pin.Data:
    pin.computeJointJacobiansTimeVariation(m, d, s["q"], s["v"])
    pin.updateFramePlacements(m, d)
    return d


def to_forces(f_ext: np.ndarray) -> pin.StdVec_Force:
    vector = pin.StdVec_Force()
    vector.extend([pin.Force(row) for row in f_ext])
    return vector


def transmitted(m: pin.Model, d: pin.Data, s: State) -> pin.Data:
    """Forces and momenta of joints under forces on bodies."""
    pin.rnea(m, d, s["q"], s["v"], s["a"], to_forces(s["f_ext"]))
    return d


def vectors(first: float, items: Any) -> np.ndarray:
    """Spatial vectors as rows; the first, of the universe, as given."""
    return np.array([np.full(6, first), *(x.vector for x in list(items)[1:])])


def of_all_joints(get: Callable[..., Any], reference: Reference) -> Oracle:
    """Motions of all joints; the universe rests."""

    def oracle(m: pin.Model, d: pin.Data, s: State) -> np.ndarray:
        moved(m, d, s)
        rows = [get(m, d, i, REFERENCES[reference]).vector for i in range(1, m.njoints)]
        return np.array([np.zeros(6), *rows])

    return oracle


DYNAMICS: dict[Quantity, Oracle] = {
    dyn_core.rnea: lambda m, d, s: pin.rnea(m, d, s["q"], s["v"], s["a"]),
    dyn_core.generalized_gravity: lambda m, d, s: pin.computeGeneralizedGravity(m, d, s["q"]),
    dyn_core.nonlinear_effects: lambda m, d, s: pin.nonLinearEffects(m, d, s["q"], s["v"]),
    dyn_core.crba: lambda m, d, s: symmetric(pin.crba(m, d, s["q"])),
    dyn_core.aba: lambda m, d, s: pin.aba(m, d, s["q"], s["v"], s["tau"]),
    dyn_core.forward_kinematics: lambda m, d, s: placements(m, d, s["q"]),
}
"""The equation of motion, of any joint type."""
SUBTREES = {
    dyn_core.subtree_centers_of_mass: lambda m, d, s: list(centers(m, d, s).com),
    dyn_core.subtree_center_of_mass_velocities: lambda m, d, s: list(centers(m, d, s).vcom),
    dyn_core.subtree_center_of_mass_accelerations: lambda m, d, s: list(centers(m, d, s).acom),
}
ANYWHERE: Oracles = {
    dyn_core.center_of_mass: lambda m, d, s: centers(m, d, s).com[0],
    dyn_core.center_of_mass_velocity: lambda m, d, s: centers(m, d, s).vcom[0],
    dyn_core.center_of_mass_acceleration: lambda m, d, s: centers(m, d, s).acom[0],
    dyn_core.center_of_mass_jacobian: lambda m, d, s: pin.jacobianCenterOfMass(m, d, s["q"]),
    dyn_core.centroidal_momentum: lambda m, d, s: (
        pin.computeCentroidalMomentum(m, d, s["q"], s["v"]).vector
    ),
    dyn_core.centroidal_momentum_rate: lambda m, d, s: (
        pin.computeCentroidalMomentumTimeVariation(m, d, s["q"], s["v"], s["a"]).vector
    ),
    dyn_core.centroidal_map: lambda m, d, s: pin.computeCentroidalMap(m, d, s["q"]),
    dyn_core.centroidal_map_time_variation: lambda m, d, s: pin.dccrba(m, d, s["q"], s["v"]),
    dyn_core.potential_energy: lambda m, d, s: pin.computePotentialEnergy(m, d, s["q"]),
    dyn_core.joint_jacobians: lambda m, d, s: pin.computeJointJacobians(m, d, s["q"]),
    dyn_core.joint_velocities.request(WORLD): of_all_joints(pin.getVelocity, WORLD),
    dyn_core.joint_accelerations.request(WORLD): of_all_joints(pin.getAcceleration, WORLD),
    dyn_core.crba: lambda m, d, s: symmetric(pin.crba(m, d, s["q"])),
}
"""In the world or of the joints, for any joint type."""
STEADY: Oracles = {
    dyn_core.coriolis_matrix: lambda m, d, s: pin.computeCoriolisMatrix(m, d, s["q"], s["v"]),
    dyn_core.joint_jacobians_time_variation: lambda m, d, s: pin.computeJointJacobiansTimeVariation(
        m, d, s["q"], s["v"]
    ),
}
"""Where Pinocchio is right only for joints whose axes rest in their child."""
MOVING = ("spherical_zyx", "universal", "ellipsoid", "composite")
"""Joint types whose axes do not rest in their child."""
INVERTED: Oracles = {
    dyn_core.minverse: lambda m, d, s: pin.computeMinverse(m, d, s["q"]),
    dyn_core.cholesky: lambda m, d, s: (
        np.array(factored(m, d, s).U), np.array(d.D), 1.0 / np.array(d.D)
    ),
}  # fmt: skip
"""Of robots that have forward dynamics."""
OF_BODIES: Oracles = {
    dyn_core.mechanical_energy: lambda m, d, s: pin.computeMechanicalEnergy(m, d, s["q"], s["v"]),
    dyn_core.static_regressor: lambda m, d, s: pin.computeStaticRegressor(m, d, s["q"]),
    dyn_core.kinetic_energy_regressor: lambda m, d, s: pin.computeKineticEnergyRegressor(
        m, d, s["q"], s["v"]
    ),
    dyn_core.potential_energy_regressor: lambda m, d, s: pin.computePotentialEnergyRegressor(
        m, d, s["q"]
    ),
    dyn_core.joint_torque_regressor: lambda m, d, s: pin.computeJointTorqueRegressor(
        m, d, s["q"], s["v"], s["a"]
    ),
    **SUBTREES,
}
"""In frames of joints, where they are those of Pinocchio."""


def by_articulated_bodies(m: pin.Model, d: pin.Data, s: State) -> tuple[np.ndarray, ...]:
    forces = to_forces(s["f_ext"])
    by_q, by_v, by_tau = pin.computeABADerivatives(m, d, s["q"], s["v"], s["tau"], forces)
    return by_q, by_v, symmetric(by_tau)


DERIVATIVES: Oracles = {
    dyn_core.rnea_derivatives: lambda m, d, s: pin.computeRNEADerivatives(
        m, d, s["q"], s["v"], s["a"], to_forces(s["f_ext"])
    ),
    dyn_core.aba_derivatives: by_articulated_bodies,
    dyn_core.generalized_gravity_derivatives: lambda m, d, s: (
        pin.computeGeneralizedGravityDerivatives(m, d, s["q"])
    ),
    dyn_core.static_torque_derivatives: lambda m, d, s: pin.computeStaticTorqueDerivatives(
        m, d, s["q"], to_forces(s["f_ext"])
    ),
    dyn_core.centroidal_dynamics_derivatives: lambda m, d, s: (
        pin.computeCentroidalDynamicsDerivatives(m, d, s["q"], s["v"], s["a"])
    ),
}
"""Under forces on bodies."""
FORCES: Oracles = {
    dyn_core.rnea: lambda m, d, s: pin.rnea(m, d, s["q"], s["v"], s["a"], to_forces(s["f_ext"])),
    dyn_core.aba: lambda m, d, s: pin.aba(m, d, s["q"], s["v"], s["tau"], to_forces(s["f_ext"])),
    dyn_core.joint_forces: lambda m, d, s: vectors(np.nan, transmitted(m, d, s).f),
    dyn_core.body_momenta: lambda m, d, s: vectors(np.nan, transmitted(m, d, s).h),
    dyn_core.static_torque: lambda m, d, s: pin.computeStaticTorque(
        m, d, s["q"], to_forces(s["f_ext"])
    ),
}
OTHERS: Oracles = {
    dyn_core.kinetic_energy: lambda m, d, s: pin.computeKineticEnergy(m, d, s["q"], s["v"]),
    dyn_core.generalized_momentum: lambda m, d, s: symmetric(pin.crba(m, d, s["q"])) @ s["v"],
    dyn_core.centroidal_inertia: lambda m, d, s: composed(m, d, s).Ig.matrix(),
    dyn_core.subtree_inertias.request(WORLD): lambda m, d, s: [
        Y.matrix() for Y in composed(m, d, s).oYcrb
    ],
    dyn_core.subtree_masses: lambda m, d, s: (pin.computeSubtreeMasses(m, d), np.array(d.mass))[1:],
    dyn_core.felt_accelerations: lambda m, d, s: vectors(
        np.nan, (pin.rnea(m, d, s["q"], s["v"], s["a"]), d.a_gf)[1]
    ),
    dyn_core.relative_placements: lambda m, d, s: np.array(
        [np.eye(4), *(M.homogeneous for M in list(moved(m, d, s).liMi)[1:])]
    ),
    dyn_core.cholesky_solve: lambda m, d, s: pin.cholesky.solve(m, factored(m, d, s), s["b"]),
    dyn_core.tangent_map: lambda m, d, s: pin.tangentMap(m, s["q"]),
}
PARTIAL = {*SUBTREES, dyn_core.joint_forces, dyn_core.body_momenta, dyn_core.felt_accelerations}
"""What Pinocchio does not say everything of: its NaN are not compared."""


def frames(robot: Robot) -> list[tuple[str, int]]:
    """The names of some frames, and their indices in Pinocchio, a body's before a joint's."""
    m = robot.pin_model
    names = sorted({robot.model.frames[k].name for k in (0, 3, -1)})
    bodies = {name: m.getFrameId(name, pin.FrameType.BODY) for name in names}
    return [(name, k if k < m.nframes else m.getFrameId(name)) for name, k in bodies.items()]


def column_major(tensor: np.ndarray) -> np.ndarray:
    """A tensor as it is meant: its numbers are column by column."""
    return tensor.ravel().reshape(tensor.shape, order="F")


def of_joint(robot: Robot, i: int, reference: Reference) -> Oracles:
    """What has an option for a joint."""
    name, seen = robot.model.names[i], REFERENCES[reference]
    return {
        dyn_core.joint_jacobian.request(name, reference): lambda m, d, s: pin.getJointJacobian(
            m, moved(m, d, s), i, seen
        ),
        dyn_core.joint_jacobian_time_variation.request(name, reference): lambda m, d, s: (
            pin.getJointJacobianTimeVariation(m, varied(m, d, s), i, seen)
        ),
        dyn_core.joint_kinematic_regressor.request(name, reference): lambda m, d, s: (
            pin.computeJointKinematicRegressor(m, moved(m, d, s), i, seen)
        ),
    }


def of_frame(name: str, k: int, reference: Reference) -> Oracles:
    """What has options for a frame and a reference."""
    seen, at = REFERENCES[reference], (name, reference)
    return {
        dyn_core.frame_velocity.request(*at): lambda m, d, s: (
            pin.getFrameVelocity(m, moved(m, d, s), k, seen).vector
        ),
        dyn_core.frame_acceleration.request(*at): lambda m, d, s: (
            pin.getFrameAcceleration(m, moved(m, d, s), k, seen).vector
        ),
        dyn_core.frame_acceleration.request(*at, classical=True): lambda m, d, s: (
            pin.getFrameClassicalAcceleration(m, moved(m, d, s), k, seen).vector
        ),
        dyn_core.frame_jacobian.request(*at): lambda m, d, s: pin.computeFrameJacobian(
            m, d, s["q"], k, seen
        ),
        dyn_core.frame_jacobian_time_variation.request(*at): lambda m, d, s: (
            pin.getFrameJacobianTimeVariation(m, varied(m, d, s), k, seen)
        ),
        dyn_core.frame_kinematic_regressor.request(*at): lambda m, d, s: (
            pin.computeFrameKinematicRegressor(m, moved(m, d, s), k, seen)
        ),
    }


def hessians(robot: Robot, name: str, k: int, reference: Reference) -> Oracles:
    """Kinematic Hessians of the last joint and of a frame."""
    seen = REFERENCES[reference]

    def curved(m: pin.Model, d: pin.Data, s: State) -> pin.Data:
        pin.computeJointKinematicHessians(m, d, s["q"])
        pin.updateFramePlacements(m, d)
        return d

    return {
        dyn_core.joint_kinematic_hessian.request(robot.model.names[-1], reference): (
            lambda m, d, s: column_major(
                pin.getJointKinematicHessian(m, curved(m, d, s), m.njoints - 1, seen)
            )
        ),
        dyn_core.frame_kinematic_hessian.request(name, reference): lambda m, d, s: column_major(
            pin.getFrameKinematicHessian(m, curved(m, d, s), k, seen)
        ),
    }


def frame_derivatives(name: str, k: int, reference: Reference) -> Oracles:
    """Aligned with the world, Pinocchio keeps the point where it is and ours moves with it."""
    where = k, REFERENCES[reference]

    def differentiated(m: pin.Model, d: pin.Data, s: State) -> pin.Data:
        pin.computeForwardKinematicsDerivatives(m, d, s["q"], s["v"], s["a"])
        return d

    return {
        dyn_core.frame_velocity_derivatives.request(name, reference): lambda m, d, s: (
            pin.getFrameVelocityDerivatives(m, differentiated(m, d, s), *where)
        ),
        dyn_core.frame_acceleration_derivatives.request(name, reference): lambda m, d, s: (
            pin.getFrameAccelerationDerivatives(m, differentiated(m, d, s), *where)[1:]
        ),
    }


def every(robot: Robot) -> Oracles:
    """All quantities of a robot, in frames and references; states have f_ext and b too."""
    found = {**DYNAMICS, **ANYWHERE, **STEADY, **INVERTED, **OF_BODIES}
    found |= {**DERIVATIVES, **FORCES, **OTHERS}
    model, some = robot.model, frames(robot)
    masses = evaluated(model, dyn_core.subtree_masses, {})
    chosen = sorted({1, model.njoints // 2, model.njoints - 1})
    for i in (i for i in chosen if masses[i]):
        found[dyn_core.center_of_mass_jacobian.request(model.names[i])] = lambda m, d, s, i=i: (
            pin.jacobianSubtreeCenterOfMass(m, d, s["q"], i)
        )
    found[dyn_core.joint_body_regressor.request(model.names[-1])] = lambda m, d, s: (
        pin.rnea(m, d, s["q"], s["v"], s["a"]), pin.jointBodyRegressor(m, d, m.njoints - 1)
    )[1]  # fmt: skip
    names = tuple(name for name, _ in some)
    found[dyn_core.frame_placements.request(names)] = lambda m, d, s: np.array(
        [moved(m, d, s).oMf[k].homogeneous for _, k in some]
    )
    for name, k in some:
        found[dyn_core.frame_placement.request(name)] = lambda m, d, s, k=k: (
            moved(m, d, s).oMf[k].homogeneous
        )
        if robot.pin_model.frames[k].parentJoint:  # Pinocchio does not know the universe's
            found[dyn_core.frame_body_regressor.request(name)] = lambda m, d, s, k=k: (
                pin.rnea(m, d, s["q"], s["v"], s["a"]), pin.frameBodyRegressor(m, d, k)
            )[1]  # fmt: skip
    for reference in Reference:
        found[dyn_core.joint_velocities.request(reference)] = of_all_joints(
            pin.getVelocity, reference
        )
        found[dyn_core.joint_accelerations.request(reference)] = of_all_joints(
            pin.getAcceleration, reference
        )
        found[dyn_core.joint_accelerations.request(reference, classical=True)] = of_all_joints(
            pin.getClassicalAcceleration, reference
        )
        for i in chosen:
            found |= of_joint(robot, i, reference)
        for name, k in some:
            found |= of_frame(name, k, reference)
        found |= hessians(robot, *some[-1], reference)
        if reference is not LOCAL_WORLD_ALIGNED:
            found |= frame_derivatives(*some[-1], reference)
    return found


def check(
    model: Model, theirs: pin.Model, oracles: Mapping, given: Sequence[Mapping[str, np.ndarray]]
) -> None:
    """In all states, relative to the largest entry; what Pinocchio leaves NaN apart.

    All quantities are traced together, so that what they share is traced once, and interpreted.
    """
    data = theirs.createData()
    forces = ["f_ext"] if "f_ext" in given[0] else []
    kernel = dyn_core.compile(model, [*oracles], forces, backend="tape")
    results = kernel.batch(*(np.array([s[name] for s in given]) for name in kernel.inputs))
    found = dict(zip(oracles, results, strict=True))
    M = found[dyn_core.crba]
    for asked, oracle in oracles.items():
        for k, s in enumerate(given):
            answer = oracle(theirs, data, s)
            arrays = found[asked] if isinstance(found[asked], tuple) else (found[asked],)
            tolerance = TOLERANCE
            if asked in INVERTED or asked is dyn_core.aba_derivatives:  # as an inverse can be
                tolerance = max(TOLERANCE, 10.0 * EPSILON * np.linalg.cond(M[k]))
            for actual, expected in zip(
                arrays, answer if isinstance(answer, tuple) else (answer,), strict=True
            ):
                compare(asked, actual[k], np.asarray(expected), tolerance)


def compare(asked: object, actual: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    assert actual.shape == expected.shape, asked
    known = ~np.isnan(expected)
    assert known.all() or asked in PARTIAL, asked
    largest = np.abs(expected[known]).max(initial=1.0)
    assert np.abs(actual - expected)[known].max(initial=0.0) <= tolerance * largest, asked
