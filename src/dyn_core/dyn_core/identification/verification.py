# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Verification of a description: does it predict the efforts of a recording?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dyn_core.errors import ModelError
from dyn_core.identification.blas_threads import single_threaded
from dyn_core.identification.identify import Progress, Source, read_samples
from dyn_core.identification.parameters import ARMATURE, DAMPING, FRICTION, STICTION, Parameters
from dyn_core.identification.recording_checks import suspected
from dyn_core.identification.states import States
from dyn_core.model.model import FloatArray, Model

MAX_UNEXPLAINED = 0.05
"""Most unexplained efforts of a description that is fit for control, relative."""
STANDSTILL_SHARE = 0.02
"""Share of its usual speed below which a joint stands still and its friction is undetermined."""
VERIFIED_DRIVE = (ARMATURE, DAMPING, FRICTION, STICTION)


@dataclass(frozen=True)
class Verification:
    """Measured and predicted efforts, filtered, (n, nv) each."""

    model: Model
    measured: FloatArray
    predicted: FloatArray
    moving: NDArray[np.bool_]
    """(n, nv) whether a joint moves."""
    mistake: str = ""
    """A mistake that the recording seems to have if efforts are not explained; empty: none."""

    @property
    def relative_residual(self) -> float:
        """Root mean square error of moving joints, relative to that of their efforts."""
        error = np.where(self.moving, self.measured - self.predicted, 0.0)
        whole = np.where(self.moving, self.measured, 0.0)
        return float(np.linalg.norm(error) / max(float(np.linalg.norm(whole)), 1e-300))

    def rows(self) -> list[dict[str, float | str]]:
        """For each joint its efforts and its errors in motion and at standstill, N m or N.

        Errors at standstill within the Coulomb friction are static friction, not model errors.
        """
        error = self.measured - self.predicted
        return [
            {
                "joint": name,
                "rms": _rms(self.measured[:, k]),
                "error": _rms(error[self.moving[:, k], k]),
                "worst": float(np.abs(error[self.moving[:, k], k]).max(initial=0.0)),
                "error_standing": _rms(error[~self.moving[:, k], k]),
                "standing": float(1.0 - self.moving[:, k].mean()),
                "friction": float(self.model.friction[k]),
            }
            for k, name in enumerate(self.model.dof_names)
        ]


@single_threaded
def verify(
    model: Model,
    recording: Source,
    cutoff: float,
    delay: float = 0.0,
    report: Progress = lambda done, total: None,
) -> Verification:
    """Predict the efforts of a recording with a model's inertias, rotors and friction.

    Args:
        model: the robot; its joints have one degree of freedom each.
        recording: a path or a Recording.
        cutoff: of the filter of measured and predicted efforts, Hz.
        delay: of the recorded efforts, s.
        report: called with the number of samples done, and their total.

    Raises:
        ModelError: the recording cannot be used, no joint moves in it, or the efforts of the moving
            joints are zero.
    """
    parameters = Parameters(model, VERIFIED_DRIVE)
    stretches, _ = read_samples(model, recording, cutoff, delay)
    speeds, measured, predicted = [], [], []
    done, count = 0, sum(map(len, stretches))
    damping = parameters.inertial + model.nv * VERIFIED_DRIVE.index(DAMPING)
    for samples in stretches:
        for W, _, tau in samples.rows(parameters.regressor):
            measured.append(tau)
            predicted.append(W @ parameters.values)
            speeds.append(np.einsum("njj->nj", W[:, :, damping : damping + model.nv]))
            done += len(tau)
            report(done, count)
    speed = np.abs(np.concatenate(speeds))
    usual = np.sqrt((speed**2).mean(axis=0))
    moving = speed > STANDSTILL_SHARE * np.where(usual > parameters.smoothing, usual, np.inf)
    found = Verification(model, np.concatenate(measured), np.concatenate(predicted), moving)
    if not moving.any():
        raise ModelError("no joint moves in the recording: record a motion of all of them")
    silent = moving.any(axis=0) & ~found.measured.any(axis=0)
    if silent.any():
        names = ", ".join(f"'{model.dof_names[k]}'" for k in np.flatnonzero(silent))
        words = f"all efforts of {names} are zero: the driver does not report them"
        if silent[moving.any(axis=0)].all():
            raise ModelError(words)
        return replace(found, mistake=words)
    if found.relative_residual > MAX_UNEXPLAINED and (
        mistake := suspected(model, States.of(stretches, model.nv))
    ):
        return replace(found, mistake=mistake.words)
    return found


def _rms(values: FloatArray) -> float:
    return float(np.sqrt((values**2).mean())) if len(values) else 0.0
