# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where Pinocchio 4.1 and we differ: whom differences of kinematics or a closed form agree with.

``docs/from_pinocchio.md`` states each of these; one that fails after an upgrade is to be taken out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest
from constraint_cases import Case, panda
from mimic_oracle import MimicOracle, independent
from pinocchio_model import body, to_pinocchio
from quantity_oracles import column_major, symmetric
from robots import relative_error

import dyn_core
from dyn_core import LOCAL_WORLD_ALIGNED, Contact, Model, ModelBuilder
from dyn_core.configuration import integrate, neutral
from dyn_core.joints import (
    FreeFlyer,
    Helical,
    Joint,
    Mimic,
    Planar,
    Revolute,
    SphericalZYX,
    Translation,
    Universal,
)
from dyn_core.spatial import SE3, Inertia, Motion, Symmetric3, Vector3, exp6

STEP = 1e-6
BODY = Inertia.from_com(2.0, Vector3(0.1, 0.2, 0.3), Symmetric3(0.3, 0.0, 0.4, 0.0, 0.0, 0.5))
PLACE = SE3.identity()


def of(*joints: Joint) -> Model:
    builder = ModelBuilder("chain")
    for parent, joint in enumerate(joints):
        builder.add_body(builder.add_joint(parent, joint, PLACE, f"j{parent}"), BODY, PLACE)
    return builder.build()


def theirs(*joints: pin.JointModel) -> pin.Model:
    model = pin.Model()
    for parent, joint in enumerate(joints):
        index = model.addJoint(parent, joint, pin.SE3.Identity(), f"j{parent}")
        model.appendBodyToJoint(index, body(BODY), pin.SE3.Identity())
    return model


