# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The page ``docs/from_pinocchio.md``: names of Pinocchio's wheel, which has to be installed."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from importlib import import_module

from dyn_core.pinocchio_names import counterparts

DIFFERENCES = """\
## Differences in meaning

* `dyn_core` identifies joints and frames by names, Pinocchio by indices. Options are compiled into
  the code, so they are keywords.
* A call with Data returns a view of a field of Data: it shows the newest result. Copy a result to
  keep it.
* `integrate` may return a quaternion with the other sign than Pinocchio's: the same orientation.
* `crba` fills the whole matrix, Pinocchio's the upper triangle alone. The kinetic energy includes
  rotors (armature) in both.
* A mimic joint is coupled unless you read the robot with `mimic=False`. In Pinocchio it is coupled
  only on request.

Errors of Pinocchio 4.1, and the computation that shows each. The tests of
`src/dyn_core/test/dynamics/test_pinocchio_settled.py` run them:

| function | error | shown by |
| --- | --- | --- |
| `integrate` of a planar joint, near zero angle | 8e-8 at 1e-9 rad | the closed form |
| `dIntegrate` at a rotation by 2 pi | NaN | the limit from both sides |
| `computeJointJacobiansTimeVariation` of joints whose subspace moves (universal, ZYX) | 0.1 and \
more | differences of its own Jacobian along the motion |
| `getJointKinematicHessian` in Python | entries permuted: stored by columns, described as by rows \
| differences of its own Jacobian |
| `dccrba` (`Data.dAg`) of joints whose subspace moves | 0.5 and more | differences of its own \
`computeCentroidalMap` along the motion |
| `computeCentroidalMapTimeVariation`, unless `centerOfMass(model, data, q, v)` came before: it \
reads `data.vcom` | 10 % of the largest entry | the same |
| `Data.ddq_dq` of constrained dynamics: six rows, LOCAL_WORLD_ALIGNED, Baumgarte's `Kp`, \
placements that do not coincide | 4 % | central differences of its own `constraintDynamics` |
| mimic joints of helical joints, whose velocity lacks the pitch: Jacobians; `crba` | 37 %; 4 % | \
`G' M G` of its own model with independent joints |
| `crba` where a joint of several coordinates is between a mimic joint and its primary | 24 % | \
the same, and columns of its own `rnea` |

`dyn_core` agrees with the right-hand column to rounding, or to the accuracy of the differences.
"""

WITHOUT = {
    "a list of C++; Python's lists, tuples and numpy's arrays serve": "StdVec_* StdMap_* map_* "
    "serialization.*Buffer serialization.buffer_copy",
    "scratch memory of an algorithm; compiled code keeps such numbers in registers": "Data.Fcrb "
    "Data.Ivx Data.vxI Data.iMf Data.oL Data.oK Data.oYaba_augmented Data.of_augmented Data.a_in "
    "Data.q_in Data.v_in Data.tau_in Data.primal_* Data.*_chol Data.lambda_c_prox",
    "patterns of sparse matrices; a trace knows them from the model": "Data.*fromRow "
    "Data.lastChild Data.nvSubtree Data.mimic_subtree_joint Model.sparsity_pattern_vector "
    "Model.span_indexes_vector getTangentToConfigurationSparsitySegment "
    "computeJointMinimalOrdering",
    "scratch memory of a joint type; a joint here holds parameters only": "JointData*",
    "intermediate derivatives of columns; request the final derivatives": "Data.dAd? "
    "Data.dFd? Data.dHdq Data.dac_d? Data.dvc_dq",
    "the second derivative of a rotation; dual numbers give it": "Hlog3",
    "settings and statistics of a solver; here arguments, and fields of the solution": "PGS* "
    "ProximalSettings ADMMProximalRule ADMMSolverResult ADMMSolverSettings ADMMSolverStats "
    "ADMMUpdateRule",
    "eigenvalues by another iteration": "LanczosDecomposition TridiagonalSymmetricMatrix",
    "sets that a solver projects on; contacts.solve_contacts contains the cones": "*Cone BoxSet",
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
    "coal itself; geometry.CollisionChecker has its results": "CollisionObject "
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
    "parts of the binding, versions and build options": "WITH_* PINOCCHIO_* ScalarType "
    "DeprecatedBool Exception boost_type_index std_type_index checkVersionAtLeast printVersion "
    "deprecated inspect numpy pin pinocchio_pywrap_default sys submodules module_info LogLevel",
    "arguments of functions that are called differently here": "ARG? ArgumentPosition Convention "
    "KinematicLevel POSITION VELOCITY ACCELERATION LINEAR CONSTANT SPECTRAL OSQP AUTOMATIC MANUAL",
    "kinds of frames are members of FrameType": "BODY JOINT FIXED_JOINT OP_FRAME SENSOR",
    "model, data and geometry in one object, and functions that make it": "RobotWrapper shortcuts "
    "robot_wrapper utils linalg",
    "one limit for both directions; friction has no bounds of its own": "Model.lower* Model.upper* "
    "Model.positionLimitMargin Model.hasConfigurationLimit*",
    "follows from the joints: nq and nv of each, primaries of mimic joints": "Model.nqs Model.nvs "
    "Model.nvExtended* Model.idx_vExtendeds Model.mimic* Model.nframes",
    "`in`, such as `name in model.names`": "Model.exist*",
    "models are immutable, so nothing needs a copy, and are checked when built": "Model.copy "
    "Model.check",
    "submodules of the file formats": "serialization.*",
}
"""Names, or patterns of names, that have no counterpart, by the reason why."""


def reason(name: str) -> str | None:
    """Why a name has no counterpart, if it has none."""
    found = (why for why, names in WITHOUT.items() for x in names.split() if fnmatchcase(name, x))
    return next(found, None)


def pinocchio_names() -> list[str]:
    """All public names of Pinocchio's Python module, of its Data, Model and small submodules."""
    pin = import_module("pinocchio")
    prefixes = {"": pin, "Data.": pin.Data, "Model.": pin.Model}
    for name in ("cholesky", "liegroups", "rpy", "serialization"):
        prefixes[f"{name}."] = getattr(pin, name)
    return [
        prefix + name
        for prefix, where in prefixes.items()
        for name in sorted(dir(where))
        if not name.startswith("_")
    ]


def from_pinocchio_page() -> str:
    """The page ``docs/from_pinocchio.md``."""
    mapped: dict[str, list[str]] = {}
    without: dict[str, list[str]] = {}
    for name in pinocchio_names():
        ours = [f"`{x}`" for x in counterparts(name)]
        table, key = (mapped, ", ".join(ours)) if ours else (without, reason(name) or "")
        table.setdefault(key, []).append(f"`{name}`")
    return (
        "# From Pinocchio\n\n"
        "Every public name of Pinocchio's Python module, of its Data, its Model and its small "
        "submodules, with its\ncounterpart in `dyn_core`. Functions take `(model, data, q, ...)` "
        "in both. `make docs` writes this page.\n\n"
        + markdown_table(
            ("Pinocchio", "dyn_core"), ((", ".join(x), ours) for ours, x in mapped.items())
        )
        + f"\n{DIFFERENCES}"
        + "\n## Without a counterpart\n\n"
        + markdown_table(("why", "Pinocchio"), ((why, ", ".join(x)) for why, x in without.items()))
    )


def markdown_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of Markdown."""
    lines = [list(head), *(list(row) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
