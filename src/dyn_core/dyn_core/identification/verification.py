"""Does a description predict the efforts of a recording?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dyn_core.identification.identify import Source, read_samples
from dyn_core.identification.parameters import ARMATURE, DAMPING, FRICTION, STICTION, Parameters
from dyn_core.model.model import FloatArray, Model

ENOUGH = 0.05
"""Share of the efforts that a description for control leaves unexplained at most."""
STANDSTILL = 0.02
"""Share of its usual speed below which a joint stands still: static friction may be anything."""
DRIVES = (ARMATURE, DAMPING, FRICTION, STICTION)


@dataclass(frozen=True)
class Verification:
    """Measured and predicted efforts, filtered, (n, nv) each, and their differences."""

    model: Model
    measured: FloatArray
    predicted: FloatArray
    moving: NDArray[np.bool_]
    """(n, nv): where a joint moves."""

    @property
    def left(self) -> float:
        """Root mean square of the error of joints that move, as a share of that of efforts."""
        error = np.where(self.moving, self.measured - self.predicted, 0.0)
        whole = np.where(self.moving, self.measured, 0.0)
        return float(np.linalg.norm(error) / max(float(np.linalg.norm(whole)), 1e-300))

    def rows(self) -> list[dict[str, float | str]]:
        """Of each joint, in N m or N: efforts, errors while it moves and while it stands still.

        Errors at standstill within the Coulomb friction are static friction, not the model's.
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


def verify(model: Model, recording: Source, cutoff: float, delay: float = 0.0) -> Verification:
    """Predict the efforts of a recording with a model's inertias, rotors and friction.

    Args:
        model: the robot; its joints have one degree of freedom each.
        recording: its path, or itself.
        cutoff: Hz, of the filter of both sides.
        delay: s, by which efforts are reported late.

    Raises:
        ModelError: the recording cannot be used.
    """
    parameters = Parameters(model, DRIVES)
    stretches, _ = read_samples(model, recording, cutoff, delay)
    speeds, measured, predicted = [], [], []
    damping = parameters.inertial + model.nv * DRIVES.index(DAMPING)
    for samples in stretches:
        for W, _, tau in samples.rows(parameters.regressor):
            measured.append(tau)
            predicted.append(W @ parameters.values)
            speeds.append(np.einsum("njj->nj", W[:, :, damping : damping + model.nv]))
    speed = np.abs(np.concatenate(speeds))
    usual = np.sqrt((speed**2).mean(axis=0))
    moving = speed > STANDSTILL * np.where(usual > parameters.smoothing, usual, np.inf)
    return Verification(model, np.concatenate(measured), np.concatenate(predicted), moving)


def _rms(values: FloatArray) -> float:
    return float(np.sqrt((values**2).mean())) if len(values) else 0.0
