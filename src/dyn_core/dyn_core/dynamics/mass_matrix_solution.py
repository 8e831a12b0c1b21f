# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Solutions of ``M(q) x = b`` for many right sides: by factors of M, or by articulated bodies.

With the factors a right side takes two operations for each pair of joints of which one carries the
other. By articulated bodies it takes some 25 for each joint: less where the robot is a long chain.
The second and the third pass of the articulated-body algorithm without velocities and gravity
(Featherstone 2008, section 7.3), ``S_i`` and ``U_i`` of all joints in one common frame::

    u_i = b_i - S_i' p_i;   p_l += p_i + U_i D_i^-1 u_i                            inwards
    x_i = D_i^-1 (u_i - U_i' a_l);   a_i = a_l + S_i x_i                           outwards

with l the parent of joint i.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.dynamics.aba import articulate, yielding
from dyn_core.dynamics.ldl_factorization import Factor, factorize_from_the_leaves, inverse_by, solve
from dyn_core.dynamics.tree_passes import (
    along,
    inward_sum,
    joint_kinematics,
    outward_pass,
    placements,
)
from dyn_core.model.model import Model
from dyn_core.spatial import Force, Motion
from dyn_core.spatial.scalars import Rows, Scalar

LONG = 20
"""Coordinates between a joint and the root, on average, from which on a robot is a long chain."""


def is_long_chain(model: Model) -> bool:
    """Whether articulated bodies solve with fewer operations than factors of the mass matrix.

    Bodies that share a coordinate, as mimic joints make them, have no articulated inertias.
    """
    if model.has_mimic_joints:
        return False
    before = [0] * model.njoints
    for i in model.moving_joints:
        before[i] = before[model.parents[i]] + model.joints[i].nv
    return sum(before) > LONG * model.nv


def mass_matrix_solution(model: Model, q: Sequence[Scalar], M: Rows) -> MassMatrixSolution:
    """The way that takes fewer operations, given the mass matrix ``M`` at ``q``."""
    return ByArticulatedBodies(model, q) if is_long_chain(model) else ByFactors(M)


class MassMatrixSolution(ABC):
    """Solves with a mass matrix."""

    @abstractmethod
    def of(self, b: Sequence[Scalar]) -> list[Scalar]:
        """``M^-1 b``."""

    @abstractmethod
    def negative(self, b: Sequence[Scalar]) -> list[Scalar]:
        """``-M^-1 b``."""

    @abstractmethod
    def inverse(self) -> Rows:
        """``M^-1``, exactly symmetric."""


class ByFactors(MassMatrixSolution):
    """By ``M = U D U'``."""

    def __init__(self, M: Rows) -> None:
        self.factor = factorize_from_the_leaves(M)
        self.opposite = -self.factor

    def of(self, b: Sequence[Scalar]) -> list[Scalar]:
        """``M^-1 b``."""
        return solve(self.factor, b[::-1])[::-1]

    def negative(self, b: Sequence[Scalar]) -> list[Scalar]:
        """``-M^-1 b``, by the factors of ``-M``."""
        return solve(self.opposite, b[::-1])[::-1]

    def inverse(self) -> Rows:
        """``M^-1``, exactly symmetric."""
        return inverse_by(self.of, self.factor.inverse_pivots)


@dataclass(frozen=True)
class ArticulatedJoint:
    """A joint that yields, with the body behind it."""

    S: list[Motion]
    U: list[Force]
    D: Factor


class ByArticulatedBodies(MassMatrixSolution):
    """By the articulated bodies of a model at a configuration."""

    def __init__(self, model: Model, q: Sequence[Scalar]) -> None:
        self.model = model
        joints = joint_kinematics(model, q)
        X = placements(model, joints, seen_from=min(1, model.njoints - 1))
        at_rest, no_forces = [Motion.zero()] * model.njoints, [Force.zero()] * model.njoints
        zeros = [0.0] * model.nv
        bodies = articulate(model, joints, at_rest, no_forces, zeros)
        self.joints = []
        for i, placement in enumerate(X):
            U, D, _ = yielding(model, joints, i, bodies[i], zeros)
            S = [placement.act_motion(column) for column in joints[i].S]
            self.joints.append(ArticulatedJoint(S, [placement.act_force(F) for F in U], D))

    def of(self, b: Sequence[Scalar]) -> list[Scalar]:
        """``M^-1 b``."""
        model, left = self.model, dict[int, list[Scalar]]()

        def handed(i: int, p: Force) -> Force:
            joint = self.joints[i]
            left[i] = [x - S.dot(p) for x, S in zip(model.v_of(i, b), joint.S, strict=True)]
            for U, x in zip(joint.U, solve(joint.D, left[i]), strict=True):
                p = p + U * x
            return p

        def step(i: int, parent: tuple[Motion, list[Scalar]]) -> tuple[Motion, list[Scalar]]:
            joint, (a, _) = self.joints[i], parent
            x = solve(joint.D, [u - a.dot(U) for u, U in zip(left[i], joint.U, strict=True)])
            return along(joint.S, x, a), x

        inward_sum(model, lambda i: Force.zero(), handed)
        nothing: tuple[Motion, list[Scalar]] = Motion.zero(), []
        return [x for _, own in outward_pass(model, nothing, step) for x in own]

    def negative(self, b: Sequence[Scalar]) -> list[Scalar]:
        """``-M^-1 b``."""
        return [-x for x in self.of(b)]

    def inverse(self) -> Rows:
        """``M^-1``, exactly symmetric."""
        return inverse_by(self.of, [x for joint in self.joints for x in joint.D.inverse_pivots])
