# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Configurations in which frames are where they shall be, for many targets at once.

Levenberg-Marquardt steps from many starts, each in a lane of a batch: kinematics come from one
compiled kernel for all of them. The damping is the squared error and a little (Sugihara 2011), so
that steps converge quadratically near a solution and do not diverge at a target out of reach.
Joints at their limits are held there while their step points outwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.runtime import Kernel, compile
from dyn_core.configuration import neutral
from dyn_core.control.pose_error import checked, checked_placement, pose_error
from dyn_core.control.tasks import JointLimits
from dyn_core.dynamics.declare.options import LOCAL_WORLD_ALIGNED
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.dynamics.frame_motion import frame_placement
from dyn_core.dynamics.integrate import integrate
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_loops
from dyn_core.model.value_checks import check_whole, number

POSE, POINT = (4, 4), (3,)
"""Shapes of a target: a placement, or a point for the frame's origin."""
DAMPING = 1e-6
"""Added to the squared error as damping: near a solution Gauss-Newton's steps are left as they
are."""
MAX_STEP = 1.0
"""rad, m: of no joint a step is longer."""


@dataclass(frozen=True)
class Solutions:
    """Results for each of N targets."""

    q: FloatArray
    """(N, nq), within limits; of targets that were not reached, the nearest."""
    error: FloatArray
    """(N) the largest of the errors of position, m, and of orientation, rad, of all frames."""
    solved: NDArray[np.bool_]
    """(N) whether that is within the tolerance."""
    starts: NDArray[np.intp]
    """(N) how many starts were made."""


def solve_ik(
    model: Model,
    targets: Mapping[str, FloatArray],
    start: FloatArray | None = None,
    tolerance: float = 1e-6,
    starts: int = 100,
    iterations: int = 16,
    seed: int = 0,
    threads: int = 1,
) -> Solutions:
    """Find configurations within limits in which frames are at their targets.

    Args:
        model: the robot, fixed or on a floating base.
        targets: of each frame, by name, placements (4, 4) or points (3,) in the world; or N of
            them, (N, 4, 4) or (N, 3), of all frames equally many.
        start: configuration (nq), or one for each target (N, nq), from which the first attempt
            goes; by default random ones. Others begin at random configurations within the limits.
        tolerance: m, rad.
        starts: most attempts for each target.
        iterations: of an attempt.
        seed: of the random numbers: the same call finds the same.
        threads: that share the kinematics.

    Raises:
        KeyError: the robot has no such frame.
        ValueError: a target is not finite, no placement, or of the wrong shape; a number is not
            positive.
    """
    refuse_loops(model)
    for name, value in (("starts", starts), ("iterations", iterations)):
        check_whole(f"solve_ik: {name}", value)
    check_whole("solve_ik: seed", seed, 0)
    if not 0.0 < number("solve_ik: tolerance", tolerance) < np.inf:
        raise ValueError(f"solve_ik: tolerance must be above 0, not {tolerance}")
    search = _Search(model, targets, tolerance, iterations, threads)
    random = np.random.default_rng(seed)
    count = search.count
    best, error = np.tile(neutral(model), (count, 1)), np.full(count, np.inf)
    made = np.zeros(count, dtype=np.intp)
    each, first = 1, start
    while (left := np.flatnonzero(error > tolerance)).size and made.max() < starts:
        each = min(each, starts - int(made[left[0]]))
        lanes = np.repeat(left, each)
        begin = search.drawn(random, len(lanes)) if first is None else _given(model, first, count)
        first = None
        found, its_error = search.run(begin, lanes)
        order = np.lexsort((its_error, lanes))  # of each target the best attempt comes first
        winners = order[np.searchsorted(lanes[order], left)]
        better = its_error[winners] < error[left]
        best[left[better]], error[left[better]] = found[winners[better]], its_error[winners[better]]
        made[left] += each
        each = min(2 * each, 8)
    return Solutions(best, error, error <= tolerance, made)


