# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Pinocchio's names and ours, beside those that the declarations of quantities know.

Names of Pinocchio's Python module are as they are there, those of its Data and Model and of its
submodules with these before: ``Data.M``, ``Model.nq``, ``rpy.rpyToMatrix``.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

COUNTERPARTS = {
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
    "computeDistance": "geometry.CollisionChecker.distances",
    "computeDistances": "geometry.CollisionChecker.distances",
    "computeInverseDynamicsConstraintForces": "contacts.contact_inverse_dynamics",
    "computeSupportedForceByFrame": "joint_forces(Model.from_urdf(..., keep=[joint]))",
    "computeSupportedInertiaByFrame": "subtree_inertias(Model.from_urdf(..., keep=[joint]))",
    "contactInverseDynamics": "contacts.contact_inverse_dynamics",
    "exp6_quat": "spatial.lie.Placements.integrate",
    "log6_quat": "spatial.lie.Placements.difference",
    "findCommonAncestor": "Model.supports",
    "forwardDynamics": "constrained_forward_dynamics",
    "getConstraintJacobian": "constraint_jacobian",
    "isSameConfiguration": "is_same_configuration",
    "lcaba": "constrained_forward_dynamics",
    "removeCollisionPairs*": "geometry.with_disabled_collisions",
    "updateGeometryPlacements": "geometry.CollisionChecker.update",
    "Model.children": "Model.children",
    "Model.getChildJoints": "Model.children",
    "Model.subtrees": "Model.subtrees",
    "Model.supports": "Model.supports",
    "ConstraintModel": "Contact",
    "Data": "Data",
    "Force": "spatial.Force",
    "Frame": "model.Frame",
    "FrameType": "model.FrameType",
    "Inertia": "spatial.Inertia",
    "JointModel": "joints.Joint",
    "JointModelComposite": "joints.Composite",
    "JointModelEllipsoid": "joints.Ellipsoid",
    "JointModelFreeFlyer": "joints.FreeFlyer",
    "JointModelHX": "joints.Helical((1, 0, 0), pitch)",
    "JointModelHY": "joints.Helical((0, 1, 0), pitch)",
    "JointModelHZ": "joints.Helical((0, 0, 1), pitch)",
    "JointModelHelicalUnaligned": "joints.Helical",
    "JointModelMimic": "joints.Mimic",
    "JointModelPX": "joints.Prismatic((1, 0, 0))",
    "JointModelPY": "joints.Prismatic((0, 1, 0))",
    "JointModelPZ": "joints.Prismatic((0, 0, 1))",
    "JointModelPlanar": "joints.Planar",
    "JointModelPrismaticUnaligned": "joints.Prismatic",
    "JointModelRUBX": "joints.RevoluteUnbounded((1, 0, 0))",
    "JointModelRUBY": "joints.RevoluteUnbounded((0, 1, 0))",
    "JointModelRUBZ": "joints.RevoluteUnbounded((0, 0, 1))",
    "JointModelRX": "joints.Revolute((1, 0, 0))",
    "JointModelRY": "joints.Revolute((0, 1, 0))",
    "JointModelRZ": "joints.Revolute((0, 0, 1))",
    "JointModelRevoluteUnaligned": "joints.Revolute",
    "JointModelRevoluteUnboundedUnaligned": "joints.RevoluteUnbounded",
    "JointModelSpherical": "joints.Spherical",
    "JointModelSphericalZYX": "joints.SphericalZYX",
    "JointModelTranslation": "joints.Translation",
    "JointModelUniversal": "joints.Universal",
    "Jexp3": "spatial.jexp3",
    "Jexp6": "spatial.jexp6",
    "Jlog3": "spatial.jlog3",
    "Jlog6": "spatial.jlog6",
    "LOCAL": "LOCAL",
    "LOCAL_WORLD_ALIGNED": "LOCAL_WORLD_ALIGNED",
    "LieGroup": "spatial.lie.Space",
    "Model": "Model",
    "Motion": "spatial.Motion",
    "PseudoInertia": "spatial.Inertia.pseudo_inertia",
    "Quaternion": "spatial.Matrix3.quaternion",
    "ReferenceFrame": "Reference",
    "RigidConstraintModel": "Contact",
    "SE3": "spatial.SE3",
    "Symmetric3": "spatial.Symmetric3",
    "WORLD": "WORLD",
    "appendModel": "Model.append",
    "bodyRegressor": "joint_body_regressor",
    "buildModelAndConstraintsFromMJCF": "Model.from_mjcf",
    "buildModelFromMJCF": "Model.from_mjcf",
    "buildModelFromMJCFAndRootJoint": "Model.from_mjcf",
    "buildModelFromUrdf": "Model.from_urdf",
    "buildModelFromXML": "Model.from_urdf",
    "buildReducedModel": "Model.reduced",
    "cholesky": "cholesky",
    "classicAcceleration": "frame_acceleration(classical=True)",
    "computeAllTerms": "compile(model, [...])",
    "computeForwardKinematicsDerivatives": 'derivative(joint_accelerations, by="q")',
    "computeImpulseDynamicsDerivatives": 'derivative(impulse_dynamics, by="q")',
    "createDatas": "Model.create_data",
    "dIntegrateTransport": "transport",
    "distance": "distance",
    "exp": "spatial.exp6",
    "exp3": "spatial.exp3",
    "exp3_quat": "spatial.quaternion.exp",
    "exp6": "spatial.exp6",
    "explog": "spatial.exponential",
    "getCenterOfMassVelocityDerivatives": 'derivative(center_of_mass_velocity, by="q")',
    "getCentroidalDynamicsDerivatives": "centroidal_dynamics_derivatives",
    "getJointAccelerationDerivatives": 'derivative(joint_accelerations, by="q")',
    "getJointVelocityDerivatives": 'derivative(joint_velocities, by="q")',
    "getPointClassicAccelerationDerivatives": 'derivative(frame_acceleration, by="q")',
    "getPointVelocityDerivatives": "frame_velocity_derivatives",
    "graph": "ModelGraph",
    "interpolate": "interpolate",
    "isNormalized": "is_normalized",
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
    "loadReferenceConfigurations": "Model.with_srdf",
    "loadReferenceConfigurationsFromXML": "Model.with_srdf",
    "loadRotorParameters": "Model.with_srdf",
    "log": "spatial.log6",
    "log3": "spatial.log3",
    "log6": "spatial.log6",
    "neutral": "neutral",
    "nle": "nonlinear_effects",
    "normalize": "normalize",
    "orthonormalization": "normalize",
    "randomConfiguration": "random_configuration(model, numpy.random.default_rng(seed))",
    "rpy": "spatial.rpy",
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
    "Model.armature": "Model.armature",
    "Model.createData": "Model.create_data",
    "Model.damping": "Model.damping",
    "Model.effortLimit": "Model.effort_limit",
    "Model.frames": "Model.frames",
    "Model.friction": "Model.friction",
    "Model.getFrameId": "Model.frame",
    "Model.getBodyId": "Model.frame",
    "Model.getJointId": "Model.joint_index",
    "Model.gravity": "Model.gravity",
    "Model.gravity981": "model.model.GRAVITY",
    "Model.idx_qs": "Model.idx_q",
    "Model.idx_vs": "Model.idx_v",
    "Model.inertias": "Model.inertias",
    "Model.jointPlacements": "Model.joint_placements",
    "Model.joints": "Model.joints",
    "Model.loadFrom*": "serialize",
    "Model.lowerPositionLimit": "Model.lower_position_limit",
    "Model.name": "Model.name",
    "Model.names": "Model.names",
    "Model.nbodies": "Model.nbodies",
    "Model.njoints": "Model.njoints",
    "Model.nq": "Model.nq",
    "Model.nv": "Model.nv",
    "Model.parents": "Model.parents",
    "Model.referenceConfigurations": "Model.reference_configurations",
    "Model.rotor*": "Model.with_rotor",
    "Model.saveTo*": "serialize",
    "Model.upperPositionLimit": "Model.upper_position_limit",
    "Model.velocityLimit": "Model.velocity_limit",
    "Model.cast": "Quantity.define",
}
"""What does in dyn_core what a name of Pinocchio does, where no quantity says so itself."""

