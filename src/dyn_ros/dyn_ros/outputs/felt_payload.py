# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Which part of its payloads an arm feels, by the commands that hold it."""

from math import inf

import numpy as np

import dyn_core
from dyn_ros.arrays import Vector
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.last_valid_state import LastValidState
from dyn_ros.inputs.payloads import Payloads
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.node.part import Host, Part
from dyn_ros.node.report import Report
from dyn_ros.outputs.effort_agreement import EffortAgreement
from dyn_ros.safety.braking import is_fast

SLOW, SLOW_S = 1.0, 0.3  # rad/s or m/s of all joints; s over which commands are compared
LOST_SHARE = 0.5  # of the weight of a payload: if less is held, it is named
AGREED_SHARE = 0.8  # of the weight of lost payloads that has to be missing at each joint
# part of the largest weight below which joints may lack this part of a sensor's noise
SMALL, SLACK = 0.2, 0.2
# part of the squares of weights: payloads at one flange cannot be told from each other
REGULARIZATION = 0.001


class FeltPayload(Part):
    """The shares of its payloads that an arm carries: holding and damping go by them.

    An object that was set down, or lost, is a payload until it is cleared. Feedback holds the arm
    meanwhile, but once joint states are lost, or the node ends, the model's gravity would throw it.
    So the mean commands of a slow arm are compared with the model's gravity and change of momentum.
    What is missing counts if it is more than friction and the noise of effort sensors, and if it is
    missing at all joints that it loads: an arm that was lowered is held by friction too.
    """

    def __init__(self, node: Host) -> None:
        """Belong to a node with effort commands."""
        super().__init__(node)
        self._shares: Vector | None = None  # of each payload; None: all of them
        self._since = inf  # s, when the arm was slow first
        self._velocity: Vector = np.zeros(0)  # [nv] then
        self._missing: list[Vector] = []  # efforts [n] since then, by which commands differ

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
        self._shares, self._since = None, inf

    def watch(self) -> None:
        """Compare the commands of a slow arm with the model."""
        payloads, around = self.node.part(Payloads).carried, self.node.surroundings
        known = self.node.part(EffortAgreement).held if payloads else None
        reader, now = self.node.part(JointStateInput).reader, self.clock.now()
        slow = not is_fast(reader.velocity, SLOW)
        if known is None or known.sent is None or known.resting is None or not slow:
            self._since = inf
            return
        names = self._model.dof_names
        order = [reader.joint_names.index(name) for name in names]
        rows = [names.index(name) for name in known.joint_names]
        position, velocity = reader.position[order], reader.velocity[order]
        if self._since == inf:
            self._since, self._velocity, self._missing = now, velocity, []
        full, mass = self._there.there(position, around)
        gravity, momentum = full[rows], (mass @ (velocity - self._velocity))[rows]
        self._missing.append(gravity - known.sent)
        if (seconds := now - self._since) < SLOW_S:
            return
        self._since = inf
        missing = np.mean(self._missing, axis=0) + momentum / seconds
        without = (around.carrying(payloads, 1.0 - one) for one in np.eye(len(payloads)))  # of each
        others = [self._there.there(position, x)[0][rows] for x in without]
        weights = gravity[:, np.newaxis] - np.stack(others, axis=1)
        squares = weights.T @ weights
        squares += REGULARIZATION * np.trace(squares) * np.eye(len(payloads))
        if not squares.any():
            return
        lost = np.clip(np.linalg.solve(squares, weights.T @ missing), 0.0, 1.0)
        weight = weights @ lost
        size = np.abs(weight)
        # a joint that still holds the weight shows that friction holds another one
        slack = np.where(size < SMALL * size.max(), SLACK * known.noise, 0.0)
        shows = np.abs(weights @ (lost > 0.0)) > known.noise + known.friction
        if np.count_nonzero(shows) > 1:  # one joint alone may have more friction than is declared
            slack += known.friction
        agrees = np.sign(weight) * missing >= AGREED_SHARE * size - slack
        counts = (size > known.noise + known.friction).any() and agrees.all()
        self._shares = 1.0 - lost if counts else None

    @property
    def around(self) -> Surroundings:
        """The surroundings with what is carried of the payloads."""
        whole, payloads = self.node.surroundings, self.node.part(Payloads).carried
        return whole if self._shares is None else whole.carrying(payloads, self._shares)

    def report(self, report: Report) -> None:
        """Warn of payloads that are not there."""
        if self._shares is None:
            return
        for payload, share in zip(self.node.part(Payloads).carried, self._shares, strict=True):
            if share < LOST_SHARE:
                report.warn(
                    f"the arm is held without {1.0 - share:.0%} of the weight of payload "
                    f"'{payload.name}': unless friction holds it, call ~/clear_payload"
                )
