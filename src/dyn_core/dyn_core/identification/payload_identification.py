# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification of a payload from a short recording, with a known robot.

The efforts of the robot without payload are subtracted from the recorded ones. The difference is
linear in the ten inertial parameters of the payload, in the frame of the joint that carries it, and
in friction, which is identified anew because it grows with load.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.identification.base_parameters import BaseParameters
from dyn_core.identification.blas_threads import single_threaded
from dyn_core.identification.description_checks import accepted
from dyn_core.identification.identify import Source, read_samples
from dyn_core.identification.parameters import (
    ARMATURE,
    DAMPING,
    FRICTION,
    INERTIAL,
    OFFSET,
    Parameters,
)
from dyn_core.identification.physical_consistency import Knowledge, UnsolvedError, consistent
from dyn_core.identification.prior import Prior
from dyn_core.identification.recording_checks import refuse_mistakes, refuse_unknown
from dyn_core.identification.regression import Evidence, estimate, gathered, residual
from dyn_core.identification.regularization import jackknife, without_each
from dyn_core.identification.states import States
from dyn_core.model.model import FloatArray, Model
from dyn_core.spatial import Inertia, Symmetric3, Vector3

PRIOR_MASS_KG, PRIOR_RADIUS_M = 1.0, 0.05
"""Mass (kg) and radius (m) of a solid ball at the frame: the prior of a payload."""
PRIOR_WEIGHT = 1.0
"""Weight of the prior, small enough for any recording to outweigh it."""


@dataclass(frozen=True)
class PayloadParameters(Parameters):
    """Parameters of the payload of one joint's body, and of friction."""

    drive: tuple[str, ...] = (DAMPING, FRICTION, OFFSET)
    joint: int = 1
    """Index of the joint that moves the body with the payload."""

    @property
    def bodies(self) -> tuple[str, ...]:
        """The payload."""
        return ("payload",)

    @property
    def values(self) -> FloatArray:
        """A payload of zero mass, and the friction of the description."""
        own = Parameters(self.model, self.drive)
        return np.concatenate([np.zeros(len(INERTIAL)), own.values[own.inertial :]])

    def regressor(self, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        """``W`` (n, nv, parameters), as :meth:`Parameters.regressor`."""
        whole = super().regressor(q, v, a)
        first, size = self.model.moving_joints.index(self.joint), len(INERTIAL)
        drives = whole[:, :, size * self.model.nbodies :]
        return np.concatenate([whole[:, :, size * first : size * (first + 1)], drives], axis=2)


@dataclass(frozen=True)
class IdentifiedPayload:
    """The payload of a frame."""

    frame: str
    inertia: Inertia
    """In the frame; ``inertia.parameters`` is the input ``payload`` of a quantity."""
    mass_error: float
    """Standard error of the mass, kg: by the spread of what is found without each eighth of the
    recordings. Errors of the robot's model that are the same everywhere, such as those of drive
    gains, and errors near the frame add to the mass in full and are not included."""
    com_errors: tuple[float, float, float]
    """Standard errors of the centre of mass along the frame's axes, likewise, m."""
    relative_residual: float
    """Unexplained efforts, relative to the root mean square of the payload's efforts."""

    def plain(self) -> dict[str, Any]:
        """All fields as plain values; the inertia is about the centre of mass, in frame axes."""
        return {
            "frame": self.frame,
            "mass": float(self.inertia.mass),
            "mass_standard_error": self.mass_error,
            "com": [float(x) for x in self.inertia.com],
            "com_standard_error": list(self.com_errors),
            "inertia": [[float(x) for x in row] for row in self.inertia.at_com.rows],
            "parameters": [float(x) for x in self.inertia.parameters],
            "residual": self.relative_residual,
        }


@single_threaded
def identify_payload(
    model: Model,
    recordings: Sequence[Source],
    frame: str,
    cutoff: float = 5.0,
    delay: float = 0.0,
    mass: float | None = None,
    accept: Collection[str] = (),
) -> IdentifiedPayload:
    """Identify the payload that a frame of a known robot carries.

    Args:
        model: the robot without payload, as identified, rotor inertias included.
        recordings: of the robot with payload: a few seconds in which the wrist turns about all
            axes.
        frame: the frame that the payload is fixed to.
        cutoff: frequency of the low-pass filter, Hz.
        delay: of the recorded efforts, from the identification of the robot, s.
        mass: of the payload, if it is known, kg.
        accept: kinds of mistakes that the recordings do not have, as in :func:`identify`.

    Raises:
        KeyError: the model has no such frame.
        ModelError: the frame does not move, a number is out of range, the recordings cannot be
            used, seem to have a mistake or excite too little, or the robot is lighter than its
            model.
    """
    if mass is not None and not 0.0 < mass < math.inf:
        raise ModelError(f"mass is {mass}: give what the payload weighs, kg, or leave it out")
    place = model.frame(frame)
    if not place.joint:
        raise ModelError(f"frame '{frame}' does not move: efforts do not depend on its payload")
    parameters = PayloadParameters(model, joint=place.joint)
    known = Parameters(model, (ARMATURE,))
    refuse_unknown(accept)
    read = [x for source in recordings for x in read_samples(model, source, cutoff, delay)[0]]
    refuse_mistakes(model, States.of(read, model.nv), accept=accept)
    own = [known.regressor(one.q, one.v, one.a) @ known.values for one in read]
    opposite = sum(np.vdot(one.tau, efforts) for one, efforts in zip(read, own, strict=True)) < 0.0
    if opposite and "signs" not in accept:  # a heavy payload may hide it from refuse_mistakes
        raise ModelError(
            f"the efforts have the opposite sign of the prediction for '{model.name}': reverse them"
            " by 'dyn-core identify log ... --gains -1'" + accepted("signs")
        )
    stretches = [
        replace(one, tau=one.tau - efforts) for one, efforts in zip(read, own, strict=True)
    ]
    base = BaseParameters.of(parameters)
    folds = Evidence.folds(base, stretches)
    found = estimate(base, gathered(folds))
    likely = Knowledge(Prior.of_bodies([place.placement.act_inertia(_ball())]), mass=mass)
    try:
        values, *others = (
            consistent(parameters, A, b, likely, PRIOR_WEIGHT)
            for A, b in (
                (found.R @ base.B, found.R @ found.values),
                *((part.A, part.b) for part in without_each(found, folds)),
            )
        )
    except UnsolvedError as error:
        raise ModelError(
            f"no payload at '{frame}' explains the efforts: does the description contain a payload "
            f"that was not attached, are units wrong, or is the motion too small? ({error})"
        ) from error

    def body(of: FloatArray) -> Inertia:
        inertia = Inertia.from_parameters(of[: len(INERTIAL)].tolist())
        return place.placement.act_inv_inertia(inertia).plain()

    weighed = [body(other) for other in others]
    of_mass, x, y, z = jackknife(np.array([[one.mass, *one.com] for one in weighed])).tolist()
    left = residual(base, base.B @ values, stretches)
    return IdentifiedPayload(frame, body(values), of_mass, (x, y, z), left)


def _ball() -> Inertia:
    return Inertia.from_com(
        PRIOR_MASS_KG, Vector3.zero(), Symmetric3.scalar(0.4 * PRIOR_MASS_KG * PRIOR_RADIUS_M**2)
    )