WITHOUT = {
    "a list of C++; Python's lists, tuples and numpy's arrays serve": "StdVec_* StdMap_* map_* "
    "serialization.*Buffer serialization.buffer_copy",
    "scratch memory of an algorithm; compiled code keeps such numbers in registers": "Data.Fcrb "
    "Data.Ivx Data.vxI Data.iMf Data.oL Data.oK Data.oYaba_augmented Data.of_augmented Data.a_in "
    "Data.q_in Data.v_in Data.tau_in Data.primal_* Data.*_chol Data.lambda_c_prox",
    "where entries of sparse matrices are; a trace knows it from the model": "Data.*fromRow "
    "Data.lastChild Data.nvSubtree Data.mimic_subtree_joint Model.sparsity_pattern_vector "
    "Model.span_indexes_vector getTangentToConfigurationSparsitySegment "
    "computeJointMinimalOrdering",
    "scratch memory of a joint type; a joint here holds parameters only": "JointData*",
    "derivatives of columns, from which others are made; ask for those": "Data.dAd? "
    "Data.dFd? Data.dHdq Data.dac_d? Data.dvc_dq",
    "the second derivative of a rotation; dual numbers give it": "Hlog3",
    "settings and statistics of a solver; here arguments, and fields of the solution": "PGS* "
    "ProximalSettings ADMMProximalRule ADMMSolverResult ADMMSolverSettings ADMMSolverStats "
    "ADMMUpdateRule",
    "eigenvalues by another iteration": "LanczosDecomposition TridiagonalSymmetricMatrix",
    "sets that a solver projects on; contacts.solve_contacts has the cones in it": "*Cone BoxSet",
    "a table of friction by material; give the number that was measured": "PhysicsMaterial* ICE "
    "METAL PLASTIC WOOD CONCRETE getFrictionCoefficientMatrix FrictionCoefficientMatrix",
    "kinds of constraints and their memory; Contact, Loop and Coupling are options here": "Contact "
    "*ConstraintModel *ConstraintData ConstraintData ContactType ConstraintSelectionType "
    "RigidConstraintData initConstraintDynamics convertToRigidConstraintModel",
    "factorizations as objects; those of the Delassus matrix are quantities": "Delassus* "
    "*CholeskyDecomposition",
    "an inverse made of blocks that are quantities: minverse, constraint_jacobian, "
    "delassus_inverse": "computeKKTContactDynamicMatrixInverse getKKTContactDynamicMatrixInverse",
    "a choice of coal's search for pairs; a checker tests the pairs of its model": "*BroadPhase*",
    "coal itself; what it finds is in the arrays of geometry.CollisionChecker": "CollisionObject "
    "CollisionCallBack* CollisionResult ComputeCollision ComputeDistance DistanceResult "
    "*MeshLoader computeContactPatch* coal hppfcl computeBodyRadius",
    "materials and colours, which only displays need": "GeometryNoMaterial GeometryPhongMaterial",
    "kinds of geometry are members of geometry.Kind": "VISUAL COLLISION",
    "many states at once are a batch of a kernel, its threads an argument": "*Pool "
    "computeCollisionsInParallel omp_get_max_threads",
    "a robot of Pinocchio's own tests": "buildSampleModel* buildSampleGeometry*",
    "SDF is read by Gazebo's own library, which also converts it to URDF": "buildModelsFromSdf "
    "buildModelsAndConstraintsFromSdf",
    "several models of one file; read it once for each": "buildModelsFromMJCF buildModelsFromUrdf "
    "buildModelsAndConstraintsFromMJCF buildModelAndLegacyConstraintsFromMJCF",
    "products with the matrix tangent_map": "*angentMap*",
    "linear algebra that numpy has": "isOrthonormal orthogonalization unSkew XAxis YAxis ZAxis",
    "inverse and rate of a small matrix; numpy and dual numbers give them": "rpy.compute*",
    "arrays are never shared with C++": "sharedMemory",
    "parts of the binding, versions and what it was built with": "WITH_* PINOCCHIO_* ScalarType "
    "DeprecatedBool Exception boost_type_index std_type_index checkVersionAtLeast printVersion "
    "deprecated inspect numpy pin pinocchio_pywrap_default sys submodules module_info LogLevel",
    "arguments of functions that are called differently here": "ARG? ArgumentPosition Convention "
    "KinematicLevel POSITION VELOCITY ACCELERATION LINEAR CONSTANT SPECTRAL OSQP AUTOMATIC MANUAL",
    "kinds of frames are members of FrameType": "BODY JOINT FIXED_JOINT OP_FRAME SENSOR",
    "model, data and geometry in one object, and shortcuts to make it": "RobotWrapper shortcuts "
    "robot_wrapper utils linalg",
    "one limit to both sides; friction has no bounds of its own": "Model.lower* Model.upper* "
    "Model.positionLimitMargin Model.hasConfigurationLimit*",
    "follows from the joints: nq and nv of each, primaries of mimic joints": "Model.nqs Model.nvs "
    "Model.nvExtended* Model.idx_vExtendeds Model.mimic* Model.nframes",
    "ask `in` of the names": "Model.exist*",
    "models are immutable, so nothing needs a copy, and are checked when built": "Model.copy "
    "Model.check",
    "submodules of the file formats": "serialization.*",
}
"""Names, or patterns of names, that have no counterpart, by the reason why."""


def counterpart(name: str) -> str | None:
    """What :data:`COUNTERPARTS` says of a name."""
    return next((ours for key, ours in COUNTERPARTS.items() if fnmatchcase(name, key)), None)


def reason(name: str) -> str | None:
    """Why a name has no counterpart, if it has none."""
    found = (why for why, names in WITHOUT.items() for x in names.split() if fnmatchcase(name, x))
    return next(found, None)
