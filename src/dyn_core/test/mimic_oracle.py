# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What mimic joints mean, by an oracle that knows none: a constraint on independent joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pinocchio as pin
from quantity_oracles import symmetric
from robots import relative_error

import dyn_core
from dyn_core.joints import Mimic
from dyn_core.model import Model


def independent(model: Model) -> Model:
    """The same robot with a coordinate for every mimic joint."""
    tree = [
        replace(entry, primary=i, joint=entry.joint.follower)
        if isinstance(entry.joint, Mimic)
        else entry
        for i, entry in enumerate(model.tree)
    ]
    return replace(model, tree=tuple(tree), reference_configurations={})


class MimicOracle:
    """A robot with mimic joints, and Pinocchio's model of it with independent joints.

    With ``v_free = G v``: ``M = G' M_free G``, ``tau = G' tau_free``.
    """

    def __init__(self, model: Model, theirs: pin.Model) -> None:
        self.model, self.free, self.theirs = model, independent(model), theirs
        self.pin_data = theirs.createData()
        self.G = np.zeros((self.free.nv, model.nv))
        for i in model.moving_joints:
            joint = model.joints[i]
            scale = joint.multiplier if isinstance(joint, Mimic) else 1.0
            for k in range(joint.nv):
                self.G[self.free.idx_v[i] + k, model.idx_v[i] + k] = scale

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """That of the independent joints."""
        result = np.zeros(self.free.nq)
        for i in self.model.moving_joints:
            joint, at = self.model.joints[i], self.free.idx_q[i]
            own = np.array(self.model.q_of(i, q))
            follows = isinstance(joint, Mimic)
            result[at : at + joint.nq] = joint.multiplier * own + joint.offset if follows else own
        return result

    def check(self, states: Sequence[Mapping[str, np.ndarray]], forward: bool) -> None:
        """Compare inverse dynamics, bias, mass matrix and, if it exists, forward dynamics."""
        G, asked = self.G, [dyn_core.crba, dyn_core.rnea, dyn_core.nonlinear_effects]
        kernel = dyn_core.compile(self.model, [*asked, *[dyn_core.aba] * forward], backend="tape")
        results = kernel.batch(*(np.array([s[name] for s in states]) for name in kernel.inputs))
        for s, mass, efforts, effects, *ddq in zip(states, *results, strict=True):
            q, v, a = self.configuration(s["q"]), G @ s["v"], G @ s["a"]
            M = G.T @ symmetric(pin.crba(self.theirs, self.pin_data, q)) @ G
            bias = G.T @ pin.nonLinearEffects(self.theirs, self.pin_data, q, v)
            assert relative_error(mass, M) < 1e-10
            tau = G.T @ pin.rnea(self.theirs, self.pin_data, q, v, a)
            assert relative_error(efforts, tau) < 1e-10
            assert relative_error(effects, bias) < 1e-10
            for acceleration in ddq:
                assert relative_error(M @ acceleration + bias, s["tau"]) < 1e-8
