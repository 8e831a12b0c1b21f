# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Matrices that inertial parameters enter linearly: for identification.

The ten parameters of each body are those of :attr:`dyn_core.spatial.Inertia.parameters`, in the
frame of its joint: ``(m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz)``.
"""

from __future__ import annotations

from dyn_core.dynamics.center_of_mass import refuse_massless
from dyn_core.dynamics.declare.arrays import PARAMETERS, Acceleration, Configuration, Velocity
from dyn_core.dynamics.declare.options import JointIndex
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.subtree_inertias import subtree_masses
from dyn_core.dynamics.tree_passes import (
    accelerations,
    against_gravity,
    joint_kinematics,
    placements,
    velocities,
)
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Force, Inertia, Motion, Vector3
from dyn_core.spatial.scalars import Rows, Scalar

UNITS = [
    Inertia.from_parameters([1.0 if j == k else 0.0 for j in range(PARAMETERS[0])])
    for k in range(PARAMETERS[0])
]
"""Bodies of which one parameter is 1 and all others are 0."""
SOURCE = "Atkeson, An and Hollerbach 1986, equations 7 and 20"


@quantity(
    "body_regressor",
    "regressor of the force that moves a joint's body",
    unit="N, N m per unit of each parameter",
    shape=(6, *PARAMETERS),
    pinocchio="jointBodyRegressor",
    pinocchio_data="bodyRegressor",
    source=SOURCE,
)
def joint_body_regressor(
    model: Model, q: Configuration, v: Velocity, a: Acceleration, *, joint: JointIndex
) -> Rows:
    """``Y`` with ``Y pi`` the force on a joint's body, weight included, in the joint's frame."""
    return _columns(body_regressor(*_motion(model, q, v, a, joint)))


@quantity(
    "frame_regressor",
    "regressor of the force that moves a body fixed to a frame",
    unit="N, N m per unit of each parameter",
    shape=(6, *PARAMETERS),
    frame="requested",
    pinocchio="frameBodyRegressor",
    source=SOURCE,
)
def frame_body_regressor(
    model: Model, q: Configuration, v: Velocity, a: Acceleration, *, frame: Frame
) -> Rows:
    """``Y`` with ``Y pi`` the force on a body fixed to a frame, such as a payload or a tool."""
    velocity, felt = _motion(model, q, v, a, JointIndex(frame.joint))
    into = frame.placement.act_inv_motion
    return _columns(body_regressor(into(velocity), into(felt)))


@quantity(
    "jointTorqueRegressor",
    "regressor of the efforts of inverse dynamics, ten columns for each body",
    unit="N m, N per unit of each parameter",
    shape=("nv", "10 nbodies"),
    pinocchio="computeJointTorqueRegressor",
    source=SOURCE,
)
def joint_torque_regressor(model: Model, q: Configuration, v: Velocity, a: Acceleration) -> Rows:
    """``Y`` with ``Y pi = tau``, without the efforts of rotors (``armature * a``).

    ``pi`` are the parameters of all bodies that joints move, one after the other.
    """
    joints = joint_kinematics(model, q, v)
    velocity = velocities(model, joints)
    felt = accelerations(model, joints, velocity, a, against_gravity(model))
    Y: Rows = [[0.0] * (PARAMETERS[0] * model.nbodies) for _ in range(model.nv)]
    for i in model.moving_joints:
        forces = body_regressor(velocity[i], felt[i])
        for j in model.inwards(i):
            for row, s in enumerate(joints[j].S, model.idx_v[j]):
                for k, force in enumerate(forces, PARAMETERS[0] * (i - 1)):
                    Y[row][k] = Y[row][k] + s.dot(force)
            forces = [joints[j].liMi.act_force(force) for force in forces]
    return Y


@quantity(
    "staticRegressor",
    "regressor of the centre of mass: four columns (m, m c) for each body",
    unit="1/kg, m/kg",
    shape=(3, "4 nbodies"),
    frame="world",
    pinocchio="computeStaticRegressor",
    source="Baelemans, van Zutphen and Nijmeijer 2013, section II",
    requires=refuse_massless,
)
def static_regressor(model: Model, q: Configuration) -> Rows:
    """``Y`` with ``Y (m_1, m_1 c_1, m_2, ...)`` the centre of mass, the total mass being known."""
    inverse_mass = 1.0 / subtree_masses.define(model)[0]
    oMi = placements(model, joint_kinematics(model, q))[1:]
    blocks = [[M.translation, *M.rotation.columns] for M in oMi]
    columns = [list(column * inverse_mass) for block in blocks for column in block]
    return [list(row) for row in zip(*columns, strict=True)]


@quantity(
    "kineticEnergyRegressor",
    "regressor of the kinetic energy, ten entries for each body",
    unit="J per unit of each parameter",
    shape=("10 nbodies",),
    frame="any",
    pinocchio="computeKineticEnergyRegressor",
    source="Gautier and Khalil 1988, equation 3",
)
def kinetic_energy_regressor(model: Model, q: Configuration, v: Velocity) -> list[Scalar]:
    """``y`` with ``y pi`` the kinetic energy of the bodies, without that of rotors."""
    joints = joint_kinematics(model, q, v)
    return [
        0.5 * motion.dot(unit.apply(motion))
        for motion in velocities(model, joints)[1:]
        for unit in UNITS
    ]


@quantity(
    "potentialEnergyRegressor",
    "regressor of the potential energy, ten entries for each body",
    unit="J per unit of each parameter",
    shape=("10 nbodies",),
    frame="world",
    pinocchio="computePotentialEnergyRegressor",
    source="Gautier and Khalil 1988, equation 3",
)
def potential_energy_regressor(model: Model, q: Configuration) -> list[Scalar]:
    """``y`` with ``y pi`` the potential energy in the field of gravity."""
    oMi = placements(model, joint_kinematics(model, q))[1:]
    return [-_moment(M, unit).dot(model.gravity_vector) for M in oMi for unit in UNITS]


def body_regressor(velocity: Motion, felt: Motion) -> list[Force]:
    """The force on a body that moves so, for each of :data:`UNITS`: ``I a + v x* I v``."""
    return [unit.apply(felt) + velocity.cross_force(unit.apply(velocity)) for unit in UNITS]


def _motion(
    model: Model, q: Configuration, v: Velocity, a: Acceleration, joint: JointIndex
) -> tuple[Motion, Motion]:
    """Velocity and felt acceleration of a joint's body."""
    joints = joint_kinematics(model, q, v)
    velocity = velocities(model, joints)
    felt = accelerations(model, joints, velocity, a, against_gravity(model))
    return velocity[joint], felt[joint]


def _moment(M: SE3, body: Inertia) -> Vector3:
    """The first moment of a body of the frame at M about the origin of the world."""
    moment: Vector3 = M.rotation.apply(body.first_moment) + M.translation * body.mass
    return moment


def _columns(forces: list[Force]) -> Rows:
    return [list(row) for row in zip(*forces, strict=True)]