class _Search:
    """Attempts from many configurations."""

    def __init__(
        self, model: Model, targets: Mapping[str, FloatArray], tolerance: float, iterations: int,
        threads: int,
    ) -> None:  # fmt: skip
        if not targets:
            raise ValueError("solve_ik: name a frame and its target")
        self.model, self.tolerance, self.threads = model, tolerance, threads
        self.iterations = iterations
        self.goals = [_targets(name, array) for name, array in targets.items()]
        counts = {len(goal) for goal in self.goals}
        if len(counts) > 1:
            raise ValueError("solve_ik: give all frames equally many targets")
        (self.count,) = counts
        self.kernel: Kernel = compile(model, [
            request for name in targets
            for request in (
                frame_placement.request(name),
                frame_jacobian.request(name, LOCAL_WORLD_ALIGNED),
            )
        ])  # fmt: skip
        self.integrate: Kernel = compile(model, [integrate])
        self.limits = JointLimits(model)

    def drawn(self, random: np.random.Generator, count: int) -> FloatArray:
        """Random configurations (B, nq), uniform within limits, or else half a turn of neutral."""
        lower = np.where(np.isfinite(self.limits.lower), self.limits.lower, -np.pi)
        upper = np.where(np.isfinite(self.limits.upper), self.limits.upper, np.pi)
        way = random.uniform(lower, upper, size=(count, self.model.nv))
        return self._within(np.tile(neutral(self.model), (count, 1)), way)

    def run(self, q: FloatArray, lanes: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Configurations (B, nq) after all steps from ``q`` to the targets ``lanes`` (B)."""
        q = np.ascontiguousarray(q)
        final, last = q.copy(), np.full(len(q), np.inf)
        active: NDArray[np.intp] = np.arange(len(q))
        for k in range(self.iterations + 1):
            error, J = self._linearized(q, lanes[active])
            size = _largest(error)
            final[active], last[active] = q, size
            going = size > self.tolerance
            if k == self.iterations or not going.any():
                break
            if not going.all():
                q, active, error, J = q[going], active[going], error[going], J[going]
            q = self._step(q, error, J)
        return final, last

    def _linearized(self, q: FloatArray, lanes: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Errors (B, rows) and Jacobians (B, rows, nv) of all frames."""
        values = self.kernel.batch(q, threads=self.threads)
        errors, jacobians = [], []
        for goal, place, J in zip(self.goals, values[::2], values[1::2], strict=True):
            if goal.shape[1:] == POSE:
                errors.append(pose_error(place, goal[lanes]))
                jacobians.append(J)
            else:
                errors.append(goal[lanes] - place[:, :3, 3])
                jacobians.append(J[:, :3])
        if len(errors) == 1:
            return errors[0], jacobians[0]
        return np.concatenate(errors, axis=1), np.concatenate(jacobians, axis=1)

    def _step(self, q: FloatArray, error: FloatArray, J: FloatArray) -> FloatArray:
        """The next configurations (B, nq), within limits."""
        stopped = self.limits.beyond(q, np.einsum("bri,br->bi", J, error))
        step = _damped(error, np.where(stopped[:, None, :], 0.0, J))
        step *= np.minimum(
            1.0, MAX_STEP / np.maximum(np.abs(step).max(axis=1, initial=0.0), MAX_STEP)
        )[:, None]
        return self._within(q, step)

    def _within(self, q: FloatArray, step: FloatArray) -> FloatArray:
        """Configurations (B, nq) after a step (B, nv), within limits."""
        return self.limits.clipped(self.integrate.batch(q, step, threads=self.threads))


def _damped(error: FloatArray, J: FloatArray) -> FloatArray:
    """``J' (J J' + mu 1)^-1 e`` with mu the squared error by 2 and a little."""
    damped = J @ np.swapaxes(J, 1, 2)
    mu = 0.5 * np.einsum("br,br->b", error, error) * 1e-2 + DAMPING
    rows = np.arange(error.shape[1])
    damped[:, rows, rows] += mu[:, None]
    force = np.linalg.solve(damped, error[..., None])
    return (np.swapaxes(J, 1, 2) @ force)[..., 0]


def _largest(error: FloatArray) -> FloatArray:
    """(B) the longest of the vectors of three rows each, NaN as infinite."""
    parts = error.reshape(len(error), -1, 3)
    longest = np.sqrt(np.einsum("bfk,bfk->bf", parts, parts)).max(axis=1)
    return np.where(np.isfinite(longest), longest, np.inf)


def _targets(name: str, array: FloatArray) -> FloatArray:
    """Targets of a frame with one row each."""
    found = np.asarray(array, dtype=np.float64)
    what = f"the target of '{name}'"
    for shape in (POSE, POINT):
        if found.shape == shape:
            found = found[None]
        if found.shape[1:] == shape:
            checked(what, found, found.shape)
            if shape == POSE:
                for one in found:
                    checked_placement(what, one)
            return found
    raise ValueError(f"{what} must be placements (4, 4) or points (3,), not of {found.shape}")


def _given(model: Model, start: FloatArray, count: int) -> FloatArray:
    shape = (model.nq,) if np.ndim(start) == 1 else (count, model.nq)
    return np.broadcast_to(checked("start", start, shape), (count, model.nq)).copy()
