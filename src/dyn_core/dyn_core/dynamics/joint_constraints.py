# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kinematics of couplings: equations between coordinates of joints, a row each.

The error of ``sum c q = p(s)`` with ``s = sum c q`` over the leaders is what the followers are
ahead of where they belong. Its rate is ``sum c v - p'(s) ds/dt``, which makes the row of the
Jacobian, and that one's rate has the drift ``-p''(s) (ds/dt)^2``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.dynamics.constraint_interface import Held, Moving
from dyn_core.dynamics.constraints import CoupledJoints, IndexedTerms
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Rows, Scalar


@dataclass(frozen=True)
class CouplingState(Held):
    """A coupling at a configuration."""

    model: Model
    one: CoupledJoints
    q: Sequence[Scalar]

    def error(self) -> list[Scalar]:
        target, _, _ = self._law()
        return [self._position(self.one.followers) - target]

    def jacobian(self) -> Rows:
        row: list[Scalar] = [0.0] * self.model.nv
        _, slope, _ = self._law()
        for terms, factor in ((self.one.followers, 1.0), (self.one.leaders, -slope)):
            for i, c in terms:
                k = self.model.idx_v[i]
                row[k] = row[k] + factor * (c * self.model.joints[i].ratio)
        return [row]

    def velocity(self, moving: Moving) -> list[Scalar]:
        _, slope, _ = self._law()
        followers, leaders = self._rates(moving.v)
        return [followers - slope * leaders]

    def acceleration(self, moving: Moving) -> list[Scalar]:
        _, slope, curvature = self._law()
        followers, leaders = self._rates(moving.a)
        _, rate = self._rates(moving.v)
        return [followers - slope * leaders - curvature * (rate * rate)]

    def efforts(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        return [x * multipliers[0] for x in self.jacobian()[0]]

    def _law(self) -> tuple[Scalar, Scalar, Scalar]:
        return self.one.coupling.law(self._position(self.one.leaders))

    def _position(self, terms: IndexedTerms) -> Scalar:
        """The sum over coordinates of joints, of followers of others too."""
        total: Scalar = 0.0
        for i, c in terms:
            (shaft,) = self.model.joints[i].own_q(self.model.q_of(i, self.q))
            total = total + c * shaft
        return total

    def _rates(self, rates: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
        """The sums over followers and leaders of their velocities or accelerations."""
        sums: list[Scalar] = []
        for terms in (self.one.followers, self.one.leaders):
            total: Scalar = 0.0
            for i, c in terms:
                total = total + c * self.model.joints[i].ratio * rates[self.model.idx_v[i]]
            sums.append(total)
        return sums[0], sums[1]
