"""Least squares in the order of their priority, within equations and inequalities.

What holds exactly leaves a null space; programs of lower priority are solved in what those before
them leave, so that they disturb nothing (Siciliano and Slotine 1991; Kanoun, Lamiraux and Wieber
2011). Each is dense and small and solved by daqp, a dual active-set method: of daqp, quadprog,
piqp, proxsuite and osqp the fastest and most exact from 6 to 40 variables (docs/benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyn_core.control.quadratic_program import InfeasibleError
from dyn_core.extras import optional
from dyn_core.model.model import FloatArray

INFINITE = 1e30
"""What daqp takes for no bound."""
SOLVED = (1, 2)
"""What daqp says of a solution; 2: one that leaves soft bounds."""
UNSOLVED = {
    -1: "they contradict each other",
    -2: "the solver went round in circles",
    -4: "too many iterations of the solver",
    -5: "numbers are too large, such as a target that is far away",
}
"""What else it says."""
FLAT = 1e-9
"""How small a singular value is, beside the largest, in whose direction nothing is held."""
CONTRADICTION = 1e-6
"""Residual of equations, beside their largest entry, from which they contradict each other."""
Rows = tuple[FloatArray, FloatArray]
"""A matrix (k, n) and what it shall give times x (k)."""


@dataclass(frozen=True)
class Bounded:
    """``lower <= matrix x <= upper``."""

    matrix: FloatArray
    """(k, n)"""
    lower: FloatArray
    """(k)"""
    upper: FloatArray
    """(k)"""

    @classmethod
    def of(cls, parts: Sequence[Bounded], size: int) -> Bounded:
        """All of them; of none, nothing of ``size`` columns."""
        none = cls(np.zeros((0, size)), np.zeros(0), np.zeros(0))
        columns = zip(*((x.matrix, x.lower, x.upper) for x in (none, *parts)), strict=True)
        return cls(*(np.concatenate(column) for column in columns))


def solved_in_order(
    levels: Sequence[Sequence[Rows]],
    damping: FloatArray,
    rest: FloatArray,
    equations: Rows | None = None,
    box: tuple[FloatArray, FloatArray] | None = None,
    bounded: Bounded | None = None,
    why: str = "inverse kinematics",
) -> FloatArray:
    """The x (n) with the least squares ``|A x - b|^2`` of each level, the first before the others.

    Args:
        levels: rows of each priority, times the roots of their weights.
        damping: (n) of the squares of ``x - rest``, above 0, in every level.
        rest: (n) what x is where nothing asks for anything.
        equations: that hold exactly.
        box: lowest and highest x.
        bounded: other inequalities.
        why: what needs the solver, for the message where it is missing.

    Raises:
        InfeasibleError: equations, box and inequalities contradict each other.
        MissingExtraError: daqp is not installed; the message says how to get it.
    """
    solver = optional("daqp", why, extra="ik")
    size = len(damping)
    start: FloatArray = np.zeros(size)
    free: FloatArray | None = None
    if equations is not None and len(equations[1]):
        start, free = _satisfied(*equations)
    rows = Bounded.of([], size) if bounded is None else bounded
    for k, level in enumerate(levels):
        A, b = level[0] if len(level) == 1 else map(np.concatenate, zip(*level, strict=True))
        start = start + _solved(solver, A, b - A @ start, damping, rest, start, free, box, rows)
        if k + 1 < len(levels):
            free = _left(A, free)
            if not free.shape[1]:
                break
    return start


def _satisfied(E: FloatArray, d: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The shortest solution of equations, and a basis (n, f) of what leaves them satisfied."""
    scale = np.maximum(np.linalg.norm(E, axis=1), 1e-12)
    E, d = E / scale[:, None], d / scale
    U, s, Vt = np.linalg.svd(E)
    rank = int((s > FLAT * s[0]).sum())
    x: FloatArray = Vt[:rank].T @ ((U[:, :rank].T @ d) / s[:rank])
    if np.abs(E @ x - d).max() > CONTRADICTION * (1.0 + np.abs(d).max()):
        raise InfeasibleError("the equations contradict each other")
    return x, Vt[rank:].T


def _left(A: FloatArray, free: FloatArray | None) -> FloatArray:
    """A basis (n, f) of what is free and does not change ``A x``."""
    inner = A if free is None else A @ free
    _, s, Vt = np.linalg.svd(inner)
    largest = s[0] if len(s) else 0.0
    null = Vt[int((s > FLAT * max(largest, 1e-12)).sum()) :].T
    result: FloatArray = null if free is None else free @ null
    return result


def _solved(
    solver: object, A: FloatArray, b: FloatArray, damping: FloatArray, rest: FloatArray,
    start: FloatArray, free: FloatArray | None, box: tuple[FloatArray, FloatArray] | None,
    rows: Bounded,
) -> FloatArray:  # fmt: skip
    """The step (n) from ``start`` within what is free."""
    matrix, lower, upper = rows.matrix, rows.lower, rows.upper
    reached = matrix @ start
    lower, upper = lower - reached, upper - reached
    H = A.T @ A
    H[np.diag_indices(len(damping))] += damping
    gradient = -(A.T @ b) + damping * (start - rest)
    if box is not None:
        lower, upper = (
            np.concatenate([x - start, y]) for x, y in zip(box, (lower, upper), strict=True)
        )
        if free is not None:
            matrix = np.concatenate([np.eye(len(start)), matrix])
    if free is not None:
        H, gradient, matrix = free.T @ H @ free, free.T @ gradient, matrix @ free
    lower, upper = np.maximum(lower, -INFINITE), np.minimum(upper, INFINITE)
    sense = np.zeros(len(upper), dtype=np.intc)
    matrix = np.ascontiguousarray(matrix)
    step, _, flag, _ = solver.solve(H, gradient, matrix, upper, lower, sense)  # type: ignore[attr-defined]
    if flag not in SOLVED:
        raise InfeasibleError(UNSOLVED.get(flag, f"daqp ended with {flag}"))
    result: FloatArray = np.asarray(step) if free is None else free @ step
    return result
