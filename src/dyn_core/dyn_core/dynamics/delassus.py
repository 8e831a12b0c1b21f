# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The Delassus matrix ``J M^-1 J'`` of constraints, its factors and its inverse.

It takes forces along the constraints to accelerations along them. Redundant constraints, such as
two feet held to the ground by six rows each on a robot with ten joints, make it singular. So forces
are found by a proximal iteration (Carpentier, Budhiraja and Mansard 2021, section III)::

    l <- l + (J M^-1 J' + m 1)^-1 (a - J M^-1 J' l)

with a small ``m``. A step leaves the share ``m / (m + s)`` of an error in a direction of eigenvalue
s, so a fixed number of steps leaves only rounding errors where s is not almost zero. Where it is,
no force makes any acceleration; what is asked for there is taken out, by asking a second time for
what the first forces make. So the smallest forces come out that make the acceleration, or the one
nearest to it: ``pinv(J M^-1 J') a``. Eigenvalues around ``m`` are treated as by a damped inverse.
Constraints that contradict each other by 1 m/s^2 leave some 10 N of rounding errors in forces that
cancel each other out; acceleration does not feel them.

The number of steps is fixed because iterating until nothing changes any more is no better, and
sometimes does not end. Of a matrix of six rows with one small eigenvalue s (as a share of the
mean), asked for accelerations that forces can make, and for such as none can:

=======  ==================  =====================  =================  ====================
s        missing, as it is   until nothing changes  forces as it is    until nothing changes
=======  ==================  =====================  =================  ====================
1e-4     2e-16               4e-16, 8 steps         7e3, exact         7e3, 8 steps
1e-6     2e-16               2e-16, 32 steps        6e5, exact         6e5, 115 steps
1e-8     2e-10               4e-16, 100 000 steps   7e7, 2e-2 missing  7e7, 3 400 steps
1e-10    9e-11               0, 2 700 steps         3e7, 0.8 missing   8e9, 3 600 steps
0        4e-16               0, 52 steps            25                 1e9 and growing
=======  ==================  =====================  =================  ====================

(The middle: what is missing of an acceleration of 1 that forces can make. Right: the forces, where
1 is asked for along the eigenvector.) Down to 1e-6 both are the same. Below, iterating finds forces
a hundred million times as large as the acceleration they make, and where constraints contradict
each other they grow until it is stopped; the fixed steps keep them bounded, take the same time in
every state, fill lanes and have derivatives. Whether constraints hold is known by
:data:`constraint_residual` and, in words, by :func:`dyn_core.contacts.constrained`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.dynamics.cholesky import inverse_form, mass_matrix_factor
from dyn_core.dynamics.constraint_kinematics import constraint_jacobian
from dyn_core.dynamics.constraints import NONE, Constraints
from dyn_core.dynamics.declare.arrays import Configuration, Output
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.ldl_factorization import (
    Factor,
    factorize,
    solve,
    solve_lower,
    solve_lower_transposed,
)
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.errors import ModelError
from dyn_core.model.model import Model
from dyn_core.spatial.lie.space import identity
from dyn_core.spatial.scalars import Rows, Scalar, dot, select

DAMPING = 1e-8
"""``m`` of the iteration, as a share of the mean of the matrix's diagonal."""
STEPS = 6
"""Steps of the iteration: where an eigenvalue is 1e-6 times the mean, 1e-12 is left."""
UNIT = "1/kg, 1/(kg m), 1/(kg m^2)"
SQUARE = ("constraints", "constraints")


@quantity(
    "delassus",
    "Delassus matrix of the constraints, J M^-1 J'",
    unit=UNIT,
    shape=SQUARE,
    frame="of the constraints",
    pinocchio="computeDelassusMatrix",
    pinocchio_data="JMinvJt",
    joint_space=True,
    requires=refuse_singular,
    source="Featherstone 2008, equation 8.9",
)
def delassus(
    model: Model, q: Configuration, *, constraints: Constraints = NONE, damping: float = 0.0
) -> Rows:
    """``J M^-1 J' + damping 1``: the acceleration that forces of the constraints make.

    Raises:
        ModelError: the mass matrix is singular; the message names the joints.
    """
    J = constraint_jacobian.define(model, q, constraints=constraints)
    return _damped(inverse_form(model, q, J), damping)


@quantity(
    Output("delassus_L", "unit lower triangular factor of the Delassus matrix", "1", SQUARE),
    Output("delassus_D", "diagonal factor of the Delassus matrix", UNIT, ("constraints",)),
    pinocchio="ContactCholeskyDecomposition",
    joint_space=True,
    requires=refuse_singular,
    source="Golub and Van Loan 2013, section 4.1.2",
)
def delassus_factorization(
    model: Model, q: Configuration, *, constraints: Constraints = NONE, damping: float = 0.0
) -> tuple[Rows, list[Scalar]]:
    """``L`` and ``D`` with ``J M^-1 J' + damping 1 = L diag(D) L'``.

    Redundant constraints need some ``damping``: without, an entry of D is zero up to rounding.

    Raises:
        ModelError: without damping, along a row that no joint moves; or a singular mass matrix.
    """
    factor = _factorized(delassus.define(model, q, constraints=constraints, damping=damping))
    for k, row in enumerate(factor.L):
        row[k] = 1.0
    return factor.L, [1.0 / inverse for inverse in factor.inverse_pivots]


@quantity(
    "delassus_inverse",
    "inverse of the damped Delassus matrix: operational-space inertia of the constraints",
    unit="kg, kg m, kg m^2",
    shape=SQUARE,
    frame="of the constraints",
    pinocchio="computeDampedDelassusMatrixInverse",
    joint_space=True,
    requires=refuse_singular,
    source="Featherstone 2008, section 8.4",
)
def delassus_inverse(
    model: Model, q: Configuration, *, constraints: Constraints = NONE, damping: float = 0.0
) -> Rows:
    """``(J M^-1 J' + damping 1)^-1``; redundant constraints need some ``damping``.

    Raises:
        ModelError: without damping, along a row that no joint moves; or a singular mass matrix.
    """
    factor = _factorized(delassus.define(model, q, constraints=constraints, damping=damping))
    return [solve(factor, unit) for unit in identity(len(constraints))]


def _factorized(G: Rows) -> Factor:
    """The factor of a Delassus matrix. Raises ModelError if it is singular in every state."""
    try:
        return factorize(G)
    except ZeroDivisionError:
        still = [k for k, row in enumerate(G) if isinstance(row[k], float) and row[k] == 0.0]
        rows = f"no joint moves the robot along row {', '.join(map(str, still))} of them"
        raise ModelError(
            "the Delassus matrix of these constraints is singular in every configuration: "
            f"{rows if still else 'they are redundant'}. Give some damping=..., or constraints "
            "without such rows; constrained_forward_dynamics takes these as they are"
        ) from None


@dataclass(frozen=True)
class Response:
    """How a robot gives way to efforts and to forces along some rows ``J``.

    All vectors of joints are in reverse order inside: eliminating the leaves first keeps the zeros
    between branches (Featherstone 2008, section 6.5).
    """

    factor: Factor
    """Of the mass matrix: ``M = L D L'``."""
    W: Rows
    """For each row of J ``L^-1 J'``."""
    G: Rows
    """``J M^-1 J'``."""
    damped: Factor
    """Of the damped G."""

    @classmethod
    def of(cls, model: Model, q: Sequence[Scalar], J: Rows) -> Response:
        """Factorize the mass matrix and what the rows feel of it."""
        factor = mass_matrix_factor(model, q)
        W = [solve_lower(factor.L, row[::-1]) for row in J]
        G = inverse_form(model, q, J)
        return cls(factor, W, G, factorize(_damped(G, _damping(G))))

    def accelerations(self, tau: Sequence[Scalar], forces: Sequence[Scalar]) -> list[Scalar]:
        """``M^-1 (tau + J' forces)``."""
        halfway = solve_lower(self.factor.L, tau[::-1])
        for row, force in zip(self.W, forces, strict=True):
            halfway = [x + w * force for x, w in zip(halfway, row, strict=True)]
        weighted = zip(halfway, self.factor.inverse_pivots, strict=True)
        return solve_lower_transposed(self.factor.L, [x * d for x, d in weighted])[::-1]

    def along(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """``J M^-1 tau``."""
        halfway = solve_lower(self.factor.L, tau[::-1])
        weighted = [x * d for x, d in zip(halfway, self.factor.inverse_pivots, strict=True)]
        return [dot(row, weighted) for row in self.W]

    def forces(self, acceleration: Sequence[Scalar]) -> list[Scalar]:
        """The smallest forces that make an ``acceleration`` along the rows, or come nearest."""
        first = self._proximal(acceleration)
        return self._proximal([dot(row, first) for row in self.G])

    def inverse(self) -> Rows:
        """The matrix of :meth:`forces`: the pseudoinverse of G."""
        return [self.forces(unit) for unit in identity(len(self.G))]

    def _proximal(self, acceleration: Sequence[Scalar]) -> list[Scalar]:
        """The iteration from zero."""
        result = solve(self.damped, acceleration)
        for _ in range(STEPS - 1):
            rest = [a - dot(row, result) for a, row in zip(acceleration, self.G, strict=True)]
            result = [x + dx for x, dx in zip(result, solve(self.damped, rest), strict=True)]
        return result


def _damping(G: Rows) -> Scalar:
    """``m``: never zero, also of rows that nothing can move."""
    trace: Scalar = 0.0
    for k, row in enumerate(G):
        trace = trace + row[k]
    return select(trace > 0.0, trace * (DAMPING / max(len(G), 1)), 1.0)


def _damped(G: Rows, damping: Scalar) -> Rows:
    return [[x + damping if i == k else x for k, x in enumerate(row)] for i, row in enumerate(G)]
