"""Where Pinocchio 4.1 and we differ: whom differences of kinematics or a closed form agree with.

``docs/from_pinocchio.md`` states each of these; one that fails after an upgrade is to be taken out.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import dyn_core
from dyn_core import Model, ModelBuilder
from dyn_core.configuration import integrate, neutral
from dyn_core.joints import FreeFlyer, Joint, Planar, Revolute, SphericalZYX, Universal
from dyn_core.spatial import SE3, Inertia, Symmetric3, Vector3

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
        model.appendBodyToJoint(index, pin.Inertia.Identity(), pin.SE3.Identity())
    return model


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
    other = theirs(pin.JointModelFreeFlyer())
    J = pin.dIntegrate(other, pin.neutral(other), v, pin.ArgumentPosition.ARG1)
    assert np.isnan(J).any()
    ours = of(FreeFlyer())
    _, by_v = dyn_core.d_integrate(ours, neutral(ours), v)
    near = [pin.dIntegrate(other, pin.neutral(other), scale * v, pin.ARG1) for scale in
            (1.0 - 1e-6, 1.0 + 1e-6)]  # fmt: skip
    assert np.abs(by_v - 0.5 * (near[0] + near[1])).max() < 1e-5


MOVING = {
    "universal": (Universal(), pin.JointModelUniversal(np.eye(3)[0], np.eye(3)[1])),
    "spherical_zyx": (SphericalZYX(), pin.JointModelSphericalZYX()),
}


@pytest.mark.parametrize("name", MOVING)
def test_rates_of_jacobians_of_moving_subspaces(name: str) -> None:
    """Theirs leaves out that the subspace moves; differences along the motion settle it."""
    mine, its = MOVING[name]
    ours, other = of(mine, Revolute((0, 0, 1))), theirs(its, pin.JointModelRZ())
    q, v = np.random.default_rng(0).normal(size=(2, other.nv))

    def jacobian(q: np.ndarray) -> np.ndarray:
        return pin.computeJointJacobians(other, other.createData(), q).copy()

    expected = (jacobian(q + STEP * v) - jacobian(q - STEP * v)) / (2.0 * STEP)
    rate = dyn_core.joint_jacobians_time_variation(ours, q, v)
    assert np.abs(rate - expected).max() < 1e-8
    found = pin.computeJointJacobiansTimeVariation(other, other.createData(), q, v)
    assert np.abs(found - expected).max() > 1e-2


def test_kinematic_hessians_of_joints_as_python_gets_them() -> None:
    """The numbers are right, but stored by columns in an array that says it is stored by rows."""
    other = theirs(pin.JointModelRX(), pin.JointModelRY(), pin.JointModelRZ())
    other.jointPlacements[2] = other.jointPlacements[3] = pin.SE3(np.eye(3), np.ones(3))
    q, data = np.array([0.3, -0.5, 0.7]), other.createData()

    def jacobian(q: np.ndarray) -> np.ndarray:
        now = other.createData()
        pin.computeJointJacobians(other, now, q)
        return pin.getJointJacobian(other, now, 3, pin.WORLD).copy()

    ends = [[jacobian(q + sign * STEP * e) for sign in (1, -1)] for e in np.eye(3)]
    expected = np.stack([(a - b) / (2.0 * STEP) for a, b in ends], axis=2)
    pin.computeJointJacobians(other, data, q)
    pin.computeJointKinematicHessians(other, data, q)
    found = np.asarray(pin.getJointKinematicHessian(other, data, 3, pin.WORLD))
    assert np.abs(found - expected).max() > 1e-2
    by_columns = found.ravel().reshape((6, 3, 3), order="F")
    assert (
        min(np.abs(one - expected).max() for one in (by_columns, by_columns.swapaxes(1, 2))) < 1e-8
    )


def test_kinetic_energy_of_rotors_is_in_both() -> None:
    ours = of(Revolute((1, 0, 0))).with_rotor("j0", inertia=5.0)
    other = theirs(pin.JointModelRX())
    other.inertias[1] = pin.Inertia.FromDynamicParameters(np.array(BODY.parameters, dtype=float))
    other.armature[:] = 5.0
    still, one = np.zeros(1), np.ones(1)
    energy = dyn_core.kinetic_energy(ours, still, one)
    assert energy == pytest.approx(pin.computeKineticEnergy(other, other.createData(), still, one))
    assert energy > 2.5
