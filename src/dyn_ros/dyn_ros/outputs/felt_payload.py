# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Which part of its payloads an arm feels, by the commands that hold it."""

from math import inf

import numpy as np

import dyn_core
from dyn_ros.arrays import Vector
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.last_valid_state import LastValidState
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.node.part import Host, Part
from dyn_ros.node.report import Report
from dyn_ros.outputs.effort_agreement import EffortAgreement
from dyn_ros.safety.braking import is_fast

SLOW, SLOW_S = 1.0, 0.3  # rad/s or m/s of all joints; s over which commands are compared
LOST_SHARE = 0.5  # of the weight of payloads: if less is held, they are not all there


class FeltPayload(Part):
    """The share of its payloads that an arm carries: holding and damping go by it.

    An object that was set down, or lost, is a payload until it is cleared. Feedback holds the arm
    meanwhile, but once joint states are lost, or the node ends, the model's gravity would throw it.
    So the mean commands of a slow arm are compared with the model's gravity and change of momentum,
    unless the payloads are as light as friction and the noise of effort sensors.
    """

    def __init__(self, node: Host) -> None:
        """Belong to a node with effort commands."""
        super().__init__(node)
        self._share = 1.0
        self._since = inf  # s, when the arm was slow first
        self._velocity: Vector = np.zeros(0)  # [nv] then
        self._shares: list[float] = []  # since then

    def install(self, model: dyn_core.Model) -> None:
        """Know the weight of payloads of a robot."""
        self._model, self._there = model, LastValidState()
        self._there.install(model)
        self.ramp()

    def start(self) -> None:
        """Carry all of them."""
        self.ramp()

    def ramp(self) -> None:
        """Carry all of them: payloads may have changed."""
        self._share, self._since = 1.0, inf

    def watch(self) -> None:
        """Compare the commands of a slow arm with the model."""
        around = self.node.surroundings
        known = self.node.part(EffortAgreement).held if around.carries else None
        reader, now = self.node.part(JointStateInput).reader, self.clock.now()
        slow = not is_fast(reader.velocity, SLOW)
        if known is None or known.sent is None or known.resting is None or not slow:
            self._since = inf
            return
        names = self._model.dof_names
        order = [reader.joint_names.index(name) for name in names]
        rows = [names.index(name) for name in known.joint_names]
        position, velocity = reader.position[order], reader.velocity[order]
        without = self._there.there(position, around.carrying(0.0))[0][rows]
        full, mass = self._there.there(position, around)
        weight = full[rows] - without
        if not (LOST_SHARE * np.abs(weight) > known.noise + known.friction).any():
            self._since = inf
            return
        if self._since == inf:
            self._since, self._velocity, self._shares = now, velocity, []
        self._shares.append(float((known.sent - without) @ weight / (weight @ weight)))
        if (seconds := now - self._since) >= SLOW_S:
            momentum = (mass @ (velocity - self._velocity))[rows] / seconds
            share = np.mean(self._shares) - momentum @ weight / (weight @ weight)
            self._share, self._since = float(np.clip(share, 0.0, 1.0)), inf

    @property
    def around(self) -> Surroundings:
        """The surroundings with what is carried of the payloads."""
        whole = self.node.surroundings
        return whole.carrying(self._share) if self._share < LOST_SHARE else whole

    def report(self, report: Report) -> None:
        """Warn of payloads that are not there."""
        if self._share < LOST_SHARE:
            report.warn(
                f"the arm is held without {1.0 - self._share:.0%} of the weight of its payloads: "
                "unless friction holds it, call ~/clear_payload"
            )