def slope(function: Callable[[np.ndarray], np.ndarray], q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The derivative of a function along v, by central differences."""
    ahead, behind = (np.array(function(q + s * v)) for s in (STEP, -STEP))
    return (ahead - behind) / (2.0 * STEP)


def settle(shown: np.ndarray, ours: np.ndarray, other: np.ndarray, off: float) -> None:
    """Ours is what is shown; Pinocchio's is further off than a share of it."""
    assert relative_error(ours, shown) < 1e-6
    assert relative_error(np.array(other).reshape(shown.shape), shown) > off


def test_planar_joints_near_zero() -> None:
    """Theirs loses half of the digits where the angle is small; the closed form is known."""
    angle = 1e-9
    v = np.array([1.0, 2.0, angle])
    expected = np.array([1.0 - angle, 2.0 + 0.5 * angle])  # to the first order: (x - y a/2, ...)
    ours = of(Planar())
    assert np.abs(integrate(ours, neutral(ours), v)[:2] - expected).max() < 1e-15
    other = theirs(pin.JointModelPlanar())
    assert np.abs(pin.integrate(other, pin.neutral(other), v)[:2] - expected).max() > 1e-8


def test_derivatives_of_integration_at_a_full_turn() -> None:
    """Where the logarithm is not unique the exponential is smooth all the same; theirs is NaN."""
    v = np.array([0.1, 0.2, 0.3, 0.0, 0.0, 2.0 * np.pi])
    ours, other = of(FreeFlyer()), theirs(pin.JointModelFreeFlyer())
    at, before, behind = (
        pin.dIntegrate(other, pin.neutral(other), scale * v, pin.ARG1)
        for scale in (1.0, 1.0 - 1e-6, 1.0 + 1e-6)
    )
    assert np.isnan(at).any()
    _, by_v = dyn_core.d_integrate(ours, neutral(ours), v)
    assert np.abs(by_v - 0.5 * (before + behind)).max() < 1e-5


MOVING = {
    "universal": (Universal(), pin.JointModelUniversal(np.eye(3)[0], np.eye(3)[1])),
    "spherical_zyx": (SphericalZYX(), pin.JointModelSphericalZYX()),
}


@pytest.mark.parametrize("name", MOVING)
def test_rates_of_maps_of_moving_subspaces(name: str) -> None:
    """Theirs leave out that the subspace moves: of Jacobians, and of the centroidal map."""
    mine, its = MOVING[name]
    ours, other = of(mine, Revolute((0, 0, 1))), theirs(its, pin.JointModelRZ())
    q, v = np.random.default_rng(0).normal(size=(2, other.nv))
    for rate, map_of, found in (
        (
            dyn_core.joint_jacobians_time_variation,
            pin.computeJointJacobians,
            pin.computeJointJacobiansTimeVariation,
        ),
        (dyn_core.centroidal_map_time_variation, pin.computeCentroidalMap, pin.dccrba),
    ):
        shown = slope(lambda q, f=map_of: f(other, other.createData(), q), q, v)
        settle(shown, rate(ours, q, v), found(other, other.createData(), q, v), 1e-2)


def test_rates_of_centroidal_maps_without_the_velocity_of_the_center_of_mass() -> None:
    """Theirs reads ``data.vcom``, which it does not compute: with new Data, zero."""
    ours = of(Revolute((1, 0, 0)), Revolute((0, 0, 1)))
    other = theirs(pin.JointModelRX(), pin.JointModelRZ())
    found, data = pin.computeCentroidalMapTimeVariation, other.createData()
    q, v = np.random.default_rng(0).normal(size=(2, other.nv))
    shown = slope(lambda q: pin.computeCentroidalMap(other, other.createData(), q), q, v)
    rate = dyn_core.centroidal_map_time_variation(ours, q, v)
    settle(shown, rate, found(other, other.createData(), q, v), 1e-2)
    pin.centerOfMass(other, data, q, v)
    assert relative_error(found(other, data, q, v), rate) < 1e-12


@pytest.mark.thorough
def test_derivatives_of_constrained_dynamics_with_baumgarte() -> None:
    """Six rows in world axes that are not met yet; differences of its own dynamics settle it."""
    arm = panda()
    contact = Contact("tip", 6, LOCAL_WORLD_ALIGNED, kp=50.0, kd=5.0, at="mark")
    other, case = arm.pin_model, Case(arm, (contact,))
    q, v, tau = 0.5 * np.random.default_rng(0).normal(size=(3, other.nv))
    models, datas, data = case.pinocchio()

    def dynamics(q: np.ndarray) -> np.ndarray:
        return pin.constraintDynamics(other, data, q, v, tau, models, datas).copy()

    shown = np.stack([slope(dynamics, q, e) for e in np.eye(other.nv)], axis=1)
    dynamics(q)
    pin.computeConstraintDynamicsDerivatives(other, data, models, datas)
    ours = dyn_core.constrained_dynamics_derivatives.request(contact)(arm.model, q, v, tau)[0]
    settle(shown, ours, data.ddq_dq, 1e-3)


SCALE, OFFSET = -0.7, 0.4


def following(primary: Joint, *between: Joint) -> tuple[Model, MimicOracle]:
    """A chain whose last joint follows its first, and the same with independent joints."""
    builder, aside = ModelBuilder("chain"), exp6(Motion.of([0.1, -0.2, 0.3, 0.4, 0.5, -0.6]))
    for parent, joint in enumerate((primary, *between, Mimic(primary, SCALE, OFFSET))):
        name = "j0" if isinstance(joint, Mimic) else None
        index = builder.add_joint(parent, joint, aside, f"j{parent}", primary=name)
        builder.add_body(index, BODY, PLACE)
    model = builder.build()
    return model, MimicOracle(model, to_pinocchio(independent(model)).model)


def projected(oracle: MimicOracle, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mass matrix and the last joint's Jacobian of Pinocchio's independent joints."""
    free, q = oracle.theirs, oracle.configuration(q)
    J = pin.computeJointJacobian(free, free.createData(), q, free.njoints - 1)
    return oracle.G.T @ symmetric(pin.crba(free, free.createData(), q)) @ oracle.G, J @ oracle.G


def test_mimic_joints_of_helical_joints() -> None:
    """Theirs moves along the screw, but its velocity lacks the pitch; independent joints settle."""
    ours, oracle = following(Helical((0, 0, 1), 0.3))
    screws = theirs(pin.JointModelHZ(0.3), pin.JointModelHZ(0.3))  # unaligned ones crash it
    for index in (1, 2):
        screws.jointPlacements[index] = oracle.theirs.jointPlacements[index]
    other, q = pin.transformJointIntoMimic(screws, 1, 2, SCALE, OFFSET), np.array([0.7])
    M, J = projected(oracle, q)
    settle(M, dyn_core.crba(ours, q), pin.crba(other, other.createData(), q), 1e-3)
    found = pin.computeJointJacobian(other, other.createData(), q, 2)
    settle(J, dyn_core.joint_jacobian.request("j1")(ours, q), found, 1e-2)


def test_mass_matrices_of_mimic_joints_beyond_a_joint_of_several_coordinates() -> None:
    """Theirs disagrees with its own inverse dynamics; independent joints settle."""
    ours, oracle = following(Revolute((1, 0, 0)), Translation())
    other = pin.transformJointIntoMimic(oracle.theirs, 1, 3, SCALE, OFFSET)
    q, still = np.array([0.7, 0.1, 0.2, 0.3]), np.zeros(4)
    M, _ = projected(oracle, q)
    settle(M, dyn_core.crba(ours, q), symmetric(pin.crba(other, other.createData(), q)), 1e-2)
    gravity = pin.rnea(other, other.createData(), q, still, still)
    efforts = [pin.rnea(other, other.createData(), q, still, e) - gravity for e in np.eye(4)]
    assert relative_error(np.stack(efforts, axis=1), M) < 1e-12


def test_kinematic_hessians_of_joints_as_python_gets_them() -> None:
    """The numbers are right, but stored by columns in an array that says it is stored by rows."""
    other = theirs(pin.JointModelRX(), pin.JointModelRY(), pin.JointModelRZ())
    other.jointPlacements[2] = other.jointPlacements[3] = pin.SE3(np.eye(3), np.ones(3))
    q, data = np.array([0.3, -0.5, 0.7]), other.createData()

    def jacobian(q: np.ndarray) -> np.ndarray:
        pin.computeJointJacobians(other, data, q)
        return pin.getJointJacobian(other, data, 3, pin.WORLD).copy()

    shown = np.stack([slope(jacobian, q, e) for e in np.eye(3)], axis=2)
    jacobian(q)
    pin.computeJointKinematicHessians(other, data, q)
    found = np.asarray(pin.getJointKinematicHessian(other, data, 3, pin.WORLD))
    settle(shown, column_major(found), found, 1e-2)


def test_kinetic_energy_of_rotors_is_in_both() -> None:
    ours = of(Revolute((1, 0, 0))).with_rotor("j0", inertia=5.0)
    other = theirs(pin.JointModelRX())
    other.armature[:] = 5.0
    still, one = np.zeros(1), np.ones(1)
    energy = dyn_core.kinetic_energy(ours, still, one)
    assert energy == pytest.approx(pin.computeKineticEnergy(other, other.createData(), still, one))
    assert energy > 2.5
