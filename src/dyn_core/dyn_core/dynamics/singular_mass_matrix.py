# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Robots without forward dynamics: those whose mass matrix is singular in every configuration.

Such a robot can move in some way without moving any inertia: a hinge whose body has none about it,
two hinges on one axis with nothing between them. Its inverse dynamics, mass matrix and kinematics
are well defined; the acceleration that an effort gives it is not.

det M(q) is analytic in q, so where it is not zero in one configuration it is not in almost any; a
few configurations decide. Numbers there carry rounding errors: an entry of M comes from composite
inertias seen along the axes of joints, and errs by a few units in the last place of *their* size,
however much of it cancels. So M is scaled by that size, and singular if an eigenvalue is no larger
than rounding can make it (Demmel 1989, "On floating point errors in Cholesky"). Scaling also makes
the test independent of units and of how large the robot is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from dyn_core.dynamics.crba import crba
from dyn_core.dynamics.tree_passes import JointKinematics, composite_inertias, joint_kinematics
from dyn_core.errors import ModelError
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import numbers
from dyn_core.spatial import Inertia, Motion, Symmetric3, Vector3
from dyn_core.spatial.scalars import Scalar

TRIED_CONFIGURATIONS = 3
"""Random configurations that are tried before a robot is refused."""
EIGENVALUE_ROUNDING = 64.0 * float(np.finfo(float).eps)
"""Eigenvalue of the scaled mass matrix, per degree of freedom, that rounding can make of zero."""
MIN_JOINT_SHARE = 1e-6
"""Share of a joint in a motion without inertia from which it takes part in it."""


def refuse_singular(model: Model) -> None:
    """Refuse a robot whose mass matrix has no inverse.

    In place of inertias that are symbols it looks at bodies as they commonly are: what is singular
    with these is so whatever comes as an input.

    Raises:
        ModelError: the mass matrix is singular; the message names the joints.
    """
    if not model.nv:
        return
    random = np.random.default_rng(0)
    model = _with_numbers(model, random)
    fewest: FloatArray | None = None
    for _ in range(TRIED_CONFIGURATIONS):
        step = random.normal(size=model.nv).tolist()
        motions = motions_without_inertia(model, model.space.integrate(model.space.neutral(), step))
        if not motions.size:
            return
        if fewest is None or motions.shape[1] < fewest.shape[1]:
            fewest = motions
    assert fewest is not None
    culprits = "; ".join(_in_words(joints) for joints in _groups(model, fewest))
    raise ModelError(
        f"'{model.name}' has no forward dynamics, because its mass matrix is singular: {culprits}. "
        "Give the links that they move inertia, give a joint armature (Model.with_rotor) or lock "
        "it (Model.reduced)"
    )


def _with_numbers(model: Model, random: np.random.Generator) -> Model:
    """The robot with some body in place of each whose inertia holds symbols without a value."""
    tree = list(model.tree)
    for i, entry in enumerate(tree):
        try:
            known = Inertia.from_parameters([float(x) for x in entry.inertia.parameters])
            tree[i] = replace(entry, inertia=known)
        except TypeError:
            mass, *com = random.uniform(0.5, 1.5, 4).tolist()
            round_body = Symmetric3(mass, 0.0, mass, 0.0, 0.0, mass)
            tree[i] = replace(entry, inertia=Inertia.from_com(mass, Vector3(*com), round_body))
    return replace(model, tree=tuple(tree))


def motions_without_inertia(model: Model, q: Sequence[float]) -> FloatArray:
    """Orthonormal columns (nv, k) that span the null space of the scaled mass matrix at ``q``."""
    q = numbers("q", q, (model.nq,)).tolist()
    M = np.array(crba.define(model, q), dtype=np.float64)
    size = np.sqrt(_sizes(model, joint_kinematics(model, q)))
    scale = 1.0 / np.where(size > 0.0, size, 1.0)
    eigenvalues, vectors = np.linalg.eigh(scale[:, None] * M * scale)
    null: FloatArray = vectors[:, eigenvalues <= EIGENVALUE_ROUNDING * model.nv]
    return null


def _sizes(model: Model, joints: Sequence[JointKinematics]) -> FloatArray:
    """(nv) how large the diagonal of M could be, by the size of what goes into it."""
    composite = composite_inertias(model, joints)
    roots = np.zeros(model.nv)
    for i in reversed(model.moving_joints):
        for k, column in enumerate(joints[i].S, model.idx_v[i]):
            roots[k] += np.sqrt(_size(composite[i], column))  # mimic joints share a coordinate
    sizes: FloatArray = roots**2 + model.armature
    return sizes


def _size(inertia: Inertia, motion: Motion) -> float:
    """A bound of ``S' I S`` in which nothing cancels."""
    v, w = _norm(motion.linear), _norm(motion.angular)
    coupling = _norm(inertia.first_moment)
    rotational = _norm(x for row in inertia.rotational.full().rows for x in row)
    return abs(float(inertia.mass)) * v * v + 2.0 * coupling * v * w + rotational * w * w


def _norm(numbers: Iterable[Scalar]) -> float:
    return float(np.linalg.norm([float(x) for x in numbers]))


def _groups(model: Model, motions: FloatArray) -> list[list[str]]:
    """Names of the joints that take part in the motions, together if they do so together."""
    groups: list[set[str]] = []
    for shares in np.abs(motions @ motions.T):
        group = {model.dof_names[k] for k in np.flatnonzero(shares > MIN_JOINT_SHARE)}
        if group:
            group = group.union(*(known for known in groups if known & group))
            groups = [known for known in groups if not known & group] + [group]
    return sorted(
        (sorted(group, key=model.names.index) for group in groups),
        key=lambda group: model.names.index(group[0]),
    )


def _in_words(joints: Sequence[str]) -> str:
    *first, last = (f"'{name}'" for name in joints)
    if not first:
        return f"joint {last} can move without moving any inertia"
    return (
        f"joints {', '.join(first)} and {last} can move against each other without moving any "
        "inertia"
    )
