# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Many steps, of one robot or of many with different initial states or efforts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from numbers import Integral
from typing import Any, Protocol

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.dynamics.declare import Quantity, Request
from dyn_core.dynamics.explicit_step import INTEGRATORS, explicit_step
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another
from dyn_core.model.value_checks import is_number
from dyn_core.simulation import integrators
from dyn_core.simulation.driven_dynamics import Dynamics, JointEfforts
from dyn_core.simulation.step_length import warn_of_long_steps
from dyn_core.simulation.step_types import State, StepError

COMPILED_INTEGRATORS = {getattr(integrators, name): name for name in INTEGRATORS}
"""Integrators that compute many motions at once."""


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
    controls: FloatArray | None = None,
    threads: int = 1,
) -> State:
    """All states of one motion or of many, including the first.

    Many motions by an explicit integrator are computed in one call of machine code, a motion in
    each lane of the processor's vectors, where ``dynamics`` is a :class:`Dynamics` without control,
    and without efforts of the state or with :class:`JointEfforts`; others one after the other.

    Args:
        model: the robot.
        integrator: one of this package, or a function like them.
        dynamics: what the integrator takes; a :class:`Dynamics` if there are controls.
        q: where the motion starts, (nq), or many starts, (B, nq).
        v: velocity there, (nv) or (B, nv).
        dt: length of a step, s. A warning names the joint whose springs or dampers are too stiff
            for it (:func:`dyn_core.simulation.longest_step`), as far as the model has them.
        steps: how many.
        controls: efforts beside those of ``dynamics``, held during each step: (steps, nv), or of
            each of many motions (B, steps, nv), which may all start at one place; N m, N.
        threads: how many share what is computed in lanes. The GIL is free meanwhile.

    Returns:
        Configurations (steps + 1, nq) and velocities (steps + 1, nv); of many motions with one more
        axis in front, (B, ...).

    Raises:
        StepError: a state of a single motion is not finite, or a step has no result; the message
            says when. Of many motions such a one continues as NaN, and the others are unaffected.
        TypeError: controls, and dynamics that cannot take them.
        ValueError: arrays of the wrong size, a step or a number of steps that is negative, or
            dynamics of another robot.
    """
    q, v = np.array(q, dtype=np.float64), np.array(v, dtype=np.float64)
    controls = None if controls is None else np.asarray(controls, dtype=np.float64)
    real = is_number(dt) and isinstance(steps, Integral) and not isinstance(steps, bool)
    if not (real and np.isfinite(dt) and dt > 0.0 and steps >= 0):
        raise ValueError(f"{steps} steps of {dt} s: give a positive length and a whole number")
    batch = _batch(model, q, v, controls, steps)
    if controls is not None and not isinstance(dynamics, Dynamics):
        raise TypeError(
            f"controls need a Dynamics to act in, not {type(dynamics).__name__}: {dynamics!r}"
        )
    refuse_another(model, dynamics)
    acting = _acting(integrator, dynamics)
    if acting and q.size:
        fourth = integrator is integrators.runge_kutta_4
        warn_of_long_steps(model, q.reshape(-1, model.nq)[0], dt, acting, fourth)
    held: Any = [None] * steps if controls is None else controls
    if not batch:
        states = list(_states(model, integrator, dynamics, (q, v), dt, held))
        return np.array([q for q, _ in states]), np.array([v for _, v in states])
    many_q, many_v = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in (q, v))
    request = compiled_step(model, integrator, dynamics)
    if request is not None:
        tau = np.zeros(model.nv) if controls is None else controls
        kernel, length = compile(model, [request], backend="machine"), np.array([dt])
        many_q, many_v = kernel.rollouts(many_q, many_v, tau, length, steps=steps, threads=threads)
        return many_q, many_v
    all_q, all_v = (np.full((*batch, steps + 1, x.shape[-1]), np.nan) for x in (q, v))
    for k, start in enumerate(zip(many_q, many_v, strict=True)):
        own = held if controls is None or controls.ndim == 2 else controls[k]
        with suppress(StepError):  # one that breaks off is NaN from there on
            for step, state in enumerate(_states(model, integrator, dynamics, start, dt, own)):
                all_q[k, step], all_v[k, step] = state
    return all_q, all_v


def _acting(integrator: Integrator, dynamics: Any) -> list[Quantity]:
    """Efforts of the state that an explicit integrator takes, as far as they are quantities."""
    efforts = getattr(dynamics, "efforts", None)
    if integrator not in COMPILED_INTEGRATORS or not isinstance(efforts, JointEfforts):
        return []
    return [request.quantity for request in efforts.requests]


def compiled_step(model: Model, integrator: Integrator, dynamics: Any) -> Request | None:
    """The step as a quantity, whose kernel is that of many motions; None if there is none."""
    name = COMPILED_INTEGRATORS.get(integrator)
    if name is None or not isinstance(dynamics, Dynamics):
        return None
    if dynamics.control is not None:
        return None
    if dynamics.efforts is None:
        return explicit_step.request(integrator=name)
    if not isinstance(dynamics.efforts, JointEfforts):
        return None
    requests = dynamics.efforts.requests
    return explicit_step.request(integrator=name, efforts=requests)


def _batch(
    model: Model, q: FloatArray, v: FloatArray, controls: FloatArray | None, steps: int
) -> tuple[int, ...]:
    """The size of the axis of motions, empty for one. Raises ValueError."""
    found = {x.shape[:-1] for x in (q, v)}
    if controls is not None:
        found.add(np.shape(controls)[:-2])
        if np.shape(controls)[-2:] != (steps, model.nv):
            raise ValueError(
                f"controls must have shape ({steps}, {model.nv}), or (B, ...) of many motions, "
                f"not {np.shape(controls)}"
            )
    batches = found - {()}
    if (
        (q.shape[-1:], v.shape[-1:]) != ((model.nq,), (model.nv,))
        or len(batches) > 1
        or any(len(batch) > 1 for batch in batches)
    ):
        raise ValueError(
            f"q and v must have shapes ({model.nq},) and ({model.nv},), or (B, ...) of many "
            f"motions, not {q.shape} and {v.shape}, all with the same B"
        )
    return next(iter(batches), ())


def _states(
    model: Model,
    integrator: Integrator,
    dynamics: Any,
    state: State,
    dt: float,
    controls: Iterable[FloatArray | None],
) -> Iterator[State]:
    """The states of one motion, each as it is computed, with a control for each step."""
    yield state
    for k, control in enumerate(controls):
        acting = dynamics if control is None else dynamics.under(control)
        try:
            state = integrator(model, acting, *state, dt)
            if not all(np.isfinite(x).all() for x in state):
                raise StepError(f"the state of '{model.name}' is not finite; choose a shorter step")
        except StepError as error:
            raise StepError(f"step {k + 1}, at {k * dt:g} s: {error}") from error
        yield state
