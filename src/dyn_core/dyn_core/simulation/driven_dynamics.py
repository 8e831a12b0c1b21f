# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The accelerations of a robot under efforts that depend on its state, and their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from dyn_core.dynamics.aba import aba
from dyn_core.dynamics.aba_derivatives import aba_derivatives
from dyn_core.dynamics.declare.definition import required
from dyn_core.dynamics.declare.quantity import Quantity, Request
from dyn_core.dynamics.derivative import derivative
from dyn_core.dynamics.passive_efforts import passive_efforts
from dyn_core.dynamics.state_efforts import effort_requests
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another, refuse_loops
from dyn_core.model.value_checks import numbers

SMOOTHING = 1e-3
"""Speed (rad/s, m/s) below which Coulomb friction fades, so that it has a derivative."""


class EffortLaw(Protocol):
    """Efforts at the joints that follow from the state, such as springs or a controller."""

    def __call__(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The efforts (nv)."""

    def derivatives(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Their derivatives (nv, nv) by q, along velocity coordinates, and by v."""


class JointEfforts:
    """The sum of quantities that are efforts, such as springs and friction of the joints.

    Args:
        model: the robot.
        quantities: each gives efforts (nv) and takes q, v or both; by default
            :data:`passive_efforts` with the jump of friction at rest smoothed.

    Raises:
        TypeError: something that is no quantity.
        ValueError: a quantity takes or gives something else.
    """

    def __init__(self, model: Model, quantities: Sequence[Quantity | Request] = ()) -> None:
        self.model = model
        asked = quantities or (passive_efforts.request(smoothing=SMOOTHING),)
        self.requests = effort_requests(model, tuple(asked))

    def __call__(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The efforts (nv)."""
        total = np.zeros(self.model.nv)
        for request in self.requests:
            total += _of_state(self.model, request, q, v)
        return total

    def derivatives(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Derivatives (nv, nv) of the efforts by q and by v."""
        by_q, by_v = (np.zeros((self.model.nv, self.model.nv)) for _ in range(2))
        for request in self.requests:
            for name, total in (("q", by_q), ("v", by_v)):
                if name in request.parameters:
                    total += _of_state(self.model, derivative.request(request, by=name), q, v)
        return by_q, by_v


def _of_state(model: Model, request: Request, q: FloatArray, v: FloatArray) -> FloatArray:
    state = {"q": q, "v": v}
    result: FloatArray = request(model, *(state[name] for name in required(request.parameters)))
    return result


@dataclass(frozen=True)
class Dynamics:
    """The acceleration ``aba(q, v, efforts(q, v) + control)`` of a robot.

    Without efforts and control it moves freely.
    """

    model: Model
    efforts: EffortLaw | None = None
    control: FloatArray | None = None
    """Efforts (nv) beside them that stay as they are."""

    def __post_init__(self) -> None:
        refuse_another(self.model, self.efforts)
        refuse_loops(self.model, "use ContactStepper, which holds them")
        if self.control is not None:
            numbers("control", self.control, (self.model.nv,))

    def __call__(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The acceleration (nv)."""
        acceleration: FloatArray = aba(self.model, q, v, self.tau(q, v))
        return acceleration

    def tau(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The efforts (nv)."""
        held = np.zeros(self.model.nv) if self.control is None else self.control
        if self.efforts is None:
            return held
        return numbers("efforts", self.efforts(q, v), (self.model.nv,)) + held

    def under(self, control: FloatArray) -> Dynamics:
        """The same with efforts (nv) in addition that stay as they are."""
        more = numbers("control", control, (self.model.nv,))
        return replace(self, control=more if self.control is None else self.control + more)

    def derivatives(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Derivatives (nv, nv) of the acceleration by q, along velocity coordinates, and by v."""
        by_q, by_v, by_tau = aba_derivatives(self.model, q, v, self.tau(q, v))
        if self.efforts is not None:
            tau_by_q, tau_by_v = self.efforts.derivatives(q, v)
            by_q, by_v = by_q + by_tau @ tau_by_q, by_v + by_tau @ tau_by_v
        return by_q, by_v
