"""Many steps, of one robot or of many that start apart."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from dyn_core.model.model import FloatArray, Model
from dyn_core.simulation.steps import State, StepError


class Integrator(Protocol):
    """A step of length dt (s) from the state q, v."""

    def __call__(
        self, model: Model, dynamics: Any, q: FloatArray, v: FloatArray, dt: float, /
    ) -> State:
        """The state after the step, in new arrays."""


def rollout(
    model: Model,
    integrator: Integrator,
    dynamics: Any,
    q: FloatArray,
    v: FloatArray,
    dt: float,
    steps: int,
) -> State:
    """All states of a motion, the first included.

    Args:
        model: the robot.
        integrator: one of this package, or a function like them.
        dynamics: what the integrator takes.
        q: where the motion starts, (nq), or many starts, (B, nq).
        v: velocity there, (nv) or (B, nv).
        dt: length of a step, s.
        steps: how many.

    Returns:
        Configurations (steps + 1, nq) and velocities (steps + 1, nv); of many starts with one more
        axis in front, (B, ...).

    Raises:
        StepError: a state is not finite, or a step has no result; the message says when.
        ValueError: arrays of the wrong size, or a step or a number of steps that is negative.
    """
    batch = q.shape[:-1]
    if q.shape != (*batch, model.nq) or v.shape != (*batch, model.nv) or len(batch) > 1:
        raise ValueError(
            f"q and v must have shapes ({model.nq},) and ({model.nv},), or (B, ...) of many "
            f"starts, not {q.shape} and {v.shape}"
        )
    if not (np.isfinite(dt) and dt > 0.0 and steps >= 0):
        raise ValueError(f"{steps} steps of {dt} s: give a positive length and no negative number")
    many_q = np.empty((*batch, steps + 1, model.nq))
    many_v = np.empty((*batch, steps + 1, model.nv))
    for index in np.ndindex(batch):
        state = np.array(q[index], dtype=np.float64), np.array(v[index], dtype=np.float64)
        for k in range(steps + 1):
            if k:
                state = _step(integrator, model, dynamics, state, dt, k)
            at = (*index, k)
            many_q[at], many_v[at] = state
    return many_q, many_v


def _step(
    integrator: Integrator, model: Model, dynamics: Any, state: State, dt: float, k: int
) -> State:
    try:
        q, v = integrator(model, dynamics, *state, dt)
    except StepError as error:
        raise StepError(f"step {k}, at {(k - 1) * dt:g} s: {error}") from error
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        raise StepError(
            f"step {k}, at {(k - 1) * dt:g} s: the state of '{model.name}' is not finite; choose a "
            "shorter step"
        )
    return q, v
