# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Pinocchio's names and ours, beside those that the declarations of quantities know.

Names of Pinocchio's Python module are as they are there, those of its Data and Model and of its
submodules with these before: ``Data.M``, ``Model.nq``, ``rpy.rpyToMatrix``.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache
from itertools import islice

from dyn_core.dynamics import QUANTITIES
from dyn_core.dynamics.declare.unique_names import names_in


def snake_case(name: str) -> str:
    """A name of Pinocchio as it would be here."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()


ALIKE = {
    "": "Data LOCAL LOCAL_WORLD_ALIGNED Model WORLD cholesky distance interpolate isNormalized "
    "isSameConfiguration neutral normalize",
    "Model.": "armature children createData damping effortLimit frames friction gravity inertias "
    "jointPlacements joints lowerPositionLimit name names nbodies njoints nq nv parents "
    "referenceConfigurations subtrees supports upperPositionLimit velocityLimit",
}
"""Functions, and members of Model, that have the same name here, in snake case."""
SPATIAL = "Force Inertia Motion SE3 Symmetric3 exp3 exp6 log3 log6 rpy"
JOINTS = "Composite Ellipsoid FreeFlyer Mimic Planar Spherical SphericalZYX Translation Universal"
AXIS_JOINTS = {"H": "Helical", "P": "Prismatic", "R": "Revolute", "RUB": "RevoluteUnbounded"}
"""Beginnings of the names of joints along x, y or z."""
AXES = {"X": "(1, 0, 0)", "Y": "(0, 1, 0)", "Z": "(0, 0, 1)"}

COUNTERPARTS = {
    **{
        whose + name: whose + (snake_case(name) if name[:1].islower() else name)
        for whose, names in ALIKE.items()
        for name in names.split()
    },
    **{name: f"spatial.{name}" for name in SPATIAL.split()},
    **{name: f"spatial.{name.lower()}" for name in ("Jexp3", "Jexp6", "Jlog3", "Jlog6")},
    **{f"JointModel{name}": f"joints.{name}" for name in JOINTS.split()},
    **{
        f"JointModel{kind}{axis}": f"joints.{ours}({direction}{', pitch' * (kind == 'H')})"
        for kind, ours in AXIS_JOINTS.items()
        for axis, direction in AXES.items()
    },
    "ADMMConstraintSolver": "contacts.solve_contacts",
    "AngleAxis": "spatial.Matrix3.axis_angle",
    "BaumgarteCorrectorParameters": "Contact.kp",
    "CollisionGeometry": "geometry.Shape",
    "CollisionPair": "geometry.GeometryModel.with_pairs",
    "GeometryData": "geometry.CollisionChecker",
    "GeometryModel": "geometry.GeometryModel",
    "GeometryObject": "geometry.GeometryObject",
    "GeometryType": "geometry.Kind",
    "LogCholeskyParameters": "spatial.log_cholesky",
    "PGSConstraintSolver": "contacts.solve_contacts",
    "PGSSolverResult": "contacts.Solution",
    "SE3ToXYZQUAT*": "spatial.quaternion.of_matrix",
    "XYZQUATToSE3": "spatial.lie.Placements.placement",
    "abaInParallel": "Kernel.batch",
    "rneaInParallel": "Kernel.batch",
    "buildGeomFromMJCF": "geometry.geometry_from_mjcf",
    "buildGeomFromUrdf*": "geometry.geometry_from_urdf",
    "computeCollision": "geometry.CollisionChecker.collisions",
    "computeCollisions": "geometry.CollisionChecker.collisions",
    "computeDistance*": "geometry.CollisionChecker.distances",
    "computeInverseDynamicsConstraintForces": "contacts.contact_inverse_dynamics",
    "computeSupportedForceByFrame": "joint_forces(Model.from_urdf(..., keep=[joint]))",
    "computeSupportedInertiaByFrame": "subtree_inertias(Model.from_urdf(..., keep=[joint]))",
    "contactInverseDynamics": "contacts.contact_inverse_dynamics",
    "exp6_quat": "spatial.lie.Placements.integrate",
    "log6_quat": "spatial.lie.Placements.difference",
    "findCommonAncestor": "Model.supports",
    "forwardDynamics": "constrained_forward_dynamics",
    "getConstraintJacobian": "constraint_jacobian",
    "lcaba": "constrained_forward_dynamics",
    "removeCollisionPairs*": "geometry.with_disabled_collisions",
    "updateGeometryPlacements": "geometry.CollisionChecker.update",
    "Model.getChildJoints": "Model.children",
    "ConstraintModel": "Contact",
    "Frame": "model.Frame",
    "FrameType": "model.FrameType",
    "JointModel": "joints.Joint",
    "JointModelHelicalUnaligned": "joints.Helical",
    "JointModelPrismaticUnaligned": "joints.Prismatic",
    "JointModelRevoluteUnaligned": "joints.Revolute",
    "JointModelRevoluteUnboundedUnaligned": "joints.RevoluteUnbounded",
    "LieGroup": "spatial.lie.Space",
    "PseudoInertia": "spatial.Inertia.pseudo_inertia",
    "Quaternion": "spatial.Matrix3.quaternion",
    "ReferenceFrame": "Reference",
    "RigidConstraintModel": "Contact",
    "appendModel": "Model.append",
    "bodyRegressor": "joint_body_regressor",
    "buildModelAndConstraintsFromMJCF": "Model.from_mjcf",
    "buildModelFromMJCF*": "Model.from_mjcf",
    "buildModelFromUrdf": "Model.from_urdf",
    "buildModelFromXML": "Model.from_urdf",
    "buildReducedModel": "Model.reduced",
    "classicAcceleration": "frame_acceleration(classical=True)",
    "computeAllTerms": "compile(model, [...])",
    "computeForwardKinematicsDerivatives": 'derivative.request(joint_accelerations, by="q")',
    "computeImpulseDynamicsDerivatives": 'derivative.request(impulse_dynamics, by="q")',
    "createDatas": "Model.create_data",
    "dIntegrateTransport": "transport",
    "exp": "spatial.exp6",
    "exp3_quat": "spatial.quaternion.exp",
    "explog": "spatial.exponential",
    "getCenterOfMassVelocityDerivatives": 'derivative.request(center_of_mass_velocity, by="q")',
    "getCentroidalDynamicsDerivatives": "centroidal_dynamics_derivatives",
    "getJointAccelerationDerivatives": 'derivative.request(joint_accelerations, by="q")',
    "getJointVelocityDerivatives": 'derivative.request(joint_velocities, by="q")',
    "getPointClassicAccelerationDerivatives": 'derivative.request(frame_acceleration, by="q")',
    "getPointVelocityDerivatives": "frame_velocity_derivatives",
    "graph": "ModelGraph",
    "lieGroup": "Model.space",
    "liegroups": "spatial.lie",
    "liegroups.SO2": "spatial.lie.Circle",
    "liegroups.SO3": "spatial.lie.Rotations",
    "liegroups.SE2": "spatial.lie.Plane",
    "liegroups.SE3": "spatial.lie.Placements",
    "liegroups.Rn": "spatial.lie.VectorSpace",
    "liegroups.R1": "spatial.lie.VectorSpace(1)",
    "liegroups.R2": "spatial.lie.VectorSpace(2)",
    "liegroups.R3": "spatial.lie.VectorSpace(3)",
    "loadReferenceConfigurations*": "Model.with_srdf",
    "loadRotorParameters": "Model.with_srdf",
    "log": "spatial.log6",
    "nle": "nonlinear_effects",
    "orthonormalization": "normalize",
    "randomConfiguration": "random_configuration(model, numpy.random.default_rng(seed))",
    "rpy.computeRpyJacobian": "spatial.rpy.jacobian",
    "rpy.matrixToRpy": "spatial.rpy.of_matrix",
    "rpy.rpyToMatrix": "spatial.rpy.to_matrix",
    "rpy.rotate": "spatial.Matrix3.axis_angle",
    "seed": "random_configuration(model, numpy.random.default_rng(seed))",
    "serialization": "serialize",
    "skew": "spatial.Matrix3.skew",
    "skewSquare": "spatial.Symmetric3.minus_skew_squared",
    "squaredDistance": "distance",
    "transformJointIntoMimic": "joints.Mimic",
    "updateGlobalPlacements": "forward_kinematics",
    "Data.B": "spatial.InertiaRate",
    "Data.joints": "dynamics.tree_passes.joint_kinematics",
    "Data.copy": "Data",
    "Data.loadFrom*": "serialize",
    "Data.saveTo*": "serialize",
    "Model.addBodyFrame": "ModelBuilder.add_frame",
    "Model.addFrame": "Model.with_frame",
    "Model.addJoint": "ModelBuilder.add_joint",
    "Model.addJointFrame": "ModelBuilder.add_frame",
    "Model.appendBodyToJoint": "ModelBuilder.add_body",
    "Model.getFrameId": "Model.frame",
    "Model.getBodyId": "Model.frame",
    "Model.getJointId": "Model.joint_index",
    "Model.gravity981": "model.model.GRAVITY",
    "Model.idx_qs": "Model.idx_q",
    "Model.idx_vs": "Model.idx_v",
    "Model.loadFrom*": "serialize",
    "Model.rotor*": "Model.with_rotor",
    "Model.saveTo*": "serialize",
    "Model.cast": "Quantity.define",
}
"""What does in dyn_core what a name of Pinocchio does, where no quantity says so itself."""


@cache
def declared_names() -> dict[str, list[str]]:
    """Pinocchio's functions and fields of Data, with the quantities that declare them."""
    found: dict[str, list[str]] = {}
    for quantity in sorted(QUANTITIES.values(), key=lambda quantity: quantity.__name__):
        name = quantity.__name__
        for theirs, options in names_in(quantity.pinocchio).items():
            found.setdefault(theirs, []).append(f"{name}{options}")
        for output in quantity.outputs:
            for theirs, options in names_in(output.pinocchio or output.field).items():
                ours = f"data[{name}.request{options}]" if options else f"data.{output.field}"
                found.setdefault(f"Data.{theirs}", []).append(ours)
    return found


def counterparts(name: str) -> list[str]:
    """What does in dyn_core what a name of Pinocchio does: the quantities that say so, or another.

    Empty if there is none, or no such name.
    """
    patterns = (ours for key, ours in COUNTERPARTS.items() if fnmatchcase(name, key))
    return declared_names().get(name) or [*islice(patterns, 1)]
