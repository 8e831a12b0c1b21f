# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Actuators of a robot whose masses are known: torque constants, rotors, friction and delays.

Drivers of many servos report a current or a duty cycle u in place of an effort. Where the
description gives the effort tau of the links, each joint has

    k u = tau + armature a + damping v + friction sign(v) + offset,

which is linear in 1/k and the other parameters over k (Gautier and Briot 2014, "Global
identification of joint drive gains and dynamic parameters of robots").
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.identification.blas_threads import single_threaded
from dyn_core.identification.identify import (
    DOUBTFUL,
    MAX_PASSES,
    MAX_PHASE_RAD,
    MAX_UNEXPLAINED,
    Source,
    read_samples,
)
from dyn_core.identification.parameters import DEFAULT_DRIVE, Parameters
from dyn_core.identification.regression import Evidence
from dyn_core.identification.samples import Recording
from dyn_core.identification.saturation import refuse_constant
from dyn_core.model.model import FloatArray, Model

ACTUATOR = ("torque_constant", *DEFAULT_DRIVE, "delay")
"""What is identified of an actuator."""
COLUMNS = 1 + len(DEFAULT_DRIVE)
"""Of a joint: the effort of the links, and what each parameter of the drive is multiplied by."""
ITERATIONS = 10
"""Least squares of parameters and delay, each linear in the difference to the last."""
MIN_STANDARD_ERRORS = 3.0
"""Standard errors from zero from which the sign of a signal is known."""
MAX_CONSTANT_ERROR = 0.1
"""Largest relative standard error of a torque constant that counts as identified."""


@dataclass(frozen=True)
class Actuator:
    """An identified actuator; efforts in N m or N, velocities in rad/s or m/s."""

    joint: str
    torque_constant: float
    """Effort at the joint per unit of the recorded signal."""
    armature: float
    damping: float
    """Viscous friction; of a signal that is a voltage, with the motor's back-EMF."""
    friction: float
    offset: float
    delay: float
    """Of the recorded signal behind the state that it belongs to, s."""
    standard_errors: dict[str, float]
    """Of each of the numbers above, by name."""
    residual: float
    """Root mean square of the unexplained signal, relative to that of the signal."""

    @property
    def is_identified(self) -> bool:
        """Whether the motion determines the torque constant, and with it all others.

        A negative rotor inertia shows that it does not.
        """
        errors = self.standard_errors
        return (
            errors["torque_constant"] <= MAX_CONSTANT_ERROR * self.torque_constant
            and self.armature >= -MIN_STANDARD_ERRORS * errors["armature"]
        )

    def plain(self) -> dict[str, Any]:
        """All fields as plain values, for JSON."""
        return {**vars(self), "identified": self.is_identified}


@single_threaded
def identify_actuators(
    model: Model, recordings: Source | Sequence[Source], cutoff: float = 5.0
) -> list[Actuator]:
    """Identify torque constant, rotor inertia, friction and delay of each joint.

    A joint that gravity does not load, such as a vertical one that moves alone, has a torque
    constant that cannot be separated from its rotor inertia: fix a known mass beside its axis, or
    move it about a horizontal axis.

    Args:
        model: the robot; its masses count as exact, its rotors and friction do not matter. A signal
            without gravity gives wrong constants.
        recordings: paths (see :func:`read_recording`) or Recordings, whose efforts are the signal.
        cutoff: frequency (Hz) of the low-pass filter, about five times the fastest motion.

    Raises:
        MissingExtraError: scipy is missing.
        ModelError: a recording cannot be used, the motion of a joint excites too little, or its
            signal has the opposite sign of its effort, or nothing to do with it.
    """
    if isinstance(recordings, (str, os.PathLike, Recording)):
        recordings = [recordings]
    if not recordings:
        raise ValueError("no samples at all: name at least one recording")
    model = _without_effort_limits(model)
    delay = 0.0
    for _ in range(MAX_PASSES):
        evidence = _evidence(Parameters(model), recordings, cutoff, delay)
        found = [_actuator(*one, delay) for one in zip(model.dof_names, evidence, strict=True)]
        change = float(np.median([one.delay for one in found])) - delay
        delay += change
        if abs(change) * 2.0 * math.pi * cutoff < MAX_PHASE_RAD:
            break
    return found


def _without_effort_limits(model: Model) -> Model:
    """The robot without effort limits: the signal has another unit, and its rows must stay."""
    tree = [
        replace(one, limits=replace(one.limits, effort=(math.inf,) * len(one.limits.effort)))
        for one in model.tree
    ]
    return replace(model, tree=tuple(tree))


def _evidence(
    parameters: Parameters, recordings: Sequence[Source], cutoff: float, delay: float
) -> list[Evidence]:
    """All samples, reduced for each joint alone."""
    known = parameters.values[: parameters.inertial]

    def regressor(q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        W = parameters.regressor(q, v, a)
        drives = W[:, :, parameters.inertial :].reshape(*v.shape, len(DEFAULT_DRIVE), -1)
        return np.dstack([W[:, :, : parameters.inertial] @ known, drives.sum(axis=3)])

    size = 2 * COLUMNS + 1
    total = Evidence(np.zeros((parameters.model.nv, size, size)), 0)
    for source in recordings:
        for samples in read_samples(parameters.model, source, cutoff, delay)[0]:
            refuse_constant(parameters.model, samples.tau)
            for rows in samples.rows(regressor):
                total = total.with_rows(*rows)
    return [Evidence(R[None], total.count) for R in total.R]


def _actuator(joint: str, evidence: Evidence, before: float) -> Actuator:
    """The actuator of a joint; its signal was shifted by the delay ``before``."""
    if evidence.count <= 2 * COLUMNS:
        raise ModelError(f"{evidence.count} samples are too few for {COLUMNS} unknowns of a joint")
    if weak := evidence.not_excited:
        names = ("torque constant", *DEFAULT_DRIVE)
        raise ModelError(
            f"the motion does not determine {', '.join(names[k] for k in weak)} of joint '{joint}':"
            " move it farther and faster, about an axis about which gravity acts"
        )
    noise: FloatArray = np.ones(1)
    c, late, R = evidence.solved(noise)
    for _ in range(ITERATIONS):
        noise = np.maximum(evidence.errors(c, late), np.finfo(float).tiny)
        c, late, R = evidence.solved(noise, c, late)
    inverse = np.linalg.inv(R)
    deviation = float(np.linalg.norm(inverse[1]))
    if c[0] < -MIN_STANDARD_ERRORS * deviation:
        raise ModelError(
            f"the signal of joint '{joint}' falls where its effort rises: reverse its sign, or "
            "that of its positions, or correct the model's gravity"
        )
    residual = evidence.share(c, late)
    if residual > MAX_UNEXPLAINED:
        raise ModelError(
            f"{100.0 * residual:.0f} % of the signal of joint '{joint}' are unexplained: are names "
            "of joints mixed up, or is it no current?"
        )
    if residual > DOUBTFUL:
        warnings.warn(
            f"{100.0 * residual:.0f} % of the signal of joint '{joint}' are unexplained: look for "
            "mixed-up names and reversed positions",
            stacklevel=2,
        )
    k = 1.0 / c[0]
    jacobian = np.zeros((1 + COLUMNS, 1 + COLUMNS))  # by delay and c, of the numbers of ACTUATOR
    jacobian[:-1, 1:] = k * np.eye(COLUMNS)
    jacobian[:-1, 1] = -k * k * np.array([1.0, *c[1:]])
    jacobian[-1, 0] = 1.0
    errors = np.linalg.norm(jacobian @ inverse, axis=1)
    armature, damping, friction, offset = (k * c[1:]).tolist()
    return Actuator(
        joint=joint,
        torque_constant=float(k),
        armature=armature,
        damping=damping,
        friction=friction,
        offset=offset,
        delay=before + late,
        standard_errors=dict(zip(ACTUATOR, errors.tolist(), strict=True)),
        residual=residual,
    )
