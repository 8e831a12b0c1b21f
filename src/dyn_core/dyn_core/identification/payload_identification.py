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
from dyn_core.identification.recording_checks import MIN_STATES, refuse_mistakes, refuse_unknown
from dyn_core.identification.regression import Evidence, estimate, gathered, residual
from dyn_core.identification.regularization import jackknife, without_each
from dyn_core.identification.states import States
from dyn_core.model.model import FloatArray, Model
from dyn_core.spatial import Inertia, Symmetric3, Vector3

PRIOR_MASS_KG, PRIOR_RADIUS_M = 1.0, 0.05
"""Mass (kg) and radius (m) of a solid ball at the frame: the prior of a payload."""
PRIOR_WEIGHTS = 1.0, 10.0, 100.0, 1e3
"""Weights of the prior that are tried: any recording outweighs the first, with which the solver
fails where hardly any payload is attached."""
MIN_OWN_SHARE, MAX_OWN_SHARE = 0.67, 1.5
"""Least and largest share of the robot's own efforts that a recording must show."""


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
    states = States.of(read, model.nv)
    refuse_mistakes(model, states, accept=accept)
    _refuse_units(parameters, known, states, accept)
    own = [known.regressor(one.q, one.v, one.a) @ known.values for one in read]
    stretches = [
        replace(one, tau=one.tau - efforts) for one, efforts in zip(read, own, strict=True)
    ]
    base = BaseParameters.of(parameters)
    folds = Evidence.folds(base, stretches)
    found = estimate(base, gathered(folds))
    likely = Knowledge(Prior.of_bodies([place.placement.act_inertia(_ball())]), mass=mass)
    equations = [(found.R @ base.B, found.R @ found.values)]
    equations += [(part.A, part.b) for part in without_each(found, folds)]
    for weight in PRIOR_WEIGHTS:
        try:
            solved = [consistent(parameters, A, b, likely, weight) for A, b in equations]
            break
        except UnsolvedError as error:
            unsolved = error
    else:
        raise ModelError(
            f"no payload at '{frame}' explains the efforts: does the description contain a payload "
            f"that was not attached, are units wrong, or is the motion too small? ({unsolved})"
        ) from unsolved
    values, *others = solved

    def body(of: FloatArray) -> Inertia:
        inertia = Inertia.from_parameters(of[: len(INERTIAL)].tolist())
        return place.placement.act_inv_inertia(inertia).plain()

    weighed = [body(other) for other in others]
    of_mass, x, y, z = jackknife(np.array([[one.mass, *one.com] for one in weighed])).tolist()
    left = residual(base, base.B @ values, stretches)
    return IdentifiedPayload(frame, body(values), of_mass, (x, y, z), left)


def _refuse_units(
    parameters: PayloadParameters, known: Parameters, states: States, accept: Collection[str]
) -> None:
    """Raise ModelError if efforts, beside those of any payload, are not the robot's own."""
    W, own = (one.regressor(*states.motion[:3]) for one in (parameters, known))
    columns = [W[:, :, : len(INERTIAL)], (own @ known.values)[:, :, None]]
    share = states.fitted(np.concatenate(columns, axis=2)).last
    if share < 0.0 and "signs" not in accept:
        raise ModelError(
            f"the efforts have the opposite sign of those of '{known.model.name}' itself: reverse "
            "them by 'dyn-core identify log ... --gains -1'" + accepted("signs")
        )
    is_sure = share > 0.0 and len(states) >= MIN_STATES
    if is_sure and not MIN_OWN_SHARE <= share <= MAX_OWN_SHARE and "units" not in accept:
        raise ModelError(
            f"beside those of any payload, efforts are {share:.3g} times those of "
            f"'{known.model.name}': have they another unit, or is the robot not identified? Set "
            "the N m of a unit by 'dyn-core identify log ... --gains'" + accepted("units")
        )


def _ball() -> Inertia:
    return Inertia.from_com(
        PRIOR_MASS_KG, Vector3.zero(), Symmetric3.scalar(0.4 * PRIOR_MASS_KG * PRIOR_RADIUS_M**2)
    )
