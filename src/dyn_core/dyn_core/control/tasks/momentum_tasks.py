# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Tasks of the mass of the whole robot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dyn_core.control.pose_error import checked
from dyn_core.control.tasks.task import Costs, EvaluatedState, TargetTask, Task, Terms
from dyn_core.dynamics.center_of_mass import (
    center_of_mass,
    center_of_mass_acceleration,
    center_of_mass_jacobian,
    center_of_mass_velocity,
)
from dyn_core.dynamics.centroidal import (
    centroidal_map,
    centroidal_momentum,
    centroidal_momentum_rate,
)
from dyn_core.dynamics.declare import Request
from dyn_core.model.model import FloatArray, Model


class ComTask(TargetTask):
    """The centre of mass moves to a point of the world; ``cost`` is one number or one per axis."""

    def __init__(
        self,
        cost: Costs = 1.0,
        gain: float = 10.0,
        damping_ratio: float = 1.0,
        priority: int = 0,
        lm_damping: float = 0.05,
    ) -> None:
        super().__init__(cost, gain, damping_ratio, priority, lm_damping)

    def checked_target(self, target: FloatArray) -> FloatArray:
        """A point (3,), m in the world, with velocity and acceleration (3,)."""
        return checked(f"the target of {self}", target, (3,))

    def set_target_from_configuration(self, model: Model, q: FloatArray) -> None:
        """Keep the centre of mass where it is."""
        self.set_target(np.array(center_of_mass(model, q)))

    def requests(self) -> tuple[Request, ...]:
        """The motion of the centre of mass."""
        return (
            center_of_mass.request(),
            center_of_mass_jacobian.request(),
            center_of_mass_velocity.request(),
            center_of_mass_acceleration.request(),
        )

    def terms(self, state: EvaluatedState, values: Sequence[FloatArray]) -> Terms:
        """The error is a way in the world."""
        place, jacobian, velocity, drift = values
        return Terms(self.goal() - place, jacobian, drift, velocity)


class MomentumTask(Task):
    """The momentum about the centre of mass, kg m/s and kg m^2/s, has a target, by default zero.

    Momentum has no place to go to: ``Ag v`` is the target, and ``d/dt Ag v`` makes the residual
    decay by the gain. Costs are of squared momenta, linear ones first.
    """

    def __init__(self, cost: Costs = 1.0, gain: float = 10.0, priority: int = 0) -> None:
        super().__init__(cost, gain, priority=priority)
        self.target: FloatArray = np.zeros(6)

    def set_target(self, target: FloatArray, rate: FloatArray | None = None) -> None:
        """Have a momentum (6,), which changes by ``rate`` (6,), N and N m."""
        self.target = checked(f"the target of {self}", target, (6,))
        self.set_motion(acceleration=rate)

    def set_target_from_configuration(self, model: Model, q: FloatArray) -> None:
        """Stand still."""
        self.set_target(np.zeros(6))

    def requests(self) -> tuple[Request, ...]:
        """The momentum, its matrix and its rate."""
        return (
            centroidal_map.request(),
            centroidal_momentum.request(),
            centroidal_momentum_rate.request(),
        )

    def terms(self, state: EvaluatedState, values: Sequence[FloatArray]) -> Terms:
        """The error is of momentum."""
        jacobian, momentum, drift = values
        return Terms(self.target - momentum, jacobian, drift, momentum)

    def wanted_velocity(self, terms: Terms, dt: float) -> FloatArray:
        """The target itself."""
        return self.target

    def wanted_acceleration(self, terms: Terms) -> FloatArray:
        """The target's rate and the decay of the error."""
        rate = np.zeros(6) if self._acceleration is None else self._acceleration
        result: FloatArray = rate + self.gain * terms.error
        return result
